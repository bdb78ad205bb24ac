"""Compares tables on a GPU with tables on the CPU, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import JUNK
from sabacc_env.errors import SabaccError
from sabacc_env.policies import always_raise, policy, random_legal
from sabacc_env.rules import rule_sets
from sabacc_env.tables import Tables

ARRAYS: Final = (
    *("observations", "action_masks", "seats_to_act"),
    *("finished", "match_finished", "net_credits", "hand_counts"),
)
"""The arrays of tables that are compared."""

NUM_BATCHES: Final = 2 * len(rule_sets()) + 1
"""The number of batches of tables that ``compare_devices`` plays."""


@policy
def highest_action(_observation: Any, legal: int, word: int) -> int:
    """Play the highest legal action, and junk now and then. It calls no engine function."""
    if word & 7 == 0 and legal >> JUNK & 1:
        return JUNK
    action = 0
    while legal > 1:
        legal >>= 1
        action += 1
    return action


class DevicePair:
    """The same tables on the CPU and on a GPU, which must stay equal.

    Args:
        device: the device of the second ones.
        args, settings: what both tables are made with.

    Raises:
        SabaccError: from every method, if the two differ.
    """

    def __init__(self, device: str, *args: Any, **settings: Any) -> None:
        self.cpu = Tables(*args, **settings)
        self.other = Tables(*args, **settings, device=device)
        self._rng = np.random.default_rng(0)
        self.compare()

    def call_both(self, method: str, *args: Any, **settings: Any) -> None:
        """Call a method of both tables and compare them."""
        for tables in self.both:
            getattr(tables, method)(*args, **settings)
        self.compare()

    def compare(self) -> None:
        """Compare all that a user can see, and all records."""
        for name in ARRAYS:
            self._refuse_difference(name, getattr(self.cpu, name), getattr(self.other, name))
        self._refuse_difference("to_bytes", self.cpu.to_bytes(), self.other.to_bytes())

    @property
    def both(self) -> tuple[Tables, Tables]:
        """The tables on the CPU and those on the other device."""
        return self.cpu, self.other

    def legal_actions(self) -> NDArray[np.int64]:
        """Return a random legal action for every table."""
        weights = self._rng.random(self.cpu.action_masks.shape) * self.cpu.action_masks
        return np.asarray(weights.argmax(axis=1), dtype=np.int64)

    def step(self, times: int) -> None:
        """Step all tables so many times by random actions."""
        for _ in range(times):
            self.call_both("step", self.legal_actions())

    def step_some(self) -> None:
        """Step about half of the tables, in random order."""
        chosen = self._rng.permutation(self.cpu.num_tables)[: self.cpu.num_tables // 2 + 1]
        self.call_both("step", self.legal_actions()[chosen], chosen)

    def clone_some(self) -> None:
        """Clone tables onto others of the same batch. Some sources are targets too."""
        count = self.cpu.num_tables - 1
        for tables in self.both:
            tables.clone_from(tables, (np.arange(count) + 1)[::-1].copy(), np.arange(count))
        self.compare()

    def compare_final_hands(self) -> None:
        """Compare the observations, outcomes and records of the hands that ended last."""
        ended = np.flatnonzero(self.cpu.hand_counts)
        self._refuse_difference(
            "final_observations",
            *(tables.final_observations(ended, ended % 2) for tables in self.both),
        )
        self._refuse_difference(
            "final_outcomes", self.cpu.final_outcomes(ended), self.other.final_outcomes(ended)
        )
        if len(ended):
            first = int(ended[0])
            games = (tables.final_game(first).to_bytes() for tables in self.both)
            self._refuse_difference("final_game", *games)
        self._refuse_difference("game", self.cpu.game(0).to_bytes(), self.other.game(0).to_bytes())

    def _refuse_difference(self, name: str, ours: Any, theirs: Any) -> None:
        ours, theirs = (np.asarray(on_host(each)) for each in (ours, theirs))
        same_form = (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if not same_form or ours.tobytes() != theirs.tobytes():
            raise SabaccError(f"{name}: the tables on the GPU differ from those on the CPU")


def on_host(array: Any) -> Any:
    """Return an array of the host, copied from the GPU if it is there."""
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


def compare_devices(device: str, num_tables: int, decisions: int) -> Iterator[int]:
    """Play all rule sets on a device and on the CPU, and compare all bytes after every call.

    Args:
        device: the device.
        num_tables: tables of each batch.
        decisions: decisions at each table in each of several forms of play.

    Yields:
        For each batch the number of decisions that were equal.

    Raises:
        SabaccError: for a difference, or if the device cannot be used.
    """
    for number, rules in enumerate(rule_sets()):
        for players in (2, 4 + number % 3):
            pair = DevicePair(
                device, rules, num_tables, players, seed=number, packed=bool(number % 2)
            )
            pair.step(decisions)
            pair.step_some()
            pair.call_both("play", random_legal, decisions)
            policies = [always_raise, highest_action] * 3
            pair.call_both("play", policies[:players], decisions)
            pair.compare_final_hands()
            pair.clone_some()
            pair.call_both("play", random_legal, decisions)
            yield 4 * decisions * num_tables
    pair = DevicePair(
        device,
        list(rule_sets()),
        len(rule_sets()),
        [2, 3, 4, 5, 6, 7],
        seed=9,
        hands=3,
        keys=2**63 + np.arange(6, dtype=np.uint64),
    )
    pair.step(decisions)
    pair.call_both("play", random_legal, decisions)
    yield 2 * decisions * len(rule_sets())
