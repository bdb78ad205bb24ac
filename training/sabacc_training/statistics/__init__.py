"""Statistics over results: intervals, stopping rules, ratings, empirical games.

All functions take arrays of values by deal. Margins of pairs over the same deals are one array,
(deals, pairs), with a list of the two agents, by index, of each pair.
"""
