"""Solving an abstract game: epochs of walks, after each of which all sums are discounted.

After epoch t all sums are multiplied by t / (t + 1), so that an epoch's weight grows linearly
(linear CFR, Brown and Sandholm 2019).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.blueprint import Blueprint
from sabacc_agents.blueprint.buckets import HAND_BUCKETS

from sabacc_env.actions import CALL as CALL_ACTION
from sabacc_env.actions import FIRST_BET
from sabacc_env.actions import JUNK as JUNK_ACTION
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.game import CALL, FIRST_RAISE, JUNK, NO_KIND, Game, abstract_game
from sabacc_training.blueprints.hands import (
    Cards,
    cards_of,
    dealt_hand,
    decode_course,
    random_below,
    start_stream,
    uniform,
)
from sabacc_training.blueprints.sampling import total
from sabacc_training.blueprints.traversal import walk
from sabacc_training.blueprints.workspace import (
    LearntTables,
    Workspace,
    new_tables,
    new_workspace,
)


class BlueprintSolver:
    """The state of Monte Carlo CFR after some epochs.

    Attributes:
        config: the game and the settings.
        tables: what is learnt.
        epochs: the number of epochs so far.
    """

    def __init__(self, config: BlueprintConfig) -> None:
        self.config = config
        self._game = abstract_game(config.rule_set, config.bet_sizes, config.agent_sizes)
        self._cards, self._agent_hands, self._edges = cards_of(config.rule_set, self._game)
        self.tables = new_tables(config.rule_set, self._game)
        self._workspaces = [new_workspace(self._game) for _ in range(config.workers)]
        self.epochs = 0

    def run_epoch(self) -> float:
        """Run an epoch; return what the adversary's strategy won on average, in antes a hand.

        Workers learn side by side, each in tables of its own, and what they learnt is added up. So
        the result does not depend on the number of cores.
        """
        workers = len(self._workspaces)
        own = [self.tables, *(_copy(self.tables) for _ in range(workers - 1))]
        before = _copy(self.tables) if workers > 1 else self.tables
        with ThreadPoolExecutor(workers) as pool:
            margins = list(pool.map(self._run_worker, range(workers), own))
        for other in own[1:]:
            for sums, found, start in zip(self.tables, other, before, strict=True):
                sums += found
                sums -= start
        self.epochs += 1
        tables = self.tables
        for sums in (
            tables.agent_regrets,
            tables.agent_sums,
            tables.adversary_regrets,
            tables.kind_regrets,
        ):
            sums *= np.float32(self.epochs / (self.epochs + 1))
        return float(np.mean(margins))

    def _run_worker(self, worker: int, tables: LearntTables) -> float:
        config = self.config
        unit = config.rule_set.ante_unit
        margin = run_walks(
            self._game,
            self._cards,
            tables,
            self._workspaces[worker],
            self._agent_hands.hands,
            self._agent_hands.codes,
            self._agent_hands.first,
            config.rule_set.cards_dealt,
            config.stacks[0] * unit - unit,
            config.stacks[1] * unit - unit,
            config.seed,
            (self.epochs * len(self._workspaces) + worker) * config.walks,
            config.walks,
        )
        return margin / config.walks

    def blueprint(self) -> Blueprint:
        """Return the agent's average strategy."""
        config = self.config
        sizes = [i for i, size in enumerate(config.bet_sizes) if size in config.agent_sizes]
        columns = [JUNK, CALL, *(FIRST_RAISE + i for i in sizes)]
        states, policy = average_policy(self.tables.agent_sums[:, columns])
        return Blueprint(
            rules=config.rule_set,
            bet_sizes=config.bet_sizes,
            edges=self._edges,
            actions=np.array([JUNK_ACTION, CALL_ACTION, *(FIRST_BET + i for i in sizes)]),
            states=states,
            policy=policy,
            metadata={"epochs": self.epochs, **config.model_dump(mode="json", exclude={"rules"})},
        )


def average_policy(sums: NDArray[np.float32]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the public states that were met, (m,), and the policy in them, (m, buckets, actions).

    Args:
        sums: (public states * HAND_BUCKETS, actions) sums of strategies.
    """
    by_state = sums.reshape(-1, HAND_BUCKETS, sums.shape[1])
    states = np.flatnonzero(by_state.any(axis=(1, 2)))
    found = by_state[states]
    whole = np.maximum(found.sum(axis=2, keepdims=True), np.finfo(np.float32).tiny)
    return states.astype(np.int32), np.rint(found / whole * 255).astype(np.uint8)


def _copy(tables: LearntTables) -> LearntTables:
    return LearntTables(*(array.copy() for array in tables))


@jit
def run_walks(
    game: Game,
    cards: Cards,
    tables: LearntTables,
    w: Workspace,
    agent_hands: Array,
    codes: Array,
    first: Array,
    cards_dealt: int,
    smallest_stack: float,
    largest_stack: float,
    seed: int,
    first_walk: int,
    walks: int,
) -> float:
    """Run walks; return the sum of what the adversary's strategy won, in antes.

    In turn the agent and the adversary learn, and in turn they act first.
    """
    won = 0.0
    for number in range(first_walk, first_walk + walks):
        start_stream(w.rng, seed, number)
        w.hand[0] = int(smallest_stack + (largest_stack - smallest_stack) * uniform(w.rng))
        agent = number & 1
        w.hand[1] = agent
        for agent_learns in range(2):
            w.hand[2] = agent if agent_learns else 1 - agent
            begin_walk(game, cards, w, agent_hands, codes, first, cards_dealt)
            walk(game, cards, tables, w, 0)
            if not agent_learns:
                won += total(w.values[0]) / len(w.values[0])
    return won


@jit
def begin_walk(
    game: Game,
    cards: Cards,
    w: Workspace,
    agent_hands: Array,
    codes: Array,
    first: Array,
    cards_dealt: int,
) -> None:
    """Deal hands to both seats. Those of the agent share what is public of their courses."""
    code = int(codes[random_below(w.rng, len(codes))])
    decode_course(game, code, w.events)
    begin, end = int(first[code]), int(first[code + 1])
    s = w.states[0]
    s.stage, s.position, s.acted, s.raises, s.aggressor = 0, 0, 0, 0, 0
    s.history, s.redrawn = 0, 0
    s.bets[:] = 0
    s.phase_bets[:] = 0
    s.kinds[:] = NO_KIND
    s.stood[:] = 0
    count = w.weights.shape[1]
    for j in range(count):
        course = begin + random_below(w.rng, end - begin)
        for betting in range(len(w.agent_hands)):
            w.agent_hands[betting, j] = agent_hands[course, betting]
        w.adversary_hands[0, j] = dealt_hand(cards, w.rng, cards_dealt)
        w.weights[0, j] = 1 / count
