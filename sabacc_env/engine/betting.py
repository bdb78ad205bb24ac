"""Betting: what a seat may bet, and the credits that it moves (RULES.md section 5)."""

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import ANY_BETTING, BET_MAX, BET_MIN, FACING_BET, Record


@jit
def pay(g: Record, seat: int, amount: int) -> None:
    """Move credits from a seat to the hand pot: an ante, a fee, a penalty or a bet."""
    g.credits[seat] = int(g.credits[seat]) - amount
    g.staked = int(g.staked) + amount


@jit
def bet(g: Record, seat: int, amount: int) -> None:
    """Move credits in a betting phase, where they count towards side pots (RULES.md, D8)."""
    pay(g, seat, amount)
    g.bet_phase[seat] = int(g.bet_phase[seat]) + amount
    g.bet_hand[seat] = int(g.bet_hand[seat]) + amount


@jit
def to_call(g: Record, seat: int) -> int:
    """Return what the seat must add to match the highest bet of the phase."""
    return int(g.highest_bet) - int(g.bet_phase[seat])


@jit
def another_has_credits(g: Record, seat: int) -> bool:
    """Say whether another remaining seat has at least one credit."""
    for other in range(int(g.num_players)):
        if other != seat and int(g.remaining) >> other & 1 and g.credits[other] > 0:
            return True
    return False


@jit
def has_no_turn(g: Record, r: Record, seat: int) -> bool:
    """Say whether the rules skip a betting turn (RULES.md, D7).

    They do if the seat is all-in, or has nothing to call and no other seat has credits.
    """
    if r.all_in == 0:
        return False
    if g.credits[seat] == 0:
        return True
    return to_call(g, seat) == 0 and not another_has_credits(g, seat)


@jit
def must_junk(g: Record, r: Record, seat: int) -> bool:
    """Say whether the seat must junk: it cannot pay the call, and the rules know no all-in."""
    return r.all_in == 0 and int(g.credits[seat]) < to_call(g, seat)


@jit
def may_junk(g: Record, r: Record, seat: int) -> bool:
    """Say whether the seat may junk at this turn of a betting phase."""
    if r.junk_when == ANY_BETTING or must_junk(g, r, seat):
        return True
    return r.junk_when == FACING_BET and to_call(g, seat) > 0


@jit
def raise_limits(g: Record, r: Record, seat: int) -> tuple[int, int]:
    """Return the smallest and largest total that the seat may raise to; (0, -1) if it may not.

    Legal totals are these two and every ``bet_step`` between them. A seat can raise only if it can
    pay the smallest raise in full (D15) and, where all-in exists, another seat has credits (D7).
    """
    highest = int(g.highest_bet)
    if highest == 0:
        min_raise, max_raise = int(r.min_bet), int(r.max_bet)
    else:
        min_raise, max_raise = int(r.min_raise), int(r.max_raise)
        if g.raises >= r.max_raises:
            return 0, -1
    affordable = int(g.credits[seat]) - to_call(g, seat)
    max_raise = min(max_raise, affordable - affordable % int(r.bet_step))
    if max_raise < min_raise or (r.all_in == 1 and not another_has_credits(g, seat)):
        return 0, -1
    return highest + min_raise, highest + max_raise


@jit
def total_of_size(
    g: Record, r: Record, seat: int, low: int, high: int, sizes: Record, index: int
) -> int:
    """Return the total that one of the bet sizes means on the grid from low to high.

    A fraction means the highest bet + fraction * (everything staked in this hand + the call),
    rounded down to the grid and clipped to it.
    """
    numerator = int(sizes.numerators[index])
    if numerator == BET_MIN:
        return low
    if numerator == BET_MAX:
        return high
    pot = int(g.staked) + to_call(g, seat)
    total = int(g.highest_bet) + pot * numerator // int(sizes.denominators[index])
    if total <= low:
        return low
    return min(high, total - (total - low) % int(r.bet_step))


@jit
def call(g: Record, seat: int) -> None:
    """Match the highest bet, or call all-in with less."""
    bet(g, seat, min(to_call(g, seat), int(g.credits[seat])))


@jit
def raise_to(g: Record, seat: int, total: int) -> None:
    """Bet or raise to a total of this phase; every other remaining seat is to act again."""
    if g.highest_bet > 0:
        g.raises = int(g.raises) + 1
    bet(g, seat, total - int(g.bet_phase[seat]))
    g.highest_bet = total
    g.yet_to_act = int(g.remaining) & ~(1 << seat)
