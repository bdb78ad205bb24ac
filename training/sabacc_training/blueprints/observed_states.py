"""Observations as states of the abstract game, as the adversary knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.observed_turns import last_kinds_of, turns_of
from sabacc_agents.blueprint.public_states import STAND
from sabacc_agents.expectation.backward_induction import stages

from sabacc_env.array_types import Bools, Floats, Ints
from sabacc_env.engine.layout import REDRAW_ONE
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import DecodedObservations, decode
from sabacc_env.rules import RuleSet
from sabacc_training.blueprints.game import Game
from sabacc_training.blueprints.states import FIRST_KIND, FIRST_REDRAW, NUM_EVENTS, new_states


def states_of(observations: Floats, game: Game, rules: RuleSet) -> NDArray[Any]:
    """Return the states in which observations were made, (n,) STATE.

    The own course is left out: ``adversary_state`` and ``card_state`` do not ask for it.

    Args:
        observations: (n, OBSERVATION_SIZE) float32 of turns at tables of two, bets or cards.
        game: the abstract game.
        rules: its rules.
    """
    decoded = decode(observations)
    turns = turns_of(observations, rules)
    states = new_states(len(observations))
    for number, stage in enumerate(stages(rules)):
        states["stage"][_is_at(decoded, *stage)] = number
    for name in ("position", "raises", "history", "redrawn"):
        states[name] = turns[name]
    states["acted"] = np.where(decoded.is_betting, 0, turns["position"])
    every, own, other = np.arange(len(states)), turns["position"], 1 - turns["position"]
    credits = starting_credits(rules, 2)[0]
    other_bets = decoded.opponents.hand_bets_per_start[:, 0]
    for place, seat in enumerate((own, other)):
        bets = decoded.hand_bets_per_start if place == 0 else other_bets
        states["bets"][every, seat] = np.rint(bets * credits)
        states["kinds"][every, seat] = turns["kinds"][:, place]
        states["stood"][every, seat] = turns["stood"][:, place]
        states["known"][every, seat] = turns["known"][:, place]
        states["spikes"][every, seat] = turns["spikes"][:, place]
    states["phase_bets"][every, other] = np.rint(decoded.to_call_per_start * credits)
    if not rules.spike_card or game.price:
        states["courses"][every, other] = _courses(decoded, turns["position"], game, rules)
    return states


def _is_at(decoded: DecodedObservations, number: int, phase: str) -> Bools:
    """Return whether it is the betting or card phase of a round."""
    if phase == "dice":
        return np.zeros(len(decoded.round), np.bool_)
    return np.asarray((decoded.round == number) & (decoded.is_betting == (phase == "betting")))


def _courses(decoded: DecodedObservations, positions: Ints, game: Game, rules: RuleSet) -> Ints:
    """Return what happened to the cards of the other seat, as ``states.add_event`` has it."""
    courses = np.zeros(len(positions), np.int64)
    acts_now = decoded.is_betting | (positions == 1)
    kinds, kind_of = decoded.opponents.card_actions[:, 0], last_kinds_of(rules)
    for place in range(rules.rounds if "cards" in rules.phases else 0):
        number = place + 1
        has_acted = (decoded.round > number) | ((decoded.round == number) & acts_now)
        kind = np.where(kinds[:, place] >= 0, kind_of[kinds[:, place]], STAND)
        event = FIRST_KIND + np.maximum(kind, STAND)
        courses = np.where(has_acted, courses * NUM_EVENTS + event, courses)
        first, second = decoded.dice[:, place].T
        outcome = np.where((first != second) | (first == 0), 0, np.where(first == 1, 2, 1))
        how = game.redraws[outcome]
        event = FIRST_REDRAW + how - REDRAW_ONE
        courses = np.where(how >= REDRAW_ONE, courses * NUM_EVENTS + event, courses)
    return courses
