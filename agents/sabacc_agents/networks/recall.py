"""Recall: the cards that a seat saw at its last decisions of a hand, as more inputs of a network.

An observation has the cards that a seat holds, not those that it held before a swap or a discard.
So two turns can look alike although the player knows them apart. Chance and the public log tell
the rest.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_env.array_types import Floats, Ints
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.observation import OBSERVATION_SIZE, blocks, decode

NUM_RECALLED: Final = int(blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32)).discard_top[0]) + 1
"""The number of features that are recalled: the first ones, from the own cards to the top
discard."""


def as_inputs(stacks: Floats) -> Floats:
    """Return what is remembered before some decisions as inputs, (n, recalled features).

    Args:
        stacks: (n, decisions, NUM_RECALLED), the latest decision first, 0 before the first.
    """
    return stacks.reshape(len(stacks), -1)


def stacks_after(stacks: Floats, observations: Floats) -> Floats:
    """Return what is remembered after some decisions, of the shape of ``stacks``.

    Args:
        stacks: what is remembered before them, as above.
        observations: (n, OBSERVATION_SIZE) the observations at these decisions.
    """
    latest = observations[:, None, :NUM_RECALLED]
    return np.concatenate([latest, stacks], axis=1)[:, : stacks.shape[1]]


class HandMemory:
    """What every seat of some tables remembers of the hand in play.

    Args:
        decisions: how many decisions of the hand a seat remembers.
        num_tables: the number of tables.
    """

    def __init__(self, decisions: int, num_tables: int) -> None:
        self.stacks = np.zeros((num_tables, MAX_SEATS, decisions, NUM_RECALLED), np.float32)

    def recall(self, observations: Floats, rows: Ints, tables: Ints) -> Floats:
        """Return the recalled inputs, (n, recalled features), and remember these decisions, too.

        Args:
            observations: (rows, OBSERVATION_SIZE) the observations of seats to act.
            rows: (n,) the rows of those that decide.
            tables: (n,) their tables, each at most once.
        """
        if not self.stacks.shape[2]:
            return np.zeros((len(tables), 0), np.float32)
        observations = observations[rows]
        seats = decode(observations).seats_after_dealer
        before = self.stacks[tables, seats]
        self.stacks[tables, seats] = stacks_after(before, observations)
        return as_inputs(before)

    def restart(self, tables: Ints) -> None:
        """Forget the hands at some tables."""
        self.stacks[tables] = 0


class RemembersHands:
    """What an agent does with its ``HandMemory``, which its ``reset`` makes."""

    _memory: HandMemory

    def restart(self, tables: Ints) -> None:
        """Forget the hands at these tables."""
        self._memory.restart(tables)

    def memory(self) -> Floats:
        """Return what it remembers at every table, for ``restore_memory``."""
        return self._memory.stacks.copy()

    def restore_memory(self, memory: Floats) -> None:
        """Continue from what ``memory`` returned."""
        self._memory.stacks = memory.copy()


class NumberedStacks:
    """Numbers for stacks, for agents whose memory of a hand is to be one number.

    Number 0 is the stack before the first decision of a hand.

    Args:
        decisions: how many decisions of the hand a stack has.
    """

    def __init__(self, decisions: int) -> None:
        self._shape = decisions, NUM_RECALLED
        nothing = np.zeros(self._shape, np.float32)
        self._stacks = [nothing]
        self._numbers = {nothing.tobytes(): 0}

    def stacks(self, numbers: Ints) -> Floats:
        """Return the stacks of some numbers, (n, decisions, NUM_RECALLED)."""
        used, places = np.unique(numbers, return_inverse=True)
        found = np.zeros((len(used), *self._shape), np.float32)
        for row, number in enumerate(used.tolist()):
            found[row] = self._stacks[number]
        return np.asarray(found[places])

    def numbers(self, stacks: Floats) -> Ints:
        """Return the numbers of some stacks, (n,). A stack that has none is given the next."""
        found = np.zeros(len(stacks), np.int64)
        for row, stack in enumerate(stacks):
            number = self._numbers.setdefault(stack.tobytes(), len(self._stacks))
            if number == len(self._stacks):
                self._stacks.append(stack.copy())
            found[row] = number
        return found
