"""The abstract game has the engine's bets, and the states that observations show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sabacc_agents.blueprint.card_choices import free_actions
from sabacc_agents.blueprint.observed_turns import public_states_of, stacks_of
from sabacc_agents.blueprint.public_states import CARD_KINDS, seen_kind
from sabacc_agents.expectation.backward_induction import stages
from sabacc_training.blueprints.adversary_states import adversary_state
from sabacc_training.blueprints.bet_turns import junk_value
from sabacc_training.blueprints.card_states import card_state
from sabacc_training.blueprints.game import (
    BETTING,
    CALL,
    CARDS,
    DICE,
    FIRST_RAISE,
    JUNK,
    Game,
    abstract_game,
)
from sabacc_training.blueprints.observed_states import states_of
from sabacc_training.blueprints.states import (
    apply_bet,
    begin_cards,
    bet_public_state,
    end_betting,
    new_states,
    next_stage,
    note_kind,
    redraw,
    write_legal,
)

from sabacc_env import SabaccError, Tables, load_rules
from sabacc_env import actions as engine_actions
from sabacc_env.actions import DEFAULT_BET_SIZES, FIRST_BET
from sabacc_env.engine.layout import KIND_OF_ACTION, KINDS, PHASES, REDRAW_ONE
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet

STRETCH = 1.3
"""Of stacks behind a call, where an agent was not solved for the stack."""

GAMES: dict[str, dict[str, Any]] = {
    "casino": {},
    "casino, short stacks": {"starting_credits": 26},
    "casino, limits": {"max_bet": 6, "max_raise": 9, "max_raises": 2, "min_raise": 3},
    "spacers": {},
    "orsl, all-in": {"short_call": "all_in", "starting_credits": 200},
    "three_en, all-in": {"short_call": "all_in", "junk_penalty": 20, "starting_credits": 90},
    "orsl, limits": {"max_bet": 20, "max_raise": 40},
    "spacers, short stacks": {"starting_credits": 9, "sabacc_ante": 1, "hand_ante": 2},
}


@pytest.mark.parametrize("name", GAMES)
def test_bets_and_public_states_are_those_of_the_engine(name: str) -> None:
    rules = load_rules(name.partition(",")[0], **GAMES[name])
    tables = Tables(rules, 300, 2, seed=3)
    hands = Hands(rules, 300)
    free = free_actions(rules)[: tables.action_masks.shape[1]]
    rng = np.random.default_rng(5)
    playing = np.arange(300)
    compared = junked = 0
    while len(playing):
        observations, masks = tables.flat_observations[playing], tables.action_masks[playing]
        hands.reach(playing, observations)
        hands.compare_states(playing, observations)
        compared += hands.compare(playing, observations, masks)
        chosen = rng.random(masks.shape) * masks * free
        chosen[:, engine_actions.JUNK] *= 0.3  # hands that go on are worth more here
        actions = chosen.argmax(axis=1)
        hands.play(playing, observations, actions)
        seats = tables.seats_to_act[playing].copy()
        tables.step(actions, playing)
        for row in np.flatnonzero(
            (actions == engine_actions.JUNK) & (masks[:, engine_actions.CALL] > 0)
        ):
            table, seat = playing[row], seats[row]
            lost = -hands.junk_value(table)
            assert np.isclose(lost, -tables.net_credits[table, seat] - rules.sabacc_ante)
            junked += 1
        playing = playing[~tables.finished[playing]]
    assert compared > 1_000
    assert junked > 10


class Hands:
    """The abstract states of hands that the engine plays, one at each table."""

    def __init__(self, rules: RuleSet, count: int) -> None:
        self.rules = rules
        self.game = abstract_game(rules, DEFAULT_BET_SIZES, DEFAULT_BET_SIZES)
        self.states = new_states(count)
        self.begun = np.full(count, -1)  # the last card phase that was begun
        assert isinstance(rules.starting_credits, int)
        self.stack = rules.starting_credits - rules.hand_ante - rules.sabacc_ante

    def reach(self, tables: Any, observations: Any) -> None:
        """Play on to the decisions that the engine asks for."""
        decoded = decode(observations)
        for row, table in enumerate(tables):
            s = self.states[table]
            while True:
                phase = self.game.phases[s["stage"]]
                if phase == DICE:
                    number, _ = stages(self.rules)[s["stage"]]
                    first, second = decoded.dice[row, number - 1]
                    effect = 0 if first != second else 2 if first == 1 else 1
                    how = int(self.game.redraws[effect])
                    if how >= REDRAW_ONE:
                        redraw(s, how)
                    next_stage(s)
                elif phase == BETTING and s["bets"].min() == self.stack:
                    end_betting(self.game, s)
                else:
                    break
            if phase == CARDS and self.begun[table] != s["stage"]:
                begin_cards(s)
                self.begun[table] = s["stage"]

    def compare(self, tables: Any, observations: Any, masks: Any) -> int:
        """Compare all betting turns; return how many there were."""
        betting = np.flatnonzero(decode(observations).is_betting)
        if not len(betting):
            return 0
        states, stretched = (
            public_states_of(
                observations[betting], self.rules, np.full(len(betting), stretch), self.game.codes
            )
            for stretch in (1.0, STRETCH)
        )
        deeper = self.game._replace(stretch=STRETCH)
        unclear = self.unclear(observations)[betting]
        legal, raises = np.zeros(6, np.bool_), np.zeros(6, np.int64)
        for row, found, other, is_unclear in zip(betting, states, stretched, unclear, strict=True):
            s = self.states[tables[row]]
            write_legal(self.game, s, self.stack, False, legal, raises)
            mask = masks[row]
            if self.rules.junk_when == "facing_bet" or legal[JUNK]:
                assert legal[JUNK] == mask[engine_actions.JUNK]
            assert mask[engine_actions.CHECK] or mask[engine_actions.CALL]
            assert legal[FIRST_RAISE:].tolist() == mask[FIRST_BET:].astype(bool).tolist()
            assert is_unclear or found == bet_public_state(self.game, s, self.stack)
            assert is_unclear or other == bet_public_state(deeper, s, self.stack)
        return len(betting) - int(unclear.sum())

    def unclear(self, observations: Any) -> Any:
        """Say whether observations do not show the public state for sure.

        The log may be full. Of several cards that swaps took nobody sees which came last.
        """
        decoded = decode(observations)
        swaps = np.stack([decoded.own_known, decoded.opponents.known[:, 0]]).sum(axis=2)
        return (decoded.log_kinds[:, -1] >= 0) | (swaps > 1).any(axis=0)

    def compare_states(self, tables: Any, observations: Any) -> None:
        """Compare the states in which the adversary acts with those that observations show."""
        decoded = decode(observations)
        rows = np.flatnonzero(decoded.is_betting | (decoded.phase == PHASES.index("cards")))
        found = states_of(observations[rows], self.game, self.rules)
        stacks, unclear = stacks_of(observations[rows], self.rules), self.unclear(observations)
        for row, shown, stack in zip(rows, found, stacks, strict=True):
            s = self.states[tables[row]]
            assert stack == self.stack
            assert shown["stage"] == s["stage"]
            if unclear[row]:
                continue
            if decoded.is_betting[row]:
                assert adversary_state(self.game, shown) == adversary_state(self.game, s)
            else:
                expected = card_state(self.game, s, self.stack)
                assert card_state(self.game, shown, self.stack) == expected

    def junk_value(self, table: int) -> float:
        """Return the margin of the seat to act if it junks, in credits."""
        value = junk_value(self.game, self.states[table], self.stack)
        return value * (self.rules.hand_ante + self.rules.sabacc_ante)

    def play(self, tables: Any, observations: Any, actions: Any) -> None:
        """Play the engine's actions."""
        decoded = decode(observations)
        phases, tops = decoded.phase, decoded.top_discard + 10
        legal, raises = np.zeros(6, np.bool_), np.zeros(6, np.int64)
        for table, action, phase, top in zip(tables, actions, phases, tops, strict=True):
            s = self.states[table]
            if phase == PHASES.index("cards"):
                note_kind(s, seen_kind(CARD_KINDS.index(KINDS[KIND_OF_ACTION[action]]), top))
            elif phase == PHASES.index("betting") and action != engine_actions.JUNK:
                bet = FIRST_RAISE + action - FIRST_BET if action >= FIRST_BET else CALL
                write_legal(self.game, s, self.stack, False, legal, raises)
                apply_bet(self.game, s, self.stack, bet, raises)


