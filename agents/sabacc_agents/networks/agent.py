"""The agents that play a saved policy network: one without a memory, and one that recalls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.networks.network import Network, load_network, read_info
from sabacc_agents.networks.recall import (
    HandMemory,
    NumberedStacks,
    RemembersHands,
    as_inputs,
    stacks_after,
)
from sabacc_agents.saved_files import check_made_for, import_extra
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import sample
from sabacc_env.arguments import check_bool
from sabacc_env.array_types import Floats, Ints
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet


class PolicyNetwork:
    """A saved policy network as a distribution over actions, for the agents that play it.

    Arguments and errors are those of ``NetworkAgent``.
    """

    recalls = False
    """Whether the class plays networks that recall decisions, or those that do not."""

    def __init__(
        self,
        rules: str | Path | RuleSet | None = None,
        num_players: int | None = None,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        network: str | Path | Network,
        greedy: bool = False,
    ) -> None:
        label = "this network" if isinstance(network, Network) else str(network)
        info = network.info if isinstance(network, Network) else read_info(network)
        made_for = info.rules, info.num_players, info.bet_sizes
        self.check_game = partial(check_made_for, label, made_for, any_rules=info.any_rules)
        self.plays_any_rules = info.any_rules
        self.check_game(rules, num_players, bet_sizes)
        if self.recalls != (info.recalled_decisions > 0):
            raise SabaccError(
                f"{label}: {type(self).__name__} does not play networks that recall "
                f"{info.recalled_decisions} decisions; sabacc_agents.load makes the right agent"
            )
        if not isinstance(network, Network):
            network = load_network(network)
        self.info = info
        self.greedy = check_bool("greedy", greedy)
        self._extractor = network.extractor
        self._torch = import_extra("torch")
        self._layers = [
            tuple(
                self._torch.tensor(np.asarray(network.weights[f"layers.{layer}.{part}"]))
                for part in ("weight", "bias")
            )
            for layer in range(len(network.layer_sizes) - 1)
        ]
        self.reset(0)

    def reset(self, num_tables: int) -> None:
        """Do nothing: an agent without a memory has nothing to forget."""

    def _seen(self, observations: Floats) -> Floats:
        """Return the inputs that the observations give, (n, inputs)."""
        return observations if self._extractor is None else self._extractor.extract(observations)

    def _distributions(self, inputs: Floats, action_masks: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the distributions over actions, (n, num_actions), with 0 for illegal actions."""
        torch = self._torch
        activate = torch.tanh if self.info.activation == "tanh" else torch.relu
        with torch.inference_mode():
            values = torch.as_tensor(np.ascontiguousarray(inputs))
            for index, (weight, bias) in enumerate(self._layers):
                values = torch.nn.functional.linear(values, weight, bias)
                if index < len(self._layers) - 1:
                    values = activate(values)
            legal = torch.as_tensor(np.ascontiguousarray(action_masks)) != 0
            logits = values.double().masked_fill(~legal, -torch.inf)
            probabilities: NDArray[np.float64] = torch.softmax(logits, dim=1).numpy()
        return probabilities

    def _drawn(self, probabilities: NDArray[np.float64], rng: np.random.Generator) -> Ints:
        """Return a sample for each row, or the most likely action."""
        if self.greedy:
            return np.asarray(probabilities.argmax(axis=1), dtype=np.int64)
        return sample(probabilities, rng)


class NetworkAgent(PolicyNetwork):
    """Plays a policy network: it samples from the masked softmax of the logits.

    Args:
        rules: the rules that it will play, which must be among the network's. None stands for the
            first of these.
        num_players: likewise.
        bet_sizes: what the bet actions mean, as for the network.
        network: the path of a saved network, or a network in memory.
        greedy: whether it takes the most likely action instead of a sample.

    Raises:
        SabaccError: for a network that was made for another game, a file that is not a network, a
            network that only another class plays, or if torch is not installed.
    """

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Draw a legal action for each row, or take the most likely one."""
        return self._drawn(self.probabilities(observations, action_masks), rng)

    def probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions over actions, (n, num_actions), with 0 for illegal actions."""
        return self._distributions(self._seen(observations), action_masks)


class RecallingNetworkAgent(RemembersHands, PolicyNetwork):
    """Plays a policy network that recalls the cards of its own last decisions of the hand.

    Arguments and errors are those of ``NetworkAgent``.
    """

    recalls = True

    def reset(self, num_tables: int) -> None:
        """Start a hand at each of so many tables."""
        self._memory = HandMemory(self.info.recalled_decisions, num_tables)
        self._numbered = NumberedStacks(self.info.recalled_decisions)

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Draw a legal action for each row, or take the most likely one."""
        rows = np.arange(len(observations))
        recalled = self._memory.recall(observations, rows, rows if tables is None else tables)
        return self._drawn(self._recalling(observations, recalled, action_masks), rng)

    def follow(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        memories: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the distributions at these turns, (n, num_actions), and its memories, (n,).

        Each memory that differs takes space until ``reset``.

        Args:
            observations: (n, OBSERVATION_SIZE) float32.
            action_masks: (n, num_actions) int8.
            memories: (n,) its memories before; 0 before the first turn of a hand.
        """
        stacks = self._numbered.stacks(memories)
        probabilities = self._recalling(observations, as_inputs(stacks), action_masks)
        return probabilities, self._numbered.numbers(stacks_after(stacks, observations))

    def _recalling(
        self, observations: Floats, recalled: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        inputs = np.concatenate([self._seen(observations), recalled], axis=1)
        return self._distributions(inputs, action_masks)


def network_agent(
    rules: str | Path | RuleSet | None = None,
    num_players: int | None = None,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    *,
    network: str | Path | Network,
    greedy: bool = False,
) -> NetworkAgent | RecallingNetworkAgent:
    """Return the agent that plays a network, with a memory or without.

    Arguments and errors are those of ``NetworkAgent``.
    """
    info = network.info if isinstance(network, Network) else read_info(network)
    kind = RecallingNetworkAgent if info.recalled_decisions else NetworkAgent
    return kind(rules, num_players, bet_sizes, network=network, greedy=greedy)
