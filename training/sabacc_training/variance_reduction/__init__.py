"""Control variates that make the intervals of margins narrower, unbiased."""
