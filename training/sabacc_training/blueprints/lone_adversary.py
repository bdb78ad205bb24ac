"""An adversary that learns alone, against a blueprint that does not change.

It is a response within the abstract game. What it wins is a lower bound of what the blueprint can
lose, as that of any opponent, where its strategy is played on the engine.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from sabacc_agents.blueprint.blueprint import Blueprint

from sabacc_env.actions import CALL as CALL_ACTION
from sabacc_env.actions import FIRST_BET
from sabacc_env.actions import JUNK as JUNK_ACTION
from sabacc_training.blueprints.adversary_agent import AdversaryAgent
from sabacc_training.blueprints.game import CALL, FIRST_RAISE, JUNK, abstract_game
from sabacc_training.blueprints.solver import run_walks
from sabacc_training.blueprints.spike_cards import cards_of
from sabacc_training.blueprints.workspace import new_tables, new_workspace

WALKS_PER_EPOCH = 2_000
"""What is learnt in an epoch weighs as its number."""

NUM_ROWS: Final = 1 << 21
"""Twice as many as 100,000 walks of casino at 50 antes nearly fill."""


class LoneAdversary:
    """The state of Monte Carlo CFR in which only the adversary learns.

    Args:
        blueprint: the agent.
        stack: what both seats have at the start of a hand, in antes.
        seed: decides all that is random.

    Attributes:
        epochs: the number of epochs so far, of ``WALKS_PER_EPOCH`` walks each.
    """

    def __init__(self, blueprint: Blueprint, stack: float, seed: int = 0) -> None:
        rules, bet_sizes = blueprint.rules, blueprint.bet_sizes
        sizes = [int(a) - FIRST_BET for a in blueprint.actions if a >= FIRST_BET]
        self._blueprint = blueprint
        ante = rules.ante_unit
        self._stack = round(stack * ante) - ante
        self._seed = seed
        agent_sizes = [bet_sizes[size] for size in sizes]
        number = int(blueprint.nearest_stacks(np.array([stack]))[0])
        solved = round((blueprint.stacks[number] - 1) * ante)
        self._game = abstract_game(rules, bet_sizes, agent_sizes, blueprint.codes)._replace(
            stretch=solved / self._stack
        )
        self._cards, self._agent_hands, _ = cards_of(rules, self._game)
        self._tables = new_tables(rules, self._game, NUM_ROWS)
        self._workspace = new_workspace(self._game)
        self.epochs = 0
        # Regret matching of a policy, taken as regrets, is this policy.
        stacks, states = np.divmod(blueprint.states, blueprint.num_states)
        bets = {JUNK_ACTION: JUNK, CALL_ACTION: CALL}
        columns = [bets.get(int(a), FIRST_RAISE + int(a) - FIRST_BET) for a in blueprint.actions]
        known = stacks == number
        policy = blueprint.policy[known].transpose(0, 2, 1)
        self._tables.agent_regrets[np.ix_(states[known], columns)] = policy

    def run_epoch(self) -> float:
        """Run an epoch; return what the strategies of the adversary won, in antes a hand."""
        won = run_walks(
            self._game,
            self._cards,
            self._tables,
            self._workspace,
            self._agent_hands,
            self._stack,
            self.epochs,
            self._seed,
            self.epochs * WALKS_PER_EPOCH,
            WALKS_PER_EPOCH,
            False,
        )
        self.epochs += 1
        return won / WALKS_PER_EPOCH

    def agent(self) -> AdversaryAgent:
        """Return an agent that plays the present strategy."""
        blueprint = self._blueprint
        return AdversaryAgent(
            blueprint.rules, blueprint.bet_sizes, self._game, self._cards, self._tables
        )
