"""Blueprints: policies for the bets of two seats, as tables over an abstraction of the game."""
