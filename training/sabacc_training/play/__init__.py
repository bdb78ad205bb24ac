"""Sit down and play: a table in the browser for people and agents."""
