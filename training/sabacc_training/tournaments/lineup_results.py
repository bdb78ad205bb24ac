"""What was played at one lineup: its tasks put together in the order of the deals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_training.evaluation.margins import place_margins
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.tasks import COSTLIEST, TaskResult

COUNTS = "failures", "moves", "moves_by_hand", "reveals"
"""The arrays that add up over tasks."""


@dataclass(frozen=True, eq=False)
class LineupResult:
    """What was played at one lineup.

    Attributes:
        lineup: the agents.
        margins: (deals, places) float64, each place's margin in mante/hand. In matches the mean is
            the margin of all matches over the hands of all, and the values are linearised about it,
            so that their deviation gives the interval of such a ratio (the delta method).
        ranks: (deals, places) float64 of matches, the mean over rotations; None for single hands.
        rank_counts: (places, places), how often a place came first, second, ...; a shared rank
            counts as the better one.
        hands: how many hands were played.
        hand_sd: (places,), standard deviation of one episode's margin, as if each deal were played
            in one rotation alone, in mante/hand.
        counts: sums of the arrays named in ``COUNTS``.
        costliest: the single hands that cost a place most, the worst first.
        messages: of each place the first message of each kind of failure.
    """

    lineup: Lineup
    margins: NDArray[np.float64]
    ranks: NDArray[np.float64] | None
    rank_counts: NDArray[np.int64]
    hands: int
    hand_sd: NDArray[np.float64]
    counts: dict[str, NDArray[np.int64]]
    costliest: list[dict[str, Any]]
    messages: list[dict[str, str]]

    def margin(self, place: int) -> Estimate:
        """Return the margin of a place."""
        return Estimate.from_values(self.margins[:, place])

    def saving(self, place: int) -> float | None:
        """Return how many times as many hands an equally narrow interval needs without duplicates.

        A deal has a hand in each rotation, so it is the variance of one hand over that of a deal
        times the rotations. None where all deals have the same margin.
        """
        duplicate = len(self.lineup) * self.margin(place).sd ** 2
        return float(self.hand_sd[place]) ** 2 / duplicate if duplicate else None


def lineup_result(lineup: Lineup, tasks: Iterable[TaskResult], ante_unit: int) -> LineupResult:
    """Put tasks of a lineup together, which are given in the order of their deals."""
    results = list(tasks)
    net = np.concatenate([each.arrays["net_credits"] for each in results])
    deals, places = net.shape[0], net.shape[2]
    margins = place_margins(net, ante_unit)
    hand_sd = _hand_margins(net, ante_unit).std(axis=(0, 1), ddof=1)
    hands, ranks = deals * places, None
    rank_counts = np.zeros((places, places), dtype=np.int64)
    if "hands" in results[0].arrays:
        by_deal = np.concatenate([each.arrays["hands"] for each in results]).mean(axis=1)
        mean = by_deal.mean()
        ratios = margins.mean(axis=0) / mean
        margins = ratios + (margins - ratios * by_deal[:, None]) / mean
        hand_sd /= mean
        hands = round(by_deal.sum() * places)
        all_ranks = np.concatenate([each.arrays["ranks"] for each in results])
        ranks = all_ranks.mean(axis=1)
        for place in range(places):
            counted = np.floor(all_ranks[..., place]).astype(np.int64).ravel()
            rank_counts[place] = np.bincount(counted - 1, minlength=places)
    messages: list[dict[str, str]] = [{} for _ in lineup]
    for each in results:
        for known, new in zip(messages, each.messages, strict=True):
            known.update({kind: text for kind, text in new.items() if kind not in known})
    hands_found = [hand for each in results for hand in each.costliest]
    return LineupResult(
        lineup,
        margins,
        ranks,
        rank_counts,
        hands,
        hand_sd,
        {name: np.sum([each.arrays[name] for each in results], axis=0) for name in COUNTS},
        sorted(hands_found, key=lambda hand: (-hand["cost"], hand["deal"], hand["rotation"]))[
            :COSTLIEST
        ],
        messages,
    )


def _hand_margins(net: NDArray[np.int64], ante_unit: int) -> NDArray[np.float64]:
    """Return the margin of each place in each rotation by itself, (deals, rotations, places)."""
    deals, rotations, places = net.shape
    alone = net.reshape(deals * rotations, 1, places)
    return place_margins(alone, ante_unit).reshape(net.shape)
