"""Values at the reveal are those of all pairs of buckets."""

from __future__ import annotations

import numpy as np
from sabacc_agents.blueprint.buckets import FIRST_ZERO_BUCKET, HAND_BUCKETS
from sabacc_training.blueprints.reveal import add_values


def test_values_at_the_reveal_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        reach = rng.random(HAND_BUCKETS, np.float32) * (rng.random(HAND_BUCKETS) < 0.7)
        reach = reach.astype(np.float32)
        values = np.ones(HAND_BUCKETS, np.float32)
        add_values(reach, 3.0, 0.5, FIRST_ZERO_BUCKET, values)
        for own in range(HAND_BUCKETS):
            expected = 1.0
            for other in range(HAND_BUCKETS):
                if own > other:
                    expected += reach[other] * (3.0 + 0.5 * (own >= FIRST_ZERO_BUCKET))
                elif own < other:
                    expected -= reach[other] * (3.0 + 0.5 * (other >= FIRST_ZERO_BUCKET))
            assert np.isclose(values[own], expected, atol=1e-4)
