"""Sets of seats, cards or actions, each an integer with one bit for each member."""

from sabacc_env.engine.jit import jit


@jit
def count(members: int) -> int:
    """Return how many members a set has. The loop compiles to one instruction."""
    found = 0
    while members != 0:
        members &= members - 1
        found += 1
    return found


@jit
def lowest(members: int) -> int:
    """Return the smallest member of a set of seats, cards or actions that is not empty."""
    return count((members & -members) - 1)


@jit
def highest(members: int) -> int:
    """Return the largest member of a set that is not empty."""
    for shift in (1, 2, 4, 8, 16, 32):
        members |= members >> shift
    return count(members) - 1


@jit
def next_seat(seats: int, after: int) -> int:
    """Return the nearest seat of a set clockwise from a seat (itself last), or -1."""
    if seats == 0:
        return -1
    later = seats >> (after + 1) << (after + 1)
    return lowest(later if later != 0 else seats)
