"""Drivers: the rules played at one table, at many, by compiled policies, on a GPU."""
