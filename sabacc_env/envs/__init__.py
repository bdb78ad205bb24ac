"""Environments over the game: PettingZoo's, and Gymnasium's from one learner's seat."""
