"""Observations: what a seat may know, written as numbers."""
