"""Rule-based agents."""
