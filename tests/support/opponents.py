"""An opponent that always does the same, for tests."""

from __future__ import annotations


class Preferring:
    """Takes the first legal action of its list, else the first of all."""

    def __init__(self, *prefers: int) -> None:
        self.prefers = prefers
        self.acted: set[int] = set()
        self.restarted: set[int] = set()

    def reset(self, num_tables):
        pass

    def restart(self, tables):
        self.restarted.update(tables.tolist())

    def act(self, observations, action_masks, rng, tables=None):
        self.acted.update(tables.tolist())
        scores = action_masks.astype(float)
        for rank, action in enumerate(self.prefers):
            scores[:, action] *= 100 - rank
        return scores.argmax(axis=1)
