"""How agents play: counts of their moves, and the hands that cost them most."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import FIRST_BET_ACTION, FIRST_CARD_ACTION, KINDS, MAX_HAND, RAISE
from sabacc_env.engine.observation.blocks import COLUMNS
from sabacc_env.engine.ranking import LOWEST_PLACE, PLACE_SHIFT
from sabacc_env.game import Game
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.observation import blocks
from sabacc_training.evaluation.playing import DealTables, PlayedDeals

ROUNDS: Final = ("opening bet", "round 1", "round 2", "round 3", "round 4 or later")
MAX_TOTAL: Final = 15
"""Larger totals are counted as this one."""


class PlayStatistics:
    """Watches the loop of ``play_deals`` and counts.

    Args:
        dealt: its tables.
        ranking: the ranking of hands in play.
    """

    def __init__(self, dealt: DealTables, ranking: str) -> None:
        self._dealt, self._places = dealt, dealt.num_players
        self._decisions: list[NDArray[np.int64]] = []  # of each step: (columns, n)
        self.reveals = np.zeros((self._places, len(HAND_NAMES[ranking]), 2), dtype=np.int64)

    def before_step(self, playing: Ints, actions: Ints, probabilities: NDArray[np.float64]) -> None:
        """Record the decisions of one step."""
        dealt = self._dealt
        seen = blocks(dealt.tables.flat_observations)
        self._decisions.append(
            np.stack(
                [
                    dealt.deals[playing] * self._places + dealt.rotations[playing],
                    dealt.places(playing, dealt.tables.seats_to_act[playing]),
                    actions,
                    seen.round_no[playing].argmax(axis=1),
                    np.abs(np.rint(10 * seen.own_total[playing, COLUMNS.own_total.total])),
                    LOWEST_PLACE
                    - np.rint(LOWEST_PLACE * seen.own_rank[playing, COLUMNS.own_rank.place]),
                ],
                dtype=np.int64,
                casting="unsafe",
            )
        )

    def after_step(self, playing: Ints) -> None:
        """Count the hands that were revealed."""
        dealt = self._dealt
        ended = playing[dealt.tables.finished[playing]]
        if not len(ended):
            return
        outcomes = dealt.tables.final_outcomes(ended)
        for seat in range(self._places):
            shown = (outcomes["revealed"] >> seat & 1).astype(bool)
            strengths: Ints = outcomes["strengths"][shown, seat]
            ranks = LOWEST_PLACE - (strengths >> PLACE_SHIFT) - 1
            places = dealt.places(ended[shown], np.full(len(ranks), seat))
            won = outcomes["winners"][shown, 0] == seat
            shape = self._places, self.reveals.shape[1]
            self.reveals[..., 0] += _counted((places, ranks), shape)
            self.reveals[..., 1] += _counted((places[won], ranks[won]), shape)

    def counts(self) -> dict[str, NDArray[np.int64]]:
        """Return counts of actions and hands at each place.

        Returns:
            ``moves`` (places, rounds, totals, kinds), by ``ROUNDS`` and the total of the own hand
            without its sign, at most ``MAX_TOTAL``; ``moves_by_hand`` (places, hands, kinds), by
            what the own hand would rank, as ``HAND_NAMES`` lists them; ``reveals`` (places, hands,
            2), how often a hand was revealed, and how often it won the main pot. The kinds are
            ``KINDS``.
        """
        _, place, action, round_no, total, rank = self._log
        kind = KIND_OF_ACTION[np.minimum(action, FIRST_BET_ACTION)]
        total, hands = np.minimum(total, MAX_TOTAL), self.reveals.shape[1]
        rows = self._places, len(ROUNDS), MAX_TOTAL + 1, len(KINDS)
        ranked = place, np.clip(rank - 1, 0, hands - 1), kind
        return {
            "moves": _counted((place, round_no, total, kind), rows),
            "moves_by_hand": _counted(ranked, (self._places, hands, len(KINDS))),
            "reveals": self.reveals,
        }

    def actions(self, episode: int) -> list[int]:
        """Return the actions of an episode, deal * places + rotation, in order."""
        return [int(action) for action in self._log[2, self._log[0] == episode]]

    @cached_property
    def _log(self) -> NDArray[np.int64]:
        """All decisions, (columns, n), when everything has been played."""
        return np.concatenate(self._decisions, axis=1)


def _counted(indices: tuple[Ints, ...], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return how often each combination of indices occurs, of this shape."""
    flat = np.ravel_multi_index(indices, shape)
    return np.bincount(flat, minlength=math.prod(shape)).reshape(shape)


def _kinds() -> NDArray[np.int64]:
    """Return the kind of each action up to the first bet."""
    cards = np.repeat(np.arange(FIRST_CARD_ACTION, RAISE), MAX_HAND)
    return np.concatenate([np.arange(FIRST_CARD_ACTION), cards, [RAISE]])


KIND_OF_ACTION: Final = _kinds()


def costliest(
    played: PlayedDeals, first_deal: int, count: int, replay: Callable[[int], list[Game]]
) -> list[dict[str, Any]]:
    """Return the hands in which a place lost most for its cards, the worst first.

    What a single hand cost is what the place won less than all places did on average from the same
    seat of the same deal: with the same cards, against the others. Of a match that is said of the
    whole match, whose later hands have other stacks; the hand is the one in which the place lost
    most.

    Args:
        played: the deals.
        first_deal: the number of the first of these deals.
        count: how many hands.
        replay: returns the hands of an episode, deal * places + rotation, each at its end.

    Returns:
        Of each: ``deal``, ``rotation``, ``place``, ``cost`` in credits, and ``hand``, what
        ``Game.to_dict`` describes without the rules: start, episode, moves and state.
    """
    net = played.net_credits
    places = net.shape[2]
    rotations, where = np.arange(places)[:, None], np.arange(places)[None, :]
    by_seat = net[:, rotations, (where - rotations) % places].sum(axis=1)
    excess = places * net - by_seat[:, (where + rotations) % places]  # times the places
    worst = excess.min(axis=2).ravel()
    found = []
    for episode in np.argsort(worst, kind="stable")[:count].tolist():
        deal, rotation = divmod(episode, places)
        place = int(excess[deal, rotation].argmin())
        seat = (place + rotation) % places
        ended = [game.to_dict() for game in replay(episode)]
        hand = min(ended, key=lambda each: each["state"]["net_credits"][seat])
        del hand["rules"]
        found.append(
            {
                "deal": first_deal + deal,
                "rotation": rotation,
                "place": place,
                "cost": -int(worst[episode]) / places,
                "hand": hand,
            }
        )
    return found
