"""The pots at the end of a hand, computed from the bets alone (RULES.md section 5, "Pots")."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Pot = tuple[int, tuple[int, ...]]


def excess(bets: Sequence[int]) -> tuple[int, int]:
    """Return the highest bettor and how much it bet above the second-highest bet.

    "Junked seats' bets count; the highest bettor may itself have junked."
    """
    second, highest = sorted(bets)[-2:]
    return bets.index(highest), highest - second


def layers(bets: Sequence[int], remaining: Collection[int], dead_money: int) -> list[Pot]:
    """Cut the bets of a whole hand into (amount, eligible seats), the main pot first.

    "Layers are cut at the distinct bet totals of the seats that remain", each of which can win
    "only the layers it paid into in full". Dead money is in the main pot (D8). What junked seats
    bet above every remaining seat has lost all its eligible seats: it joins the outermost pot.
    """
    pots: list[Pot] = []
    floor = 0
    for level in sorted({bets[seat] for seat in remaining}):
        amount = sum(min(bet, level) - min(bet, floor) for bet in bets)
        eligible = tuple(seat for seat in sorted(remaining) if bets[seat] >= level)
        pots.append((amount, eligible))
        floor = level
    orphaned = sum(max(bet - floor, 0) for bet in bets)
    pots[-1] = (pots[-1][0] + orphaned, pots[-1][1])
    pots[0] = (pots[0][0] + dead_money, pots[0][1])
    return pots
