"""Unmatched bets, and the main pot and side pots (RULES.md section 5)."""

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Record


@jit
def return_unmatched(g: Record) -> None:
    """Return to the highest bettor, junked or not, its excess over the second-highest."""
    top = -1
    highest = 0
    second = 0
    for seat in range(int(g.num_players)):
        total = int(g.bet_hand[seat])
        if total > highest:
            top, highest, second = seat, total, highest
        elif total > second:
            second = total
    if top >= 0:
        excess = highest - second
        g.bet_hand[top] = second
        g.credits[top] = int(g.credits[top]) + excess
        g.staked = int(g.staked) - excess


@jit
def add_pot(g: Record, amount: int, seats: int) -> None:
    """Append a pot; the main pot is the first."""
    index = int(g.num_pots)
    g.pot_amounts[index] = amount
    g.pot_seats[index] = seats
    g.num_pots = index + 1


@jit
def split_pots(g: Record) -> None:
    """Cut what was staked into layers at the distinct bet totals of the remaining seats.

    Antes, fees and penalties are in the main pot (RULES.md, D8). The last layer takes what junked
    seats bet beyond it.
    """
    remaining = int(g.remaining)
    dead_money = int(g.staked)
    for seat in range(int(g.num_players)):
        dead_money -= int(g.bet_hand[seat])
    below = 0
    eligible = remaining
    while eligible != 0:
        level = -1
        for seat in range(int(g.num_players)):
            if eligible >> seat & 1 and (level < 0 or g.bet_hand[seat] < level):
                level = int(g.bet_hand[seat])
        amount = dead_money
        dead_money = 0
        above = 0
        for seat in range(int(g.num_players)):
            if eligible >> seat & 1 and g.bet_hand[seat] > level:
                above |= 1 << seat
        for seat in range(int(g.num_players)):
            total = int(g.bet_hand[seat])
            top = total if above == 0 else min(total, level)
            amount += max(0, top - below)
        add_pot(g, amount, eligible)
        below = level
        eligible = above
