"""The policy of any agent in a flattened game, and so its exact NashConv."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.equilibrium import EquilibriumAgent

from sabacc_env import agent_calls
from sabacc_env.actions import num_actions
from sabacc_env.agent import Agent
from sabacc_env.arguments import check_max_tokens
from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE, OBSERVATION_SIZE
from sabacc_env.engine.search.game_tree import (
    NodeTurns,
    replay_to,
    write_node_tokens,
    write_node_turns,
)
from sabacc_env.engine.token_log import empty_sequences
from sabacc_env.errors import SabaccError
from sabacc_env.game.game import game_from_record
from sabacc_env.game.view import GameView
from sabacc_training.solved_games.best_response import policy_values
from sabacc_training.solved_games.game_tree import MAX_DEPTH, FloatArray, GameTree

BATCH_SIZE: Final = 4096
"""Information states in one call of an agent."""

NO_FLOATS: Final = np.zeros((0, OBSERVATION_SIZE), np.float32)


def nash_conv(tree: GameTree, agent: Agent, *, samples: int = 1000, seed: int = 0) -> float:
    """Return the NashConv of an agent that plays every seat, in antes a hand.

    Arguments and errors are those of ``tabular_policy_of``.

    >>> from sabacc_env.agent import RandomAgent
    >>> from sabacc_training.solved_games import flatten, load_rung
    >>> tree = flatten(load_rung("one_card"))
    >>> round(nash_conv(tree, RandomAgent(tree.rung.rule_set, 2)), 3)
    1.25
    """
    return policy_values(tree, tabular_policy_of(tree, agent, samples=samples, seed=seed)).nash_conv


def tabular_policy_of(
    tree: GameTree, agent: Agent, *, samples: int = 1000, seed: int = 0
) -> FloatArray:
    """Return an agent's policy, (sequences,), with the probabilities of chance outcomes.

    The policy of an agent with ``probabilities`` or ``follow``, or of a solved policy of this game,
    is exact. Any other agent is led through the turns before each information state ``samples``
    times, and its actions are counted. Such a policy is an estimate, and its NashConv is too large,
    the more so the fewer the samples. An agent that wants views is called only at the information
    state itself, because a view contains its history.

    Of isomorphic cards, and of dice with the same effect, an agent sees one example: it is measured
    as if it played the others in the same way.

    Args:
        tree: the game.
        agent: an agent made for the game.
        samples: calls of any other agent in each information state.
        seed: seeds the agent's random numbers.

    Raises:
        SabaccError: for an agent that fails, returns an illegal action, or returns probabilities
            that are no distribution.
    """
    policy = tree.chance_probabilities.copy()
    rng = np.random.default_rng(seed)
    for begin in range(0, len(tree.states.seats), BATCH_SIZE):
        states = np.arange(begin, min(begin + BATCH_SIZE, len(tree.states.seats)))
        probabilities: FloatArray | None
        if isinstance(agent, EquilibriumAgent):
            hashes = tree.states.hashes[states]
            if not np.isin(hashes, agent.policy.arrays["keys"]).all():
                raise SabaccError(
                    "equilibrium: this policy has no entry for some information states of the game"
                )
            probabilities = agent.state_probabilities(hashes, num_actions(tree.rung.bet_sizes))
        elif hasattr(agent, "follow"):
            probabilities = _followed_probabilities(tree, agent, states)
        else:
            probabilities = agent_calls.probabilities(agent, *_agent_inputs(tree, agent, states))
        if probabilities is None:
            probabilities = _sampled_probabilities(tree, agent, states, samples, rng)
        _write_policy(tree, states, probabilities, policy)
    return policy


def policy_of(tree: GameTree, probabilities: FloatArray) -> FloatArray:
    """Return a policy, (sequences,), that is given by the probabilities of all actions.

    Args:
        tree: the game.
        probabilities: (information states, num_actions), 0 for illegal actions.

    Raises:
        SabaccError: for a probability above 0 of an illegal action.
    """
    policy = tree.chance_probabilities.copy()
    _write_policy(tree, np.arange(len(tree.states.seats)), probabilities, policy)
    return policy


def observations_at(tree: GameTree, states: Ints) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return observations (n, OBSERVATION_SIZE) and action masks in information states."""
    floats = np.zeros((len(states), OBSERVATION_SIZE), np.float32)
    turns = _node_turns(tree.states.nodes[states], floats)
    write_node_turns(tree.root, tree.nodes.seats, tree.parents, tree.edges, turns)
    masks = turns.legal[:, None] >> np.arange(num_actions(tree.rung.bet_sizes)) & 1
    return floats, masks.astype(np.int8)


def tokens_at(tree: GameTree, states: Ints, max_tokens: int | None = None) -> NDArray[np.int16]:
    """Return what the seats to act in information states have been told, (n, max_tokens).

    ``max_tokens`` is as of ``Tables``.
    """
    length = check_max_tokens(max_tokens, tree.num_players)
    tokens = np.zeros((len(states), length), np.int16)
    sequences = empty_sequences(1, tree.num_players, length)
    turns = _node_turns(tree.states.nodes[states])
    paths = tree.root, tree.nodes.seats, tree.parents, tree.edges
    write_node_tokens(*paths, turns, sequences, tokens)
    return tokens


