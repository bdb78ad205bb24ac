"""Betting: what a seat may put in, and putting it in (RULES.md section 5)."""

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import ANY_BETTING, BET_MAX, BET_MIN, FACING_BET, Record


@jit
def pay(g: Record, seat: int, amount: int) -> None:
    """Move credits from a seat to the hand pot: an ante, a fee, a penalty or a bet."""
    g.credits[seat] = int(g.credits[seat]) - amount
    g.staked = int(g.staked) + amount


@jit
def bet(g: Record, seat: int, amount: int) -> None:
    """Put in credits during a betting phase: they count towards side pots (D8)."""
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
    """D7: an all-in seat, and one with nothing to call when no other seat has credits."""
    if r.all_in == 0:
        return False
    if g.credits[seat] == 0:
        return True
    return to_call(g, seat) == 0 and not another_has_credits(g, seat)


@jit
def must_junk(g: Record, r: Record, seat: int) -> bool:
    """Without all-in, a seat that cannot pay the call must junk."""
    return r.all_in == 0 and int(g.credits[seat]) < to_call(g, seat)


@jit
def may_junk(g: Record, r: Record, seat: int) -> bool:
    """Say whether the seat may junk at this turn of a betting phase."""
    if r.junk_when == ANY_BETTING or must_junk(g, r, seat):
        return True
    return r.junk_when == FACING_BET and to_call(g, seat) > 0


@jit
def raise_limits(g: Record, r: Record, seat: int) -> tuple[int, int]:
    """Return the least and greatest total that the seat may bet or raise to; (0, -1) if none.

    Legal totals are these two and every ``bet_step`` between them. A raise is never short (D15),
    and where all-in exists somebody else must be able to answer it (D7).
    """
    highest = int(g.highest_bet)
    if highest == 0:
        least, most = int(r.min_bet), int(r.max_bet)
    else:
        least, most = int(r.min_raise), int(r.max_raise)
        if g.raises >= r.max_raises:
            return 0, -1
    reach = int(g.credits[seat]) - to_call(g, seat)
    most = min(most, reach - reach % int(r.bet_step))
    if most < least or (r.all_in == 1 and not another_has_credits(g, seat)):
        return 0, -1
    return highest + least, highest + most


@jit
def sized_total(
    g: Record, r: Record, seat: int, low: int, high: int, numerator: int, denominator: int
) -> int:
    """Return the total that a bet size means on the grid from low to high.

    A fraction means the highest bet + fraction * (everything staked in this hand + the call),
    rounded down to the grid and clipped to it.
    """
    if numerator == BET_MIN:
        return low
    if numerator == BET_MAX:
        return high
    call = to_call(g, seat)
    total = int(g.highest_bet) + (int(g.staked) + call) * numerator // denominator
    if total <= low:
        return low
    return min(high, total - (total - low) % int(r.bet_step))


@jit
def call(g: Record, seat: int) -> None:
    """Match the highest bet, or go all-in for less."""
    bet(g, seat, min(to_call(g, seat), int(g.credits[seat])))


@jit
def raise_to(g: Record, seat: int, total: int) -> None:
    """Bet or raise to a total for this phase: everyone else left acts again."""
    if g.highest_bet > 0:
        g.raises = int(g.raises) + 1
    bet(g, seat, total - int(g.bet_phase[seat]))
    g.highest_bet = total
    g.to_go = int(g.remaining) & ~(1 << seat)
