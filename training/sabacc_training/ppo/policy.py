"""The policy as an agent: how it plays, as it is, as a snapshot, averaged."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sabacc_training.ppo.cpu import Device
from sabacc_training.ppo.kernels import legal_bits
from sabacc_training.ppo.mlp import Mlp
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.rollout_buffer import Rows

ROUND: Final = 128

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Player:
    """Plays a network: a masked softmax over its logits, sampled.

    Args:
        network: gives a logit for each action.
        inputs: what it is shown.
        device: where it thinks.
    """

    def __init__(self, network: Mlp, inputs: Inputs, device: Device) -> None:
        self.network = network
        self._inputs = inputs
        self._device = device

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
        rows = self._seen(observations, action_masks)
        uniforms = torch.from_numpy(rng.random(len(rows), np.float32))
        self._device.draw(self.logs(rows), uniforms.to(rows.legal.device), rows)
        return rows.actions.cpu().numpy()

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distribution that it draws from, (n, num_actions); 0 for what is illegal."""
        logs = self.logs(self._seen(observations, action_masks)).cpu().numpy()
        chances = np.exp(logs.astype(np.float64)) * (action_masks != 0)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))

    def _seen(self, observations: Floats, action_masks: NDArray[np.int8]) -> Rows:
        """Return rows of what is observed."""
        rows = Rows.room_for(len(action_masks), self._inputs.policy_size, self.network.made)
        legal = np.zeros(len(rows), np.int64)
        legal_bits(action_masks, np.arange(len(rows)), legal)
        rows.legal.copy_(torch.from_numpy(legal))
        rows.shown.copy_(torch.from_numpy(self._inputs.outlook.shown(observations)))
        return rows

    def logs(self, rows: Rows) -> Tensor:
        """Return the logarithms of the probabilities of legal actions, (n, num_actions)."""
        shown = rows.shown[:, : self._inputs.policy_size]
        return logs_of(self.network, shown, rows.legal, self._device)

    def frozen(self) -> Player:
        """Return a copy that no longer learns."""
        copy = Mlp(self.network.sizes, self.network.made)
        copy.weights.copy_(self.network.weights)
        copy.settle()
        return Player(copy, self._inputs, self._device)

    def state(self) -> Tensor:
        """Return what it plays by, for ``restore``."""
        return self.network.weights

    def restore(self, state: Tensor) -> None:
        """Play by a ``state``."""
        self.network.weights.copy_(state)
        self.network.settle()


def logs_of(network: Mlp, shown: Tensor, legal: Tensor, device: Device) -> Tensor:
    """Return the logarithms of a network's probabilities of legal actions, (n, num_actions).

    Args:
        network: gives a logit for each action.
        shown: (n, numbers taken) what it is shown, in the precision of matrices.
        legal: (n,) legal actions as bits.
        device: where it thinks.
    """
    logs = whole_forward(network, shown, device)
    device.workers.over(len(logs), lambda some: device.log_softmax(logs[some], legal[some]))
    return logs


def whole_forward(network: Mlp, inputs: Tensor, device: Device) -> Tensor:
    """Return what a network makes of inputs, (n, numbers given), some rows after the others.

    The last rows are filled up to a round number: for each number of rows that is new, matrix
    products are compiled anew, which takes longer than most products.
    """
    whole = torch.empty((len(inputs), network.sizes[-1]), device=network.made.device)

    def write(some: slice) -> None:
        begin = some.start
        for part in torch.split(inputs[some], network.made.at_once):
            absent = -len(part) % ROUND
            filled = functional.pad(part, (0, 0, 0, absent)) if absent else part
            whole[begin : begin + len(part)] = network.outputs(filled)[: len(part)]
            begin += len(part)

    device.workers.over(len(inputs), write, network.made.at_once)
    return whole
