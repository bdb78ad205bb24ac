"""Agents that play a blueprint, and solve the last betting phase again when they come to it."""
