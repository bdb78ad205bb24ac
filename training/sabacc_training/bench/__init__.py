"""Benchmarks of this project and its peers, measured in one run: ``sabacc bench``."""
