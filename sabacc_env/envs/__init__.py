"""Environments over the game: PettingZoo's agent-environment cycle and its parallel form."""
