"""Where decisions are looked at and learnt from: the processors, or a GPU, by the same verbs.

Matrices are multiplied by PyTorch on both. The rest is done by loops compiled for the processors
(``kernels``), or on a GPU by PyTorch's operations over all rows at once (``gpu``).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from sabacc_env.tables import Tables
from sabacc_training.ppo import kernels
from sabacc_training.ppo.gpu import Gpu
from sabacc_training.ppo.kernels import Objective
from sabacc_training.ppo.mlp import Made
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.rollout_buffer import Ints, Rows
from sabacc_training.ppo.threads import Workers


class Processors:
    """Loops that write into the memory of tensors.

    Args:
        made: where matrices are multiplied, and in what precision.
        threads: how many threads share the work.
    """

    def __init__(self, made: Made, threads: int) -> None:
        self.made = made
        self.workers = Workers(threads)
        self._scratch = np.zeros((0, 0), np.float32)

    def readable(self, tables: Tables) -> Tables:
        """Return tables whose arrays can be read by NumPy."""
        return tables

    def look(self, inputs: Inputs, tables: Tables, which: Ints, rows: Rows) -> None:
        """Write what is shown, and what is legal, at some tables where a seat is to act."""
        if self._scratch.shape != (tables.num_tables, inputs.size):
            self._scratch = np.zeros((tables.num_tables, inputs.size), np.float32)

        def write(some: slice) -> None:
            kernels.legal_bits(tables.action_masks, which[some], rows.legal[some].numpy())
            shown = self._scratch[some]
            inputs.write(tables, which[some], shown)
            rows.shown[some].copy_(torch.from_numpy(shown))

        self.workers.over(len(which), write)

    def log_softmax(self, logits: Tensor, legal: Tensor) -> None:
        """Make logits the logarithms of the probabilities of legal actions; 0 for the others."""
        kernels.log_softmax(logits.numpy(), legal.numpy(), logits.numpy())

    def draw(self, logs: Tensor, uniforms: Tensor, rows: Rows) -> None:
        """Draw a legal action for each row, by a number from 0 to 1, and note its logarithm."""
        arrays = (logs, rows.legal, uniforms, rows.actions, rows.log_chances)

        def choose(some: slice) -> None:
            kernels.draw(*(array[some].numpy() for array in arrays))

        self.workers.over(len(logs), choose)

    def policy_slopes(
        self,
        logs: Tensor,
        rows: Rows,
        gains: Tensor,
        magnet: Tensor,
        objective: Objective,
        share: float,
        sums: Tensor,
    ) -> Tensor:
        """Return the gradient of the loss by the logits, and add up what is reported.

        The loss is the sum, times ``share``, of the negative objective.

        Args:
            logs: (n, actions) the policy's logarithms of probabilities.
            rows: the decisions.
            gains: (n,) their advantages.
            magnet: (n, actions) the magnet's logarithms; (0, actions) where there is none.
            objective: what is made large.
            share: the weight of a row: of a mean over rows, 1 / their number.
            sums: (4,) entropy, divergence, share of clipped ratios, divergence from what played.
        """
        slopes = torch.empty_like(logs)
        kernels.policy_slopes(
            logs.numpy(),
            rows.legal.numpy(),
            rows.actions.numpy(),
            rows.log_chances.numpy(),
            gains.numpy(),
            magnet.numpy(),
            objective.clip,
            objective.entropy,
            objective.kl,
            share,
            slopes.numpy(),
            sums.numpy(),
        )
        return slopes


Device = Processors | Gpu


def device_of(made: Made, threads: int) -> Device:
    """Return where a run learns.

    Args:
        made: where matrices are multiplied, and in what precision.
        threads: how many threads share the work of the processors; on a GPU there is one.
    """
    return Processors(made, threads) if made.device == "cpu" else Gpu(made)
