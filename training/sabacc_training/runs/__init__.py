"""Training runs: what both trainers share around their updates."""
