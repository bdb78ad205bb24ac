"""Reports: what a tournament found, as one page to look at."""
