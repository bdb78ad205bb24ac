"""The policy as an agent: how it plays, as it is, as a snapshot, averaged."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sabacc_training.fast.inputs import Inputs
from sabacc_training.fast.kernels import draw, legal_bits, log_softmax
from sabacc_training.fast.mlp import Mlp
from sabacc_training.fast.workers import Workers

ROUND: Final = 128

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Player:
    """Plays a network: a masked softmax over its logits, sampled.

    Args:
        network: gives a logit for each action.
        inputs: what it is shown.
        workers: the threads that it thinks on.
    """

    def __init__(self, network: Mlp, inputs: Inputs, workers: Workers) -> None:
        self.network = network
        self._inputs = inputs
        self._workers = workers

    def reset(self, num_tables: int) -> None:
        """Remember nothing."""

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Draw a legal action for each row."""
        logs, legal = self._seen(observations, action_masks)
        actions, chances = np.zeros(len(logs), np.int64), np.zeros(len(logs), np.float32)
        draw(logs, legal, rng.random(len(logs), np.float32), actions, chances)
        return actions

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distribution that it draws from, (n, num_actions); 0 for what is illegal."""
        logs, _ = self._seen(observations, action_masks)
        chances = np.exp(logs.astype(np.float64)) * (action_masks != 0)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def _seen(self, observations: Floats, action_masks: NDArray[np.int8]) -> tuple[Floats, Ints]:
        legal = np.zeros(len(action_masks), np.int64)
        legal_bits(action_masks, np.arange(len(legal)), legal)
        shown = torch.from_numpy(self._inputs.outlook.shown(observations)).to(*self.network.made)
        return self.logs(shown, legal), legal

    def logs(self, shown: Tensor, legal: Ints) -> Floats:
        """Return the logarithms of the probabilities of legal actions, (n, num_actions).

        Args:
            shown: (n, at least ``policy_size``) what is shown, in the precision of matrices.
            legal: (n,) bits.
        """
        return logs_of(self.network, shown[:, : self._inputs.policy_size], legal, self._workers)

    def frozen(self) -> Player:
        """Return a copy that no longer learns."""
        copy = Mlp(self.network.sizes, self.network.made)
        copy.weights.copy_(self.network.weights)
        copy.settle()
        return Player(copy, self._inputs, self._workers)

    def state(self) -> Tensor:
        """Return what it plays by, for ``restore``."""
        return self.network.weights

    def restore(self, state: Tensor) -> None:
        """Play by a ``state``."""
        self.network.weights.copy_(state)
        self.network.settle()


def logs_of(network: Mlp, shown: Tensor, legal: Ints, workers: Workers) -> Floats:
    """Return the logarithms of a network's probabilities of legal actions, (n, num_actions)."""
    logs = whole_forward(network, shown, workers)
    workers.over(len(logs), lambda some: log_softmax(logs[some], legal[some], logs[some]))
    return logs


def whole_forward(network: Mlp, inputs: Tensor, workers: Workers) -> Floats:
    """Return what a network makes of inputs, (n, numbers given), some rows after the others.

    The last rows are filled up to a round number: for each number of rows that is new, matrix
    products are compiled anew, which takes longer than most products.
    """
    whole = np.empty((len(inputs), network.sizes[-1]), np.float32)

    def write(some: slice) -> None:
        begin = some.start
        for part in torch.split(inputs[some], network.made.at_once):
            absent = -len(part) % ROUND
            filled = functional.pad(part, (0, 0, 0, absent)) if absent else part
            found = network.outputs(filled)[: len(part)]
            whole[begin : begin + len(part)] = found.float().cpu().numpy()
            begin += len(part)

    workers.over(len(inputs), write, network.made.at_once)
    return whole
