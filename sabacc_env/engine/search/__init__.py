"""Search: game trees, determinization and rollouts."""
