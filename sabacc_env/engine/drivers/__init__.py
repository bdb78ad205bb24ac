"""Drivers: entry points that play at one table, at many, by compiled policies or on a GPU."""
