"""Dealing at a batch of tables: the first hands of episodes, and the hands after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.engine.drivers import batch
from sabacc_env.errors import SabaccError
from sabacc_env.tables.arrays import TableArrays
from sabacc_env.tables.hand_starts import HandStarts

if TYPE_CHECKING:
    from sabacc_env.tables.device import Device


class HandDealer:
    """Deals hands at tables, from what ``hand_starts`` says.

    Attributes:
        autoreset: whether the engine deals the next hand in the step that ends one; else functions
            have to say what it starts from, and ``deal_waiting`` deals it.
    """

    def __init__(self, arrays: TableArrays, hand_starts: HandStarts, device: Device) -> None:
        if hand_starts.calls_functions and device.arrays_only:
            raise SabaccError(
                "device: tables on a GPU cannot call functions; give keys, dealers, credits and "
                "sabacc_pots as arrays"
            )
        if len(hand_starts.starts.rule_pool) and device.arrays_only:
            raise SabaccError(
                "rules: tables on a GPU keep their rules; give a rule set for each table, as "
                "RuleSpace.sample draws it"
            )
        self.autoreset = not hand_starts.calls_functions
        self._arrays, self._device, self._hand_starts = arrays, device, hand_starts
        self.set_starts(hand_starts.starts)

    @property
    def batches(self) -> tuple[Any, ...]:
        """The arrays that the engine plays and deals by."""
        return self._arrays.games, self._arrays.turns, self._arrays.results, self._starts

    def copy_starts(self) -> batch.Starts:
        """Return a copy of what hands start from, in the host's memory."""
        return batch.Starts(*(array.copy() for array in self._hand_starts.starts))

    def set_starts(self, starts: batch.Starts) -> None:
        """Deal from these arrays of the host from now on."""
        self._hand_starts.starts = starts
        self._starts = batch.Starts(*map(self._device.to_device, starts))

    def change_starts(
        self,
        indices: NDArray[np.int64],
        credits: ArrayLike | None,
        sabacc_pots: ArrayLike | None,
    ) -> None:
        """Change what later episodes start from; arguments as of ``Tables.set_episode_starts``."""
        self._hand_starts.change(self._device.to_host(indices), credits, sabacc_pots)
        self.set_starts(self._hand_starts.starts)

    def begin_episodes(self, indices: NDArray[np.int64], hand_counts: NDArray[np.int64]) -> None:
        """Deal the first hands of episodes, which are these hands of their tables."""
        if not self.autoreset:
            new = np.ones(len(indices), dtype=np.bool_)
            self._hand_starts.call_functions(indices, new, hand_counts)
        self._device.write(self._arrays.results.hand_counts, hand_counts)
        self._device.run(batch.begin_episodes, self.batches, indices)
        self._refuse_starts_without_decision(indices)

    def deal_waiting(self, indices: NDArray[np.int64]) -> None:
        """Deal where hands of these tables wait for what functions say of the next one."""
        if self.autoreset:
            self._refuse_starts_without_decision(indices)
            return
        arrays = self._arrays
        waiting = indices[arrays.results.finished[indices] & (arrays.turns.seats[indices] < 0)]
        while len(waiting):
            new = np.zeros(len(waiting), dtype=np.bool_)
            batch.write_match_over(arrays.games, waiting, new)
            self._hand_starts.call_functions(waiting, new, arrays.results.hand_counts)
            self._device.run(batch.deal_next_hands, self.batches, waiting)
            waiting = waiting[arrays.turns.seats[waiting] < 0]
            self._refuse_starts_without_decision(waiting)

    def _refuse_starts_without_decision(self, indices: NDArray[np.int64]) -> None:
        """Refuse starts that leave nobody a decision in the first hand of an episode."""
        batches = self._arrays.games, self._arrays.turns
        found = self._device.find_first(batch.first_start_without_decision, batches, indices)
        if found >= 0:
            table = int(indices[found])
            raise SabaccError(f"credits: at table {table} the antes leave no seat a decision")
