"""What several modules of tests of agents share."""

from __future__ import annotations

import pytest
from sabacc_agents.expectation import win_probabilities


@pytest.fixture(scope="module")
def rough_win_probabilities():
    """Compute the maximiser's tables roughly, for tests that do not depend on their precision."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(win_probabilities, "NUM_FINAL_HANDS", 512)
        patch.setattr(win_probabilities, "ITERATIONS", 1)
        win_probabilities.win_probabilities.cache_clear()
        yield
        win_probabilities.win_probabilities.cache_clear()
