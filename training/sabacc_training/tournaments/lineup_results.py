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

COUNTS = "failures", "restarts", "usage", "moves", "moves_by_hand", "reveals"
"""The arrays that add up over tasks."""


@dataclass(frozen=True, eq=False)
class LineupResult:
    """What was played at one lineup.

    Attributes:
        lineup: the agents.
        margins: (deals, places) float64, each place's margin in mante/hand. In matches the mean is
            the margin of all matches over the hands of all, and the values are linearised about it,
            so that their deviation gives the interval of such a ratio (the delta method).
        reduced: the margins with control variates taken off; None where there are none.
        ranks: (deals, places) float64 of matches, the mean over rotations; None for single hands.
        rank_counts: (places, places), how often a place came first, second, ...; a shared rank
            counts as the better one.
        hands: how many hands were played.
        hand_sd: (places,), standard deviation of one episode's margin, as if each deal were played
            in one rotation alone, in mante/hand.
        counts: sums of the arrays named in ``COUNTS``.
        costliest: the hands that cost a place most, the worst first.
        messages: of each place the first message of each kind of failure.
    """

    lineup: Lineup
    margins: NDArray[np.float64]
    reduced: NDArray[np.float64] | None
    ranks: NDArray[np.float64] | None
    rank_counts: NDArray[np.int64]
    hands: int
    hand_sd: NDArray[np.float64]
    counts: dict[str, NDArray[np.int64]]
    costliest: list[dict[str, Any]]
    messages: list[dict[str, str]]

    @property
    def scores(self) -> NDArray[np.float64]:
        """(deals, places): who came out ahead in a deal has more; of matches by the places."""
        return self.margins if self.ranks is None else -self.ranks

    def margin(self, place: int) -> Estimate:
        """Return the margin of a place."""
        return Estimate.from_values(self.margins[:, place])

    def reduced_margin(self, place: int) -> Estimate | None:
        """Return the margin of a place with control variates taken off."""
        return None if self.reduced is None else Estimate.from_values(self.reduced[:, place])

    def rank(self, place: int) -> Estimate | None:
        """Return the mean rank of a place in matches."""
        return None if self.ranks is None else Estimate.from_values(self.ranks[:, place])

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
    names = results[0].arrays.keys()
    joined = {
        name: np.concatenate([each.arrays[name] for each in results])
        for name in ("net_credits", "corrections", "hands", "ranks")
        if name in names
    }
    net = joined["net_credits"]
    deals, places = net.shape[0], net.shape[2]
    hands = joined.get("hands", np.ones((deals, places)))
    ranks = joined.get("ranks")
    reduced = None
    if "corrections" in joined:
        reduced = _margins(net - joined["corrections"], hands, ante_unit)
    messages: list[dict[str, str]] = [{} for _ in lineup]
    for each in results:
        for known, new in zip(messages, each.messages, strict=True):
            known.update({kind: text for kind, text in new.items() if kind not in known})
    hands_found = [hand for each in results for hand in each.costliest]
    return LineupResult(
        lineup,
        margins=_margins(net, hands, ante_unit),
        reduced=reduced,
        ranks=None if ranks is None else ranks.mean(axis=1),
        rank_counts=_rank_counts(ranks, places),
        hands=round(hands.sum()),
        hand_sd=_hand_margins(net, ante_unit).std(axis=(0, 1), ddof=1) / hands.mean(),
        counts={name: np.sum([each.arrays[name] for each in results], axis=0) for name in COUNTS},
        costliest=sorted(
            hands_found, key=lambda hand: (-hand["cost"], hand["deal"], hand["rotation"])
        )[:COSTLIEST],
        messages=messages,
    )


def _margins(net: NDArray[Any], hands: NDArray[Any], ante_unit: int) -> NDArray[np.float64]:
    """Return the margin of each place in each deal a hand, (deals, places); see ``margins``."""
    margins, by_deal = place_margins(net, ante_unit), hands.mean(axis=1)
    mean = by_deal.mean()
    ratios = margins.mean(axis=0) / mean
    return np.asarray(margins / mean - ratios * (by_deal[:, None] / mean - 1))


def _rank_counts(ranks: NDArray[np.float64] | None, places: int) -> NDArray[np.int64]:
    """Return how often each place had each rank, (places, ranks)."""
    if ranks is None:
        return np.zeros((places, places), dtype=np.int64)
    whole = np.floor(ranks).astype(np.int64)
    return np.stack([(whole == rank).sum(axis=(0, 1)) for rank in range(1, places + 1)], axis=1)


def _hand_margins(net: NDArray[np.int64], ante_unit: int) -> NDArray[np.float64]:
    """Return the margin of each place in each rotation by itself, (deals, rotations, places)."""
    deals, rotations, places = net.shape
    alone = net.reshape(deals * rotations, 1, places)
    return place_margins(alone, ante_unit).reshape(net.shape)
