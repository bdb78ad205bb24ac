"""What a margin at two seats is where there is a Sabacc pot: half of it counts for who takes it."""

from __future__ import annotations

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_training.evaluation.margins import place_margins

from sabacc_env import Tables, load_rules


@pytest.mark.parametrize("before", [0, 40])
def test_a_margin_is_the_net_credits_but_for_the_sabacc_pot(before: int) -> None:
    rules = load_rules("casino")
    count = 400
    tables = Tables(rules, count, 2, seed=1, sabacc_pots=np.full(count, before))
    agent = load("calling_station", rules, 2)
    rng = np.random.default_rng(0)
    net, taken = np.zeros((count, 2)), np.zeros(count, np.bool_)
    playing = np.arange(count)
    while len(playing):
        actions = agent.act(
            tables.flat_observations[playing], tables.action_masks[playing], rng, playing
        )
        tables.step(actions, playing)
        ended = playing[tables.finished[playing]]
        net[ended] = tables.net_credits[ended]
        taken[ended] = tables.final_records["sabacc_pot"][ended] == 0
        playing = playing[~tables.finished[playing]]
    margins = place_margins(net[:, None], rules.ante_unit) * rules.ante_unit / 1000
    # Nobody took it: the own Sabacc ante comes back. Somebody did: half of what it held before
    # this hand is not counted, whoever it was.
    expected = np.where(taken[:, None], net - before / 2, net + rules.sabacc_ante)
    assert 20 < taken.sum() < count - 20
    assert np.allclose(margins, expected)
    assert np.allclose(margins.sum(axis=1), 0)
