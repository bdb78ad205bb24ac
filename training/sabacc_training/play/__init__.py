"""Sit down and play: a table in the browser or the terminal for people and agents."""