@pytest.mark.parametrize(
    ("rules", "overrides", "reason"),
    [
        ("black_spire", {}, "no betting"),
        (
            "yarith_bespin",
            {"short_call": "all_in", "card_actions": ["stand", "draw", "replace"]},
            "a Spike Card, all-in and other card actions",
        ),
        ("yarith_bespin", {"max_bet": 100}, "a Spike Card and limits of bets"),
        ("yarith_bespin", {"fees": {}}, "other card actions"),
        ("yarith_bespin", {"doubles": "none"}, "a Spike Card and other doubles"),
        (
            "yarith_bespin",
            {"phases": ["betting", "cards", "dice"]},
            "a Spike Card and another order of phases",
        ),
        ("casino", {"card_actions": ["stand", "buy_discard"]}, "other card actions"),
        ("casino", {"rounds": 4, "cards_dealt": 1}, "more than three rounds"),
        ("casino", {"look_then_discard": True}, "look_then_discard"),
        ("casino", {"seats": (3, 8)}, "no tables of two"),
    ],
)
def test_other_rules_are_refused(rules: str, overrides: dict[str, Any], reason: str) -> None:
    with pytest.raises(SabaccError, match=f"no blueprint can be solved for rules with {reason}"):
        game_of(load_rules(rules, **overrides))


def test_the_agent_bets_only_sizes_of_its_own() -> None:
    game = abstract_game(load_rules("casino"), DEFAULT_BET_SIZES, (1,))
    s = new_states(1)[0]
    s["stage"] = 2
    legal, raises = np.zeros(6, np.bool_), np.zeros(6, np.int64)
    write_legal(game, s, 100, True, legal, raises)
    assert legal.tolist() == [False, True, False, False, True, False]
    assert raises[FIRST_RAISE + 2] == 4  # a pot of the two antes
    with pytest.raises(SabaccError, match="agent_sizes: give one or more of the bet sizes"):
        abstract_game(load_rules("casino"), DEFAULT_BET_SIZES, (0.7,))


def game_of(rules: RuleSet) -> Game:
    return abstract_game(rules, DEFAULT_BET_SIZES, DEFAULT_BET_SIZES)