def views_at(tree: GameTree, states: Ints) -> list[GameView]:
    """Return the views of the seats to act in information states, with their whole history."""
    turns = _node_turns(np.zeros(0, np.int64))
    paths = tree.root, tree.nodes.seats, tree.parents, tree.edges
    views = []
    for state in states:
        moves = replay_to(*paths, int(tree.states.nodes[state]), turns)
        played = turns.played[:moves].tolist()
        game = game_from_record(tree.rung.rule_set, turns.games.copy(), played)
        views.append(game.view(int(tree.states.seats[state])))
    return views


def _node_turns(nodes: NDArray[np.integer], floats: NDArray[np.float32] = NO_FLOATS) -> NodeTurns:
    """Return buffers for the turns at some nodes; observations, if wanted, go to ``floats``."""
    return NodeTurns(
        nodes=nodes.astype(np.int64),
        rows=floats.view(OBSERVATION_DTYPE).reshape(len(floats)),
        legal=np.zeros(len(nodes), np.int64),
        games=np.zeros(1, GAME_DTYPE),
        path=np.zeros((MAX_DEPTH, 2), np.int64),
        played=np.zeros(MAX_DEPTH, np.int64),
    )


def _agent_inputs(
    tree: GameTree, agent: Agent, states: Ints
) -> tuple[NDArray[np.float32] | list[GameView], NDArray[np.int8]]:
    """Return an agent's observations or views in information states, and action masks."""
    observations, masks = observations_at(tree, states)
    return (views_at(tree, states) if agent_calls.wants_views(agent) else observations), masks


def _followed_probabilities(tree: GameTree, agent: Agent, states: Ints) -> FloatArray:
    """Return the distributions of an agent that remembers the turns before, (n, num_actions)."""
    found = np.zeros((len(states), num_actions(tree.rung.bet_sizes)))
    memories = np.zeros(len(states), np.int64)
    for rows, at, last in _turns_to(tree, states):
        told, memories[rows] = agent_calls.follow(agent, *observations_at(tree, at), memories[rows])
        found[rows[last]] = told[last]
    return found


def _sampled_probabilities(
    tree: GameTree, agent: Agent, states: Ints, samples: int, rng: np.random.Generator
) -> FloatArray:
    """Return the frequency of each action of an agent in some information states."""
    everywhere = np.arange(len(states))
    turns = _turns_to(tree, states)
    if agent_calls.wants_views(agent):
        turns = iter([(everywhere, states, np.ones(len(states), np.bool_))])
    inputs = [(rows, last, *_agent_inputs(tree, agent, at)) for rows, at, last in turns]
    counts = np.zeros((len(states), num_actions(tree.rung.bet_sizes)))
    agent_calls.reset([agent], len(states))
    for _ in range(samples):
        agent_calls.restart([agent], everywhere)
        for rows, last, observations, masks in inputs:
            actions = agent_calls.actions(agent, observations, masks, rng, rows)
            counts[rows[last], actions[last]] += 1
    return counts / samples


def _turns_to(tree: GameTree, states: Ints) -> Iterator[tuple[Ints, Ints, NDArray[np.bool_]]]:
    """Yield the turns of the own seat on the path to each of some information states.

    Each turn has the indices of those ``states`` whose path is that long, the information states at
    this turn, and whether these are the last on their paths.
    """
    back = [states]
    while (back[-1] >= 0).any():
        parent = np.where(back[-1] >= 0, tree.states.parent_sequence[back[-1]], -1)
        back.append(np.where(parent >= 0, tree.states.of_sequence[parent], -1).astype(np.int64))
    paths = np.stack(back[:-1])
    lengths = (paths >= 0).sum(axis=0)
    for turn in range(len(paths)):
        rows = np.flatnonzero(lengths > turn)
        remaining = lengths[rows] - 1 - turn
        yield rows, paths[remaining, rows], remaining == 0


def _write_policy(
    tree: GameTree, states: Ints, probabilities: FloatArray, policy: FloatArray
) -> None:
    """Write an agent's probabilities, (n, num_actions), to the sequences of these states.

    An action on a card that is isomorphic to the one before it counts for that one: for the last
    action of the tree that is not above it.
    """
    begins, ends = tree.states.first_sequence[states], tree.states.first_sequence[states + 1]
    rows = np.repeat(np.arange(len(states)), ends - begins)
    sequences = np.arange(begins[0], ends[-1])
    actions = tree.states.actions[sequences]
    sequence_of = np.full(probabilities.shape, -1)
    sequence_of[rows, actions] = sequences
    sequence_of = np.maximum.accumulate(sequence_of, axis=1)
    played = probabilities > 0
    if (sequence_of[played] < 0).any():
        raise SabaccError("agent: returned a probability above 0 for an illegal action")
    np.add.at(policy, sequence_of[played], probabilities[played])
