"""The same tables on two devices, played side by side and compared byte by byte."""

from __future__ import annotations

from typing import Any

import numpy as np

from sabacc_env import Tables, rule_sets
from sabacc_env.policies import always_raise, calling_station, policy, random_legal

SHOWN = "observations action_masks seats_to_act finished match_finished net_credits hand_counts"


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


class Match:
    """Tables of the CPU and of a device, which must stay equal."""

    def __init__(self, device: str, *args: Any, **settings: Any) -> None:
        self.cpu = Tables(*args, **settings)
        self.other = Tables(*args, **settings, device=device)
        self.rng = np.random.default_rng(0)
        self.compare()

    def both(self, name: str, *args: Any, **settings: Any) -> None:
        """Call a method of both."""
        for tables in (self.cpu, self.other):
            getattr(tables, name)(*args, **settings)
        self.compare()

    def compare(self) -> None:
        """Assert that all that a user can see is equal, and all records."""
        for name in SHOWN.split():
            ours, theirs = (fetched(tables, getattr(tables, name)) for tables in self.two)
            assert ours.shape == theirs.shape, name
            assert ours.dtype == theirs.dtype, name
            assert ours.tobytes() == theirs.tobytes(), name
        assert self.cpu.to_bytes() == self.other.to_bytes()

    @property
    def two(self) -> tuple[Tables, Tables]:
        return self.cpu, self.other

    def legal_actions(self) -> Any:
        """Return a random legal action for every table."""
        weights = self.rng.random(self.cpu.action_masks.shape) * self.cpu.action_masks
        return weights.argmax(axis=1)

    def step(self, times: int) -> None:
        for _ in range(times):
            self.both("step", self.legal_actions())

    def step_some(self) -> None:
        which = self.rng.permutation(self.cpu.num_tables)[: self.cpu.num_tables // 2 + 1]
        self.both("step", self.legal_actions()[which], which)

    def clone_some(self) -> None:
        """Clone tables onto others of the same batch, some sources being targets too."""
        n = self.cpu.num_tables
        for tables in self.two:
            tables.clone_from(tables, (np.arange(n - 1) + 1)[::-1].copy(), np.arange(n - 1))
        self.compare()

    def look_back(self) -> None:
        """Compare what seats saw of the hands that ended, and how they did."""
        over = np.flatnonzero(self.cpu.hand_counts)
        ours, theirs = (tables.final_observations(over, over % 2) for tables in self.two)
        assert ours.tobytes() == fetched(self.other, theirs).tobytes()
        assert self.cpu.final_endings(over).tobytes() == self.other.final_endings(over).tobytes()
        if len(over):
            first = int(over[0])
            assert self.cpu.final_game(first).to_dict() == self.other.final_game(first).to_dict()
        assert self.cpu.game(0).to_bytes() == self.other.game(0).to_bytes()


def fetched(tables: Tables, array: Any) -> Any:
    """Return an array of these tables on the host."""
    return tables._device.fetch(array)


def play_matches(device: str, num_tables: int, decisions: int) -> int:
    """Play all rule sets on a device and on the CPU; return how many decisions were the same."""
    played = 0
    for number, rules in enumerate(rule_sets()):
        for players in (2, 4 + number % 3):
            match = Match(device, rules, num_tables, players, seed=number, packed=bool(number % 2))
            match.step(decisions)
            match.step_some()
            match.both("play", random_legal, decisions)
            some = [always_raise, highest_action, calling_station, highest_action] * 2
            match.both("play", some[:players], decisions)
            match.look_back()
            match.clone_some()
            match.both("play", calling_station, decisions)
            played += 4 * decisions * num_tables
    mixed = Match(
        device,
        list(rule_sets()),
        len(rule_sets()),
        [2, 3, 4, 5, 6, 7],
        seed=9,
        hands=3,
        keys=2**63 + np.arange(6, dtype=np.uint64),
    )
    mixed.step(decisions)
    mixed.both("play", random_legal, decisions)
    return played + 2 * decisions * len(rule_sets())
