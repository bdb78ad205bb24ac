"""A second, slow formulation of RULES.md, written apart from the engine to check it against."""
