"""Agents that are language models behind an endpoint."""
