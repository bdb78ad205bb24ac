"""Plays the same tables on the CPU and on another device, and compares them byte by byte."""

from __future__ import annotations

from typing import Any

import numpy as np

from sabacc_env import Tables, rule_sets
from sabacc_env.policies import always_raise, calling_station, policy, random_legal

COMPARED = "observations action_masks seats_to_act finished match_finished net_credits hand_counts"


@policy
def highest_action(_observation, legal, word):
    """Play the last legal action; junk now and then. It calls no function of the engine."""
    if word & 7 == 0 and legal >> 8 & 1:
        return 8
    action = 0
    while legal > 1:
        legal >>= 1
        action += 1
    return action


class DevicePair:
    """The same tables on the CPU and on another device, which must stay equal."""

    def __init__(self, device: str, *args: Any, **settings: Any) -> None:
        self.cpu = Tables(*args, **settings)
        self.other = Tables(*args, **settings, device=device)
        self.rng = np.random.default_rng(0)
        self.compare()

    def call_both(self, name: str, *args: Any, **settings: Any) -> None:
        """Call a method of both and compare them."""
        for tables in (self.cpu, self.other):
            getattr(tables, name)(*args, **settings)
        self.compare()

    def compare(self) -> None:
        """Assert that the public arrays and all records are equal."""
        for name in COMPARED.split():
            ours, theirs = (on_host(tables, getattr(tables, name)) for tables in self.both)
            assert ours.shape == theirs.shape, name
            assert ours.dtype == theirs.dtype, name
            assert ours.tobytes() == theirs.tobytes(), name
        assert self.cpu.to_bytes() == self.other.to_bytes()

    @property
    def both(self) -> tuple[Tables, Tables]:
        return self.cpu, self.other

    def legal_actions(self) -> Any:
        """Return a random legal action for every table."""
        weights = self.rng.random(self.cpu.action_masks.shape) * self.cpu.action_masks
        return weights.argmax(axis=1)

    def step(self, times: int) -> None:
        for _ in range(times):
            self.call_both("step", self.legal_actions())

    def step_some(self) -> None:
        which = self.rng.permutation(self.cpu.num_tables)[: self.cpu.num_tables // 2 + 1]
        self.call_both("step", self.legal_actions()[which], which)

    def clone_some(self) -> None:
        """Clone tables within the batch, where some sources are also targets."""
        n = self.cpu.num_tables
        for tables in self.both:
            tables.clone_from(tables, (np.arange(n - 1) + 1)[::-1].copy(), np.arange(n - 1))
        self.compare()

    def compare_final_hands(self) -> None:
        """Compare the final observations and outcomes of the hands that ended."""
        over = np.flatnonzero(self.cpu.hand_counts)
        ours, theirs = (tables.final_observations(over, over % 2) for tables in self.both)
        assert ours.tobytes() == on_host(self.other, theirs).tobytes()
        assert self.cpu.final_endings(over).tobytes() == self.other.final_endings(over).tobytes()
        if len(over):
            first = int(over[0])
            assert self.cpu.final_game(first).to_dict() == self.other.final_game(first).to_dict()
        assert self.cpu.game(0).to_bytes() == self.other.game(0).to_bytes()


def on_host(tables: Tables, array: Any) -> Any:
    """Return an array of these tables on the host."""
    return tables._device.fetch(array)


def compare_devices(device: str, num_tables: int, decisions: int) -> int:
    """Play all rule sets on a device and on the CPU; return the number of equal decisions."""
    played = 0
    for number, rules in enumerate(rule_sets()):
        for players in (2, 4 + number % 3):
            pair = DevicePair(
                device, rules, num_tables, players, seed=number, packed=bool(number % 2)
            )
            pair.step(decisions)
            pair.step_some()
            pair.call_both("play", random_legal, decisions)
            some = [always_raise, highest_action, calling_station, highest_action] * 2
            pair.call_both("play", some[:players], decisions)
            pair.compare_final_hands()
            pair.clone_some()
            pair.call_both("play", calling_station, decisions)
            played += 4 * decisions * num_tables
    mixed = DevicePair(
        device,
        list(rule_sets()),
        len(rule_sets()),
        [2, 3, 4, 5, 6, 7],
        seed=9,
        hands=3,
        keys=2**63 + np.arange(6, dtype=np.uint64),
    )
    mixed.step(decisions)
    mixed.call_both("play", random_legal, decisions)
    return played + 2 * decisions * len(rule_sets())
