"""Long work: progress bars, stopping by a signal, locks, and partial results."""
