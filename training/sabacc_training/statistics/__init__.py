"""Statistics over results: intervals, stopping rules, ratings, empirical games."""
