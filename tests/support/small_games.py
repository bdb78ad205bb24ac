"""Plays every deck of a small game with ``Game``, independently of the flattened tree.

The deck decides all chance of a hand, because nothing is reshuffled or rolled in these games.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
from sabacc_training.solved_games.rung import Rung
from sabacc_training.solved_games.suit_isomorphism import suits_are_isomorphic

from sabacc_env import Game
from sabacc_env.actions import encode_bet_sizes
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.search.game_tree import update_info_states
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.game.view import GameView

Facts = tuple[object, ...]


class Walk:
    """The results of playing every deck, with uniformly random actions.

    Attributes:
        values: the mean payoff of each seat, in antes.
        known: for each information state, the facts that views showed its seat on the way.
    """

    def __init__(self, rung: Rung) -> None:
        self.rung = rung
        self.values = np.zeros(rung.num_players)
        self.known: dict[int, set[Facts]] = {}
        self._buffers = TurnBuffers(rung.rule_set, encode_bet_sizes(rung.bet_sizes))
        decks = list(permutations(rung.rule_set.deck))
        for deck in decks:
            game = Game(
                rung.rule_set, rung.num_players, dealer=rung.num_players - 1, deck=deck, key=0
            )
            info_states = [0] * rung.num_players
            facts_before: list[Facts] = [()] * rung.num_players
            self._visit(game, 1 / len(decks), info_states, facts_before)

    def _visit(
        self, game: Game, chance: float, info_states: list[int], facts_before: list[Facts]
    ) -> None:
        if game.seat_to_act is None:
            assert game.to_dict()["state"] is not None
            self.values += chance * np.array(game.net_credits) / game.rules.ante_unit
            return
        seat = game.write_turn(self._buffers)
        mask = self._buffers.mask.copy()
        info_state = _update_info_state(
            self.rung, info_states[seat], self._buffers.observation, mask
        )
        facts = (*facts_before[seat], visible_facts_of(game.view(seat)))
        self.known.setdefault(info_state, set()).add(facts)
        actions = list(_distinct(game, mask))
        for action in actions:
            after = game.clone()
            after.play_action(self._buffers, action)
            self._visit(
                after,
                chance / len(actions),
                [info_state if other == seat else old for other, old in enumerate(info_states)],
                [facts if other == seat else old for other, old in enumerate(facts_before)],
            )


def _update_info_state(
    rung: Rung, info_state: int, observation: np.ndarray, mask: np.ndarray
) -> int:
    floats = observation.copy()
    info_states = np.array([info_state])
    rows = floats.view(OBSERVATION_DTYPE)
    legal = np.array([int(mask.astype(np.int64) @ (1 << np.arange(len(mask))))])
    isomorphic = suits_are_isomorphic(rung.rule_set)
    update_info_states(
        rows, floats.view(np.int32)[None], isomorphic, legal, np.zeros(1, np.int64), info_states
    )
    return int(info_states[0])


def visible_facts_of(view: GameView) -> Facts:
    """Return all facts in a view, with cards as values: no rung distinguishes suits."""

    def values(cards: object) -> object:
        return tuple(None if card is None else card.value for card in cards)  # type: ignore[attr-defined]

    return (
        values(view.hand),
        values([view.drawn_card]),
        tuple(values(cards) for cards in view.known_cards),
        values(view.spike_cards),
        values(view.discard_pile),
        values(view.taken_discards),
        tuple(sorted(card.value for card in view.seen_cards)),
        (view.hand_sizes, view.draw_pile_size, view.num_junked, view.phase, view.round),
        (view.credits, view.bets, view.bets_of_hand, view.pots, view.remaining),
        tuple(
            (turn.seat, turn.move.kind, turn.move.amount, values([turn.move.card]))
            for turn in view.history
        ),
    )


def _distinct(game: Game, mask: np.ndarray) -> Iterator[int]:
    """Yield the legal actions, but only one of those on equivalent cards of the hand."""
    seat = game.seat_to_act
    assert seat is not None
    known = set(game.known_cards(seat))
    met = set()
    hand = [(card.value, card in known) for card in game.hands[seat]]
    for action in np.flatnonzero(mask):
        slot = (action - 9) % 5 if 9 <= action < 29 else None
        what = (int(action) if slot is None else (action - 9) // 5, slot is not None and hand[slot])
        if what not in met:
            met.add(what)
            yield int(action)
