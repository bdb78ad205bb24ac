"""Luck against skill: how soon a margin shows through the chance of the cards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from sabacc_training.reports.model import Interval, Standing

NUMBERS_OF_HANDS: Final = (1, 10, 100, 1_000, 10_000, 100_000)
"""After how many hands the chance to be ahead is said."""


def chance_ahead(margin: float, hand_sd: float, hands: float) -> float:
    """Return the probability that an agent is ahead after so many hands.

    The sum of many hands is nearly normal, so this is Phi(margin sqrt(hands) / hand_sd). For a few
    hands it is only a guide: one hand is far from normal.

    >>> chance_ahead(0.0, 3000.0, 100), round(chance_ahead(300.0, 3000.0, 100), 3)
    (0.5, 0.841)
    """
    if hand_sd == 0:
        return 0.5 if margin == 0 else float(margin > 0)
    return 0.5 * (1 + math.erf(margin * math.sqrt(hands) / hand_sd / math.sqrt(2)))


@dataclass(frozen=True)
class Luck:
    """What of an agent's result is luck.

    Attributes:
        luck: what chance gave it in this tournament, raw less reduced margin, in mante/hand; None
            without control variates.
        hands_needed: how many hands of the same tournament the raw interval needs to exclude zero;
            None where it does not yet: then nobody knows.
        reduced_hands_needed: the same of the reduced interval.
    """

    luck: float | None
    hands_needed: float | None
    reduced_hands_needed: float | None


def luck_of(standing: Standing) -> Luck:
    """Return what of a standing is luck."""
    raw, reduced = standing.margin.raw, standing.margin.reduced
    return Luck(
        None if reduced is None else raw.mean - reduced.mean,
        _hands_needed(raw, standing.hands),
        None if reduced is None else _hands_needed(reduced, standing.hands),
    )


def _hands_needed(interval: Interval, hands: int) -> float | None:
    """Return after how many of these hands the interval excluded zero: it narrows as 1/sqrt."""
    if not interval.tells_from_zero:
        return None
    return hands * (interval.half_width / interval.mean) ** 2
