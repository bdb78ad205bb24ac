"""Tournaments: formats, pure tasks, their files, standings."""
