"""Measure the forms of observation: their speed, and how long sequences of tokens become.

    python tools/observation_forms.py speed
    python tools/observation_forms.py lengths

``speed`` plays random legal actions at many tables by ``Tables.step`` and by ``Tables.play``, all
forms in turn, by this process's CPU time. ``lengths`` plays hands between agents of the zoo.
docs/reference/forms.md has the results.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

import numpy as np
from sabacc_agents import load

from sabacc_env import Tables, rule_sets
from sabacc_env.observation import token_mask
from sabacc_env.policies import random_legal
from sabacc_env.tables.settings import ARRAY_FORMS

NUM_TABLES: Final = 1024
SEATS: Final = (2, 8)
STEPS: Final = 100
ROUNDS: Final = 7
HANDS: Final = 60_000
MAX_TOKENS: Final = 8192
"""Longer than any hand that was seen."""


def print_speed() -> None:
    """Print the decisions a CPU-second in each form, and the ratio to flat."""
    for num_players, (name, measure) in product(SEATS, {"step": _step, "play": _play}.items()):
        rates: dict[str, list[float]] = {form: [] for form in ARRAY_FORMS}
        batches = {
            form: Tables("casino", NUM_TABLES, num_players, seed=1, observation=form)
            for form in ARRAY_FORMS
        }
        for turn in range(ROUNDS + 1):
            for form, tables in batches.items():
                rate = measure(tables, np.random.default_rng(turn))
                if turn:  # the first one compiles
                    rates[form].append(rate)
        for form, measured in rates.items():
            ratios = [rate / flat for rate, flat in zip(measured, rates["flat"], strict=True)]
            print(
                f"{num_players} seats, {name}, {form}: {statistics.median(measured) / 1e6:.2f} "
                f"M decisions a CPU-second, {statistics.median(ratios):.2f} of flat "
                f"({min(ratios):.2f} to {max(ratios):.2f})"
            )


def _step(tables: Tables, rng: np.random.Generator) -> float:
    """Return the decisions a CPU-second of steps with random legal actions."""
    spent = 0.0
    for _ in range(STEPS):
        noise = rng.random(tables.action_masks.shape)
        actions = (noise * tables.action_masks).argmax(axis=1)
        started = time.process_time()
        tables.step(actions)
        spent += time.process_time() - started
    return STEPS * NUM_TABLES / spent


def _play(tables: Tables, _rng: np.random.Generator) -> float:
    """Return the decisions a CPU-second of the compiled loop with a policy of random actions."""
    started = time.process_time()
    tables.play(random_legal, STEPS)
    return STEPS * NUM_TABLES / (time.process_time() - started)


def print_lengths() -> None:
    """Print how long the longest sequence of a hand is, by rule set and seats."""
    for num_players in SEATS:
        for rules in rule_sets():
            agent = load(f"zoo:{rules}-{'2' if num_players == 2 else '2-8'}p", rules, num_players)
            tables = Tables(
                rules,
                256,
                num_players,
                seed=1,
                observation="tokens",
                max_tokens=MAX_TOKENS,
            )
            rng = np.random.default_rng(0)
            lengths: list[int] = []
            while len(lengths) < HANDS:
                tables.step(agent.act(tables.flat_observations, tables.action_masks, rng))
                if len(ended := np.flatnonzero(tables.finished)):
                    longest = [
                        token_mask(tables.final_observations(ended, seat, "tokens")).sum(axis=1)
                        for seat in range(num_players)
                    ]
                    lengths += np.max(longest, axis=0, initial=0).tolist()
            default = Tables(rules, 1, num_players, observation="tokens").max_tokens
            fits = np.mean(np.array(lengths) <= default)
            print(
                f"{rules}, {num_players} seats, {len(lengths)} hands: mean "
                f"{np.mean(lengths):.0f}, 99.99 % within {np.quantile(lengths, 0.9999):.0f}, "
                f"longest {max(lengths)}; {fits:.4%} fit into the default of {default}",
                flush=True,
            )


MEASUREMENTS: Final[dict[str, Callable[[], None]]] = {
    "speed": print_speed,
    "lengths": print_lengths,
}


def main(names: Sequence[str]) -> None:
    """Print what is measured by these names."""
    if not names or not set(names) <= set(MEASUREMENTS):
        sys.exit(f"usage: observation_forms.py [{'|'.join(MEASUREMENTS)}]...")
    for name in names:
        MEASUREMENTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
