"""Solving an abstract game: epochs of walks, each for every stack.

What epoch t adds is weighted by t (linear CFR, Brown and Sandholm 2019).
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.blueprint.blueprint import LEVELS, Blueprint
from sabacc_agents.blueprint.public_states import (
    NOTHING_KNOWN,
    num_public_states,
    pattern_codes,
)
from sabacc_agents.blueprint.spike_hands import NO_SPIKE

from sabacc_env.actions import CALL as CALL_ACTION
from sabacc_env.actions import FIRST_BET
from sabacc_env.actions import JUNK as JUNK_ACTION
from sabacc_env.array_types import Ints
from sabacc_env.engine.jit import jit
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.game import CALL, FIRST_RAISE, JUNK, Game, abstract_game
from sabacc_training.blueprints.hands import (
    AgentHands,
    Cards,
    dealt_hand,
    decode_course,
    random_below,
    random_card,
    start_stream,
)
from sabacc_training.blueprints.refinement import refined_tables, with_rare_states_pooled
from sabacc_training.blueprints.sampling import total
from sabacc_training.blueprints.spike_cards import cards_of
from sabacc_training.blueprints.spike_walks import deal_with_spikes
from sabacc_training.blueprints.states import NO_KIND
from sabacc_training.blueprints.traversal import BETWEEN, walk
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
        tables: what is learnt, for each stack.
        epochs: the number of epochs so far.
        seconds: how long they took.
    """

    def __init__(self, config: BlueprintConfig) -> None:
        self.config = config
        self.begin(0, 0.0)
        self._cards, self._agent_hands, self._edges = cards_of(config.rule_set, self._game)
        self._workspaces = [new_workspace(self._game) for _ in config.stacks]
        # The longest first, so that no thread waits for it at the end: deep stacks have more nodes.
        work = np.array(config.stacks) * config.walks_of_stacks
        self._longest_first = [int(number) for number in np.argsort(-work, kind="stable")]
        self._run_walks(0, 0, 0)  # compiles them, which is not to count as time of epochs

    def begin(self, epochs: int, seconds: float) -> None:
        """Begin after so many epochs, which took so long, with empty tables."""
        config = self.config
        self.epochs, self.seconds = epochs, seconds
        self._game = self._game_of(config.tells_swaps and epochs >= config.coarse_epochs)
        self.tables = [
            new_tables(config.rule_set, self._game, config.adversary_rows) for _ in config.stacks
        ]

    def run_epoch(self) -> list[float]:
        """Run an epoch; return what the adversary's strategy won, in antes a hand.

        One figure for each stack.
        """
        begun = time.perf_counter()
        with ThreadPoolExecutor(self.config.threads) as pool:
            solved = pool.map(self._solve_for, self._longest_first)
            margins = dict(zip(self._longest_first, solved, strict=True))
        self.epochs += 1
        if self.config.tells_swaps and self.epochs == self.config.coarse_epochs:
            self._tell_swaps()
        self.seconds += time.perf_counter() - begun
        return [margins[number] for number in range(len(margins))]

    def _solve_for(self, number: int) -> float:
        walks = self.config.walks_of_stacks
        first = self.epochs * sum(walks) + sum(walks[:number])
        return self._run_walks(number, first, walks[number]) / walks[number]

    def _run_walks(self, number: int, first_walk: int, walks: int) -> float:
        config = self.config
        unit = config.rule_set.ante_unit
        return run_walks(
            self._game,
            self._cards,
            self.tables[number],
            self._workspaces[number],
            self._agent_hands,
            round(config.stacks[number] * unit) - unit,
            self.epochs,
            config.seed,
            first_walk,
            walks,
            True,
        )

    def _tell_swaps(self) -> None:
        """Tell swaps apart from now on."""
        coarse, self._game = self._game, self._game_of(tells_swaps=True)
        codes = coarse.codes, self._game.codes
        self.tables = [refined_tables(tables, *codes) for tables in self.tables]

    def _game_of(self, tells_swaps: bool) -> Game:
        config = self.config
        codes = pattern_codes(config.rule_set, tells_swaps)
        return abstract_game(config.rule_set, config.bet_sizes, config.agent_sizes, codes)

    @property
    def nodes(self) -> int:
        """How many nodes have been visited since the solver was made, each with all hands."""
        return sum(int(w.nodes[0]) for w in self._workspaces)

    def blueprint(self) -> Blueprint:
        """Return the agent's average strategy."""
        config = self.config
        sizes = [i for i, size in enumerate(config.bet_sizes) if size in config.agent_sizes]
        columns = [JUNK, CALL, *(FIRST_RAISE + i for i in sizes)]
        coarse, codes = pattern_codes(config.rule_set, tells_swaps=False), self._game.codes
        found = [
            average_policy(with_rare_states_pooled(tables.agent_sums[:, columns], coarse, codes))
            for tables in self.tables
        ]
        first = np.arange(len(found)) * num_public_states(config.rule_set, self._game.codes)
        return Blueprint(
            rules=config.rule_set,
            bet_sizes=config.bet_sizes,
            stacks=np.array(config.stacks, np.float32),
            edges=self._edges,
            actions=np.array([JUNK_ACTION, CALL_ACTION, *(FIRST_BET + i for i in sizes)]),
            states=np.concatenate(
                [start + states for start, (states, _) in zip(first, found, strict=True)]
            ).astype(np.int32),
            policy=np.concatenate([policy for _, policy in found]),
            more_rules=tuple(more.rule_set for more in config.more_rules),
            codes=self._game.codes,
            metadata=config.model_dump(mode="json")
            | {"epochs": self.epochs, "seconds": round(self.seconds, 1)},
        )


