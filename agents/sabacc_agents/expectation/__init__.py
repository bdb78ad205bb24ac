"""Agents that compute exact expectations over the next card."""
