"""What each decision of a solved game is worth, exactly, while the others play an equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.equilibrium import EquilibriumAgent

from sabacc_env.actions import encode_bet_sizes
from sabacc_env.errors import SabaccError
from sabacc_env.game import Game
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_training.solved_games.best_response import best_response_value
from sabacc_training.solved_games.cfr import compute_reach_probabilities
from sabacc_training.solved_games.game_tree import FloatArray
from sabacc_training.solved_games.solver import Solution


@dataclass(frozen=True)
class Decision:
    """What a decision is worth to the seat that has it, in antes of the unit.

    Attributes:
        value: what it wins in the rest of the hand by best play, if the others play the
            equilibrium. So it is the value of the equilibrium, wherever that leads.
        action_values: likewise after each legal action.
        probabilities: with which the equilibrium plays each of them.
    """

    value: float
    action_values: Mapping[int, float]
    probabilities: Mapping[int, float]

    def regret(self, action: int) -> float:
        """Return how much less an action wins than the best one, at least 0."""
        return self.value - self.action_values[action]


class DecisionValues:
    """The values of all decisions of a solved game.

    The regrets of the decisions of a hand add up: over all hands, their mean is exactly what a seat
    wins less than the equilibrium does, against others that play the equilibrium.

    Args:
        solution: the solved game.

    Attributes:
        solution: the same.
        policy: the equilibrium, in the form that agents play.

    >>> from sabacc_training.solved_games import flatten, load_rung, solve
    >>> solution = solve(flatten(load_rung("one_card")), target=1e-4)
    >>> game = Game(solution.tree.rung.rule_set, 2, seed=1)
    >>> decision = HandFollower(DecisionValues(solution)).decision(game)
    >>> {action: round(decision.regret(action), 2) for action in decision.action_values}
    {6: 0.0, 29: 0.08}
    """

    def __init__(self, solution: Solution) -> None:
        nodes, states = solution.tree.nodes, solution.tree.states
        self.solution = solution
        self.policy = solution.to_policy()
        self._action_values: FloatArray = np.zeros(solution.tree.num_sequences)
        self._reach: FloatArray = np.zeros(len(states.seats))
        scratch = np.zeros(len(nodes.seats))
        best_actions = np.zeros(len(states.seats), np.int32)
        for seat in range(solution.tree.num_players):
            best_response_value(
                nodes, states, solution.policy, seat, scratch, self._action_values, best_actions
            )
            compute_reach_probabilities(nodes, solution.policy, seat, scratch)
            own = np.flatnonzero(nodes.seats == seat)
            of_own = states.of_sequence[nodes.first_sequence[own]]
            np.add.at(self._reach, of_own, scratch[own])
        self._order = np.argsort(states.hashes)

    def decision(self, info_state: int) -> Decision | None:
        """Return what an information state is worth, by its hash.

        None where the others never play to it in the equilibrium.

        Raises:
            SabaccError: for a turn that the solved game does not have.
        """
        states = self.solution.tree.states
        place = int(np.searchsorted(states.hashes, info_state, sorter=self._order))
        state = int(self._order[min(place, len(self._order) - 1)])
        if states.hashes[state] != info_state:
            raise SabaccError(
                "this turn is not one of the solved game; every hand must start with the rules' "
                "credits and no Sabacc pot"
            )
        if not self._reach[state]:
            return None
        sequences = slice(states.first_sequence[state], states.first_sequence[state + 1])
        actions = states.actions[sequences].tolist()
        values = (self._action_values[sequences] / self._reach[state]).tolist()
        probabilities = self.solution.policy[sequences].tolist()
        return Decision(
            max(values),
            dict(zip(actions, values, strict=True)),
            dict(zip(actions, probabilities, strict=True)),
        )


class HandFollower:
    """Follows one hand of a solved game, turn by turn, and tells what each decision is worth.

    Args:
        values: of the game.
    """

    def __init__(self, values: DecisionValues) -> None:
        rung = values.solution.tree.rung
        self._values = values
        self._agent = EquilibriumAgent(bet_sizes=rung.bet_sizes, policy=values.policy)
        self._buffers = TurnBuffers(rung.rule_set, encode_bet_sizes(rung.bet_sizes))
        self._info_states = np.zeros(rung.num_players, np.int64)

    def decision(self, game: Game) -> Decision | None:
        """Return what the decision of the seat to act is worth; ask once at each turn, in order.

        An action on one of two isomorphic cards is worth as much as on the other.

        Raises:
            SabaccError: as ``DecisionValues.decision``, and where nobody is to act.
        """
        seat = game.seat_to_act
        if seat is None:
            raise SabaccError("nobody is to act in this hand")
        game.write_turn(self._buffers)
        mask = self._buffers.mask.copy()
        _, after = self._agent.follow(
            self._buffers.observation[None].copy(), mask[None], self._info_states[seat, None]
        )
        self._info_states[seat] = after[0]
        decision = self._values.decision(int(after[0]))
        return None if decision is None else _with_isomorphic(decision, mask)


def _with_isomorphic(decision: Decision, mask: NDArray[np.int8]) -> Decision:
    """Add the legal actions that the tree leaves out: each is worth what the one before it is."""
    values, probabilities = dict[int, float](), dict[int, float]()
    last = 0.0
    for action in np.flatnonzero(mask).tolist():
        last = values[action] = decision.action_values.get(action, last)
        probabilities[action] = decision.probabilities.get(action, 0.0)
    return Decision(decision.value, values, probabilities)
