"""What is not matrices, compiled: drawing actions, advantages, the gradient of the objective.

All of it runs over rows of decisions; legal actions are bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array


class Objective(NamedTuple):
    """What is made large: min(ratio * gain, clipped ratio * gain) + entropy * H - kl * KL.

    H is the entropy of the policy and KL its divergence from the magnet.

    Attributes:
        clip: how far a ratio may move from 1.
        entropy: the weight of H.
        kl: the weight of KL.
    """

    clip: float
    entropy: float
    kl: float


@jit
def legal_bits(masks: Array, which: Array, legal: Array) -> None:
    """Write the legal actions at some tables as bits."""
    for i in range(len(which)):
        bits = 0
        for action in range(masks.shape[1]):
            bits |= int(masks[which[i], action]) << action
        legal[i] = bits


@jit
def log_softmax(logits: Array, legal: Array, out: Array) -> None:
    """Write the logarithms of the probabilities of legal actions; 0 for the others."""
    for i in range(len(logits)):
        top = -math.inf
        for action in range(logits.shape[1]):
            if legal[i] >> action & 1:
                top = max(top, logits[i, action])
        total = 0.0
        for action in range(logits.shape[1]):
            if legal[i] >> action & 1:
                total += math.exp(logits[i, action] - top)
        norm = top + math.log(total)
        for action in range(logits.shape[1]):
            out[i, action] = logits[i, action] - norm if legal[i] >> action & 1 else 0.0


@jit
def draw(logs: Array, legal: Array, uniforms: Array, actions: Array, log_chances: Array) -> None:
    """Draw an action from each row of logarithms, by a number from 0 to 1."""
    for i in range(len(logs)):
        left = uniforms[i]
        for action in range(logs.shape[1]):
            if legal[i] >> action & 1:
                actions[i] = action  # rounding may leave a little after the last
                left -= math.exp(logs[i, action])
                if left < 0:
                    break
        log_chances[i] = logs[i, actions[i]]


@jit
def advantages(
    tables: Array,
    seats: Array,
    values: Array,
    firsts: Array,
    ends: Array,
    rewards: Array,
    decay: float,
    coming: Array,
    gains: Array,
    out: Array,
    closed: Array,
) -> None:
    """Write the generalised advantage of each decision, chained over its seat's own decisions.

    Args:
        tables: (rows,) where each decision was taken, the earliest first.
        seats: (rows,) by whom.
        values: (rows,) what the critic expected.
        firsts: (steps + 1,) the first row of each step, and the end of the last.
        ends: (steps, num_tables) whether a hand ended in the step, after its decisions.
        rewards: (steps, num_tables, num_players) what it brought each seat.
        decay: lambda; gamma is 1.
        coming: (num_tables, num_players), worked in: what follows a seat's next decision.
        gains: likewise, the advantage of that decision.
        out: (rows,) the advantages; meaningless where a hand is not over.
        closed: (rows,) whether the decision's hand is over.
    """
    coming[:] = np.nan  # of a hand that is not over nothing is known
    for step in range(len(firsts) - 2, -1, -1):
        for table in range(ends.shape[1]):
            if ends[step, table]:
                for seat in range(coming.shape[1]):
                    coming[table, seat] = rewards[step, table, seat]
                    gains[table, seat] = 0.0
        for row in range(firsts[step + 1] - 1, firsts[step] - 1, -1):
            table, seat = tables[row], seats[row]
            closed[row] = not math.isnan(coming[table, seat])
            gain = coming[table, seat] - values[row] + decay * gains[table, seat]
            out[row] = gain
            gains[table, seat] = gain
            if closed[row]:
                coming[table, seat] = values[row]


@jit
def policy_slopes(
    logs: Array,
    legal: Array,
    actions: Array,
    before: Array,
    gains: Array,
    magnet: Array,
    clip: float,
    entropy: float,
    kl: float,
    share: float,
    out: Array,
    sums: Array,
) -> None:
    """Write the gradient of the loss by the logits, and add up what is reported.

    The loss is the sum, times ``share``, of -min(ratio * gain, clipped ratio * gain) - entropy * H
    + kl * KL, with H the entropy of the policy and KL its divergence from the magnet.

    Args:
        logs: (n, actions) the policy's logarithms of probabilities.
        legal: (n,) bits.
        actions: (n,) what was played.
        before: (n,) its logarithm when it was played.
        gains: (n,) the advantages.
        magnet: (n, actions) the magnet's logarithms; (0, actions) where there is none.
        clip: how far a ratio may move.
        entropy: the weight of H.
        kl: the weight of KL.
        share: the weight of a row: of a mean over rows, 1 / their number.
        out: (n, actions).
        sums: (4,) entropy, divergence, share of clipped ratios, divergence from what played.
    """
    for i in range(len(logs)):
        own = logs[i, actions[i]]
        moved = own - before[i]
        ratio = math.exp(moved)
        gain = gains[i]
        clipped = (gain > 0 and ratio > 1 + clip) or (gain < 0 and ratio < 1 - clip)
        push = 0.0 if clipped else ratio * gain
        spread, away = 0.0, 0.0
        for action in range(logs.shape[1]):
            if legal[i] >> action & 1:
                chance = math.exp(logs[i, action])
                out[i, action] = chance
                spread -= chance * logs[i, action]
                if len(magnet) > 0:
                    away += chance * (logs[i, action] - magnet[i, action])
        for action in range(logs.shape[1]):
            if legal[i] >> action & 1:
                chance = out[i, action]
                slope = push * chance + entropy * chance * (logs[i, action] + spread)
                if len(magnet) > 0:
                    slope += kl * chance * (logs[i, action] - magnet[i, action] - away)
                if action == actions[i]:
                    slope -= push
                out[i, action] = share * slope
            else:
                out[i, action] = 0.0
        sums[0] += spread
        sums[1] += away
        sums[2] += clipped
        sums[3] += ratio - 1 - moved
