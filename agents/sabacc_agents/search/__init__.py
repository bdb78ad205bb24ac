"""Search: worlds that fit what a seat has seen, played to their end by a compiled heuristic."""
