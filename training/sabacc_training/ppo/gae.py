"""Generalised advantage estimation (GAE) over hands that several seats play."""

from __future__ import annotations

import math

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array


@jit
def compute_advantages(
    tables: Array,
    seats: Array,
    values: Array,
    step_begins: Array,
    finished: Array,
    rewards: Array,
    gae_lambda: float,
    next_values: Array,
    next_advantages: Array,
    advantages: Array,
    complete: Array,
) -> None:
    """Write the advantage of each decision, chained over the decisions of its seat in its hand.

    Gamma is 1, and a hand's only reward comes at its end.

    Args:
        tables: (n,) the table of each decision, the earliest first.
        seats: (n,) the seat that decided.
        values: (n,) the critic's value.
        step_begins: (steps + 1,) the first decision of each step, and the end of the last step.
        finished: (steps, num_tables) whether a hand ended in the step, after its decisions.
        rewards: (steps, num_tables, num_players) the reward of each seat at that end.
        gae_lambda: lambda.
        next_values: (num_tables, num_players), for internal use: the value of a seat's next
            decision, or its reward; NaN where the hand does not end.
        next_advantages: likewise, the advantage of that decision.
        advantages: (n,) the result; meaningless where a hand is not over.
        complete: (n,) the result: whether the decision's hand is over.
    """
    next_values[:] = math.nan
    for step in range(len(step_begins) - 2, -1, -1):
        for table in range(finished.shape[1]):
            if finished[step, table]:
                for seat in range(next_values.shape[1]):
                    next_values[table, seat] = rewards[step, table, seat]
                    next_advantages[table, seat] = 0.0
        for row in range(step_begins[step + 1] - 1, step_begins[step] - 1, -1):
            table, seat = tables[row], seats[row]
            complete[row] = not math.isnan(next_values[table, seat])
            delta = next_values[table, seat] - values[row]
            advantages[row] = delta + gae_lambda * next_advantages[table, seat]
            next_advantages[table, seat] = advantages[row]
            if complete[row]:
                next_values[table, seat] = values[row]
