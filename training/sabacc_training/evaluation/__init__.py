"""Evaluation: matches, tournaments, and lower bounds of exploitability."""
