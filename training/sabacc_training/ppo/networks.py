"""The networks of the policy and of the critic: initialisation, forward passes and sampling."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.threads import Workers

ROW_MULTIPLE: Final = 128
"""Rows are padded to a multiple of it: see ``forward_in_chunks``."""


def make_mlp(
    sizes: Sequence[int], compute: Compute, generator: torch.Generator, last_gain: float
) -> nn.Sequential:
    """Return layers with a ReLU after each but the last, orthogonally initialised.

    Args:
        sizes: number of inputs, widths of the hidden layers, number of outputs.
        compute: the device.
        generator: draws the weights.
        last_gain: the gain of the last layer; the others have that for ReLU.
    """
    layers: list[nn.Module] = []
    for index, (fan_in, fan_out) in enumerate(pairwise(sizes)):
        linear = nn.Linear(fan_in, fan_out)
        gain = last_gain if index == len(sizes) - 2 else 2**0.5
        nn.init.orthogonal_(linear.weight, gain, generator)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU(inplace=True)]
    return nn.Sequential(*layers[:-1]).to(compute.device)


def forward(network: nn.Sequential, inputs: Tensor, compute: Compute) -> Tensor:
    """Return the outputs of a network, (n, outputs) float32, for autograd to differentiate."""
    with compute.autocast():
        outputs: Tensor = network(inputs)
    return outputs.float()


@torch.no_grad()
def forward_in_chunks(
    network: nn.Sequential, inputs: Tensor, compute: Compute, workers: Workers
) -> Tensor:
    """Return the outputs of a network, (n, outputs) float32, computed in chunks of rows.

    No gradients are kept. The last chunk is padded to a multiple of ``ROW_MULTIPLE`` rows, because
    matrix products are compiled anew for each new number of rows, which takes longer than most
    products.
    """
    last = network[-1]
    assert isinstance(last, nn.Linear)
    outputs = torch.empty((len(inputs), last.out_features), device=compute.device)

    @torch.no_grad()  # holds for the thread that enters it only
    def write(rows: slice) -> None:
        begin = rows.start
        with compute.autocast():
            for chunk in torch.split(inputs[rows], compute.chunk_size):
                missing = -len(chunk) % ROW_MULTIPLE
                padded = functional.pad(chunk, (0, 0, 0, missing)) if missing else chunk
                outputs[begin : begin + len(chunk)] = network(padded)[: len(chunk)]
                begin += len(chunk)

    workers.parallel_for(len(inputs), write, compute.chunk_size)
    return outputs


def masked_log_probs(logits: Tensor, action_masks: Tensor) -> Tensor:
    """Return the log probabilities of legal actions, (n, actions); 0 in place of illegal ones.

    0 rather than minus infinity keeps sums over actions and their gradients finite.
    """
    illegal = ~action_masks
    log_probs = torch.log_softmax(logits.masked_fill(illegal, -torch.inf), dim=1)
    return log_probs.masked_fill(illegal, 0.0)


def masked_probs(log_probs: Tensor, action_masks: Tensor) -> Tensor:
    """Return the probabilities of all actions from ``masked_log_probs``; 0 for illegal ones."""
    return log_probs.exp().masked_fill(~action_masks, 0.0)


def sample_actions(probs: Tensor, uniforms: Tensor) -> Tensor:
    """Return an action for each row, (n,), sampled by a uniform number in [0, 1).

    Args:
        probs: (n, actions) probabilities, 0 for illegal actions, whose sums may be rounded.
        uniforms: (n,) float32.
    """
    cumulative = probs.double().cumsum(dim=1)
    # A float32 below 1 times a double is less than that double: no action beyond the last is drawn.
    thresholds = uniforms * cumulative[:, -1]
    return torch.searchsorted(cumulative, thresholds[:, None], right=True)[:, 0]
