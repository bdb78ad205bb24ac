"""Blueprints: Monte Carlo CFR over an abstraction of a game of two seats."""
