"""Any agent as a strategy of a flattened game, and so its exact distance from equilibrium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.equilibrium import EquilibriumAgent

from sabacc_env import agent_calls
from sabacc_env.actions import num_actions
from sabacc_env.agent import Agent
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.search.game_tree import NodeTurns, replay_to, write_node_turns
from sabacc_env.errors import SabaccError
from sabacc_env.game.game import game_of_record
from sabacc_env.game.view import GameView
from sabacc_training.solved_games.best_response import distance
from sabacc_training.solved_games.game_tree import DEPTH, Floats, GameTree, Ints

AT_ONCE: Final = 4096
"""Information states shown to an agent at once."""


def nash_conv(tree: GameTree, agent: Agent, *, samples: int = 1000, seed: int = 0) -> float:
    """Return how far an agent is from an equilibrium when it plays every seat, in antes a hand.

    Arguments and errors are those of ``strategy_of``.

    >>> from sabacc_env.agent import RandomAgent
    >>> from sabacc_training.solved_games import flatten, load_rung
    >>> tree = flatten(load_rung("one_card"))
    >>> round(nash_conv(tree, RandomAgent(tree.rung.rule_set, 2)), 3)
    1.25
    """
    return distance(tree, strategy_of(tree, agent, samples=samples, seed=seed)).nash_conv


def strategy_of(tree: GameTree, agent: Agent, *, samples: int = 1000, seed: int = 0) -> Floats:
    """Return what an agent plays, (choices,), the chances with it.

    A solved policy of this game is exact, and so is an agent with ``probabilities``. Any other is
    led through the turns before each information state, as many times as ``samples`` says, and its
    actions are counted: what comes out is an estimate, and its NashConv too large, the more so the
    fewer samples. One that wants views is asked at the state alone, for a view has its history.

    Of alike cards and of dice an agent sees one example: what is measured is the agent that takes
    each for that one.

    Args:
        tree: the game.
        agent: made for it.
        samples: how often an agent without ``probabilities`` is asked.
        seed: decides its chance.

    Raises:
        SabaccError: for an agent that fails, acts against the rules, or tells what is no
            distribution.
    """
    strategy = tree.chances.copy()
    rng = np.random.default_rng(seed)
    for begin in range(0, len(tree.states.seats), AT_ONCE):
        states = np.arange(begin, min(begin + AT_ONCE, len(tree.states.seats)))
        chances: Floats | None
        if isinstance(agent, EquilibriumAgent):
            keys = tree.states.keys[states]
            if not np.isin(keys, agent.policy.arrays["keys"]).all():
                raise SabaccError("equilibrium: this policy lacks information states of the game")
            chances = agent.chances_in(keys, num_actions(tree.rung.bet_sizes))
        else:
            chances = agent_calls.probabilities(agent, *_shown(tree, agent, states))
        if chances is None:
            chances = _counted(tree, agent, states, samples, rng)
        _assign(tree, states, chances, strategy)
    return strategy


def seen_at(tree: GameTree, states: Ints) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return what is observed in information states, (n, OBSERVATION_SIZE), and legal masks."""
    floats = np.zeros((len(states), OBSERVATION_SIZE), np.float32)
    shown = _room(tree.states.nodes[states].astype(np.int64), floats)
    write_node_turns(tree.root, tree.nodes.seats, tree.parents, tree.edges, shown)
    masks = shown.legal[:, None] >> np.arange(num_actions(tree.rung.bet_sizes)) & 1
    return floats, masks.astype(np.int8)


def views_at(tree: GameTree, states: Ints) -> list[GameView]:
    """Return the views of the seats to act in information states, their history whole."""
    shown = _room(np.zeros(0, np.int64), np.zeros((0, OBSERVATION_SIZE), np.float32))
    ways = tree.root, tree.nodes.seats, tree.parents, tree.edges
    views = []
    for state in states:
        moves = replay_to(*ways, int(tree.states.nodes[state]), shown)
        played = shown.played[:moves].tolist()
        game = game_of_record(tree.rung.rule_set, shown.games.copy(), played)
        views.append(game.view(int(tree.states.seats[state])))
    return views


def _room(nodes: Ints, floats: NDArray[np.float32]) -> NodeTurns:
    """Return where to write what is seen at some nodes."""
    return NodeTurns(
        nodes=nodes,
        rows=floats.view(OBSERVATION_DTYPE).reshape(len(nodes)),
        legal=np.zeros(len(nodes), np.int64),
        games=np.zeros(1, GAME_DTYPE),
        path=np.zeros(DEPTH, np.int64),
        played=np.zeros(DEPTH, np.int64),
    )


def _shown(
    tree: GameTree, agent: Agent, states: Ints
) -> tuple[NDArray[np.float32] | list[GameView], NDArray[np.int8]]:
    """Return what an agent is shown in information states, and legal masks."""
    observations, masks = seen_at(tree, states)
    return (views_at(tree, states) if agent_calls.wants_views(agent) else observations), masks


def _counted(
    tree: GameTree, agent: Agent, states: Ints, samples: int, rng: np.random.Generator
) -> Floats:
    """Return how often an agent plays each action in some states, led there turn by turn."""
    everywhere = np.arange(len(states))
    ways = _turns_to(tree, states)
    if agent_calls.wants_views(agent):
        ways = iter([(everywhere, states, np.ones(len(states), np.bool_))])
    turns = [(now, last, *_shown(tree, agent, at)) for now, at, last in ways]
    counts = np.zeros((len(states), num_actions(tree.rung.bet_sizes)))
    agent_calls.reset([agent], len(states))
    for _ in range(samples):
        agent_calls.restart([agent], everywhere)
        for now, last, seen, masks in turns:
            actions = agent_calls.actions(agent, seen, masks, rng, now)
            counts[now[last], actions[last]] += 1
    return counts / samples


def _turns_to(tree: GameTree, states: Ints) -> Iterator[tuple[Ints, Ints, NDArray[np.bool_]]]:
    """Yield the turns that lead to each of some states of its own seat, the first ones first.

    Of each turn: which of ``states`` still have one, the information state there, and whether that
    is the one itself.
    """
    back = [states]
    while (back[-1] >= 0).any():
        before = np.where(back[-1] >= 0, tree.states.before[back[-1]], -1)
        back.append(np.where(before >= 0, tree.states.of_choice[before], -1).astype(np.int64))
    ways = np.stack(back[:-1])
    lengths = (ways >= 0).sum(axis=0)
    for turn in range(len(ways)):
        now = np.flatnonzero(lengths > turn)
        to_go = lengths[now] - 1 - turn
        yield now, ways[to_go, now], to_go == 0


def _assign(tree: GameTree, states: Ints, chances: Floats, strategy: Floats) -> None:
    """Write an agent's chances, (n, num_actions), to the choices of these states.

    An action on a card like the one before it is that one's: the last choice not above it.
    """
    begins, ends = tree.states.first[states], tree.states.first[states + 1]
    rows = np.repeat(np.arange(len(states)), ends - begins)
    choices = np.arange(begins[0], ends[-1])
    actions = tree.states.actions[choices]
    kept = np.full(chances.shape, -1)
    kept[rows, actions] = choices
    kept = np.maximum.accumulate(kept, axis=1)
    played = chances > 0
    if (kept[played] < 0).any():
        raise SabaccError("agent: it gives a chance to an action that is not legal")
    np.add.at(strategy, kept[played], chances[played])
