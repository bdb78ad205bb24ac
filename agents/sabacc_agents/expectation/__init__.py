"""Agents that work out exact expectations over the next card."""
