"""What the network looks at: an observation, and how near zero each card action leaves the hand.

A hand's worth turns on its total being zero, which is hard to learn from card values: the total
after swapping slot 2, say, is a sum of three features of which only the exact value 0 matters.
So the policy is shown these totals, as it would be shown the board of another game. They say
nothing that the observation does not: each is a sum of its features, looked at through ReLUs, so
that the saved network holds them as a first layer with fixed weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sabacc_env.observation import OBSERVATION_SIZE, blocks
from sabacc_env.rules import RuleSet

NEAR = 4.0
"""Totals less than this far from zero are told from others."""


def varying_columns(num_players: int, several_rules: bool = False) -> NDArray[np.int64]:
    """Return the indices of the features that can vary within one training run.

    The rule description and the opponents that are not there stay the same throughout, and are
    almost half of what would have to be multiplied.

    Args:
        num_players: seats at the largest table.
        several_rules: whether more than one rule set is played.
    """
    indices = blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32))
    constant = [indices.opponents[num_players - 1 :], indices.opponent_bets[num_players - 1 :]]
    if not several_rules:
        constant.append(indices.rules)
    gone = np.concatenate([part.ravel() for part in constant]).astype(np.int64)
    return np.setdiff1d(np.arange(OBSERVATION_SIZE), gone)


def totals_after(rules: RuleSet) -> NDArray[np.float32]:
    """Return the totals that the card actions leave, as sums of features.

    Shape (OBSERVATION_SIZE, number of totals): an observation times this gives whole numbers, but
    for a Sylop put down or taken, which counts as a half. What is drawn from the pile is not known
    and counts as nothing.
    """
    index = blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32))
    ones = index.own_total, index.discard_top, index.drawn, index.own_spike
    total, top, drawn, spike = (int(block[0]) for block in ones)
    slots = [int(slot) for slot in index.own_slots[:, 0]]
    sums = [{total: 1}, *({total: 1, slot: -1} for slot in slots)]
    if "buy_discard" in rules.card_actions:
        sums.append({total: 1, top: 1})
    if "swap" in rules.card_actions:
        sums += [{total: 1, slot: -1, top: 1} for slot in slots]
    if rules.look_then_discard:
        sums.append({total: 1, drawn: 1})
    if "replace" in rules.card_actions:
        sums += [{total: 1, slot: -1, drawn: 1} for slot in slots]
    if "replace_spike" in rules.card_actions:
        sums.append({total: 1, spike: -1, drawn: 1})
    matrix = np.zeros((OBSERVATION_SIZE, len(sums)), dtype=np.float32)
    for column, terms in enumerate(sums):
        for feature, sign in terms.items():
            matrix[feature, column] = 10 * sign  # a value is shown as a tenth
    return matrix


def as_layers(
    columns: NDArray[np.int64], totals: NDArray[np.float32]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return an outlook as a layer and what follows it: weight, bias, and a mix of its outputs.

    ``mix @ relu(weight @ x + bias)`` is what the network looks at in an observation x: the columns,
    and of each total t, |t| / 5, max(0, 1 - |t|) and max(0, 1 - |t| / 4), each for all in turn.
    """
    sums = torch.as_tensor(totals.T)
    count, size = sums.shape
    shown = torch.eye(size)[columns]
    # x = relu(x) - relu(-x), and tents over a total t are sums of relu(t - corner).
    corners = [-NEAR, -1.0, 0.0, 1.0, NEAR]
    weight = torch.cat([shown, -shown, -sums, *[sums] * len(corners)])
    bias = torch.zeros(len(weight))
    for place, corner in enumerate(corners):
        start = 2 * len(columns) + (1 + place) * count
        bias[start : start + count] = -corner
    one, none = torch.eye(count), torch.zeros(count, count)
    away = [one / 5, none, none, one / 5, none, none]
    zero = [none, none, one, -2 * one, one, none]
    near = [none, one / NEAR, none, -2 * one / NEAR, none, one / NEAR]
    tents = torch.cat([torch.cat(row, dim=1) for row in (away, zero, near)])
    kept = torch.eye(len(columns))
    mix = functional.pad(torch.cat([kept, -kept], dim=1), (0, tents.shape[1], 0, len(tents)))
    mix[len(columns) :, 2 * len(columns) :] = tents
    return weight, bias, mix


def saved_layers(
    columns: NDArray[np.int64],
    totals: NDArray[np.float32],
    layers: Sequence[tuple[Tensor, Tensor]],
) -> dict[str, Tensor]:
    """Return layers over an outlook, (weight, bias) each, as a network that is saved has them.

    The outlook is a first layer of its own; what mixes its outputs goes into the layer after.
    """
    weight, bias, mix = as_layers(columns, totals)
    (first, first_bias), *others = layers
    named = {}
    every = [(weight, bias), (first @ mix, first_bias), *others]
    for index, (weight, bias) in enumerate(every):
        named[f"layers.{index}.weight"] = weight
        named[f"layers.{index}.bias"] = bias
    return named