def average_policy(sums: NDArray[np.float32]) -> tuple[Ints, NDArray[np.uint8]]:
    """Return the public states that were met, (m,), and the policy in them, (m, buckets, actions).

    Args:
        sums: (public states, actions, buckets) sums of strategies.
    """
    states = np.flatnonzero(sums.any(axis=(1, 2)))
    found = sums[states].transpose(0, 2, 1)
    whole = np.maximum(found.sum(axis=2, keepdims=True), np.finfo(np.float32).tiny)
    return states, np.rint(found / whole * LEVELS).astype(np.uint8)


@jit
def run_walks(
    game: Game,
    cards: Cards,
    tables: LearntTables,
    w: Workspace,
    agent_hands: AgentHands,
    stack: int,
    epoch: int,
    seed: int,
    first_walk: int,
    walks: int,
    agent_learns_too: bool,
) -> float:
    """Run walks; return the sum of what the adversary's strategy won, in antes.

    In turn they act first. In each walk the adversary learns, and then the agent if it shall.
    """
    won = 0.0
    w.epoch[0] = np.float32(epoch + 1)
    w.hand[0] = stack
    for number in range(first_walk, first_walk + walks):
        start_stream(w.rng, seed, number)
        agent = number & 1
        w.hand[1] = agent
        for agent_learns in range(1 + agent_learns_too):
            w.hand[2] = agent if agent_learns else 1 - agent
            begin_walk(game, cards, w, agent_hands)
            walk(game, cards, tables, w, 0, BETWEEN)
            if not agent_learns:
                won += total(w.hand_values[0]) / len(w.hand_values[0])
    return won


@jit
def begin_walk(game: Game, cards: Cards, w: Workspace, agent_hands: AgentHands) -> None:
    """Begin a hand, and deal cards to both seats."""
    s = w.states[0]
    s.stage, s.position, s.acted, s.raises, s.aggressor = 0, 0, 0, 0, 0
    s.history, s.redrawn = 0, 0
    s.bets[:] = 0
    s.phase_bets[:] = 0
    s.kinds[:] = NO_KIND
    s.stood[:] = 0
    s.known[:] = NOTHING_KNOWN
    s.courses[:] = 0
    s.spikes[:] = NO_SPIKE
    w.path_weights[0] = w.epoch[0]
    w.weights[0, :] = np.float32(1 / w.weights.shape[1])
    if game.spikes_from != NO_SPIKE:
        deal_with_spikes(game, cards, w)
    else:
        deal(game, cards, w, agent_hands)


@jit
def deal(game: Game, cards: Cards, w: Workspace, agent_hands: AgentHands) -> None:
    """Deal hands to both seats. Those of the agent share what is public of their courses."""
    codes, position = agent_hands.codes, int(w.hand[1])
    half = len(codes) // 2
    code = int(codes[position * half + random_below(w.rng, half)])
    decode_course(game, code, w.events)
    begin, end = int(agent_hands.first[code]), int(agent_hands.first[code + 1])
    for j in range(w.weights.shape[1]):
        course = begin + random_below(w.rng, end - begin)
        for betting in range(len(w.agent_buckets)):
            hand = agent_hands.hands[course, betting]
            top = agent_hands.tops[course, betting]
            w.agent_buckets[betting, j] = cards.buckets[position, betting, hand, top]
        for stage in range(len(w.agent_left)):
            w.agent_left[stage, j] = agent_hands.left[course, stage]
        w.adversary_hands[0, j] = dealt_hand(cards, w.rng, game.cards_dealt)
        w.tops[0, j] = random_card(cards, w.rng)
