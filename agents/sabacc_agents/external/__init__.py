"""Agents that are processes of their own, in any language."""
