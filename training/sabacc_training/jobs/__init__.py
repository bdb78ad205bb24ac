"""Long work: progress, stopping by a signal, locks, and results kept as they come."""
