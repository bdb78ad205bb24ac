"""A second, slow implementation of RULES.md; tests compare the engine with it."""
