"""Rewards with control variates: the same hands, the same mean, less variance."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.episode_corrections import EpisodeCorrections
from sabacc_training.language.task import text_task
from sabacc_training.variance_reduction.values import ValueFunction

from sabacc_env import SabaccError, TextEnv


def answer(style: str, text: str, rng: random.Random) -> str:
    """Return a move that a prompt lists, by chance; one style prefers to let the others bet."""
    moves = re.findall(r"^\d+: (.+)$", text, re.MULTILINE)
    passive = [move for move in moves if move in ("check", "call", "stand")]
    return rng.choice(passive or moves) if style == "passive" else rng.choice(moves)


def played(style: str, episodes: int, **keys: Any) -> NDArray[np.float64]:
    """Return the rewards and the net antes of seats that play by a style, (2, episodes)."""
    table = TextEpisodes(text_task(**keys))
    found = np.zeros((2, episodes))
    for seed in range(episodes):
        rng, turn = random.Random(seed), table.reset(seed)
        seat = turn.seat
        while not turn.done:
            turn = table.step(answer(style, turn.text, rng))
        found[:, seed] = table.results[seat].reward, table.results[seat].net_antes
    return found


def test_the_hands_stay_the_same() -> None:
    game = {"rules": "orsl", "num_players": 3, "opponents": ["tight", "random"], "hands": 2}
    raw, reduced = played("random", 6, **game), played("random", 6, variance_reduction=True, **game)
    assert (raw[0] == raw[1]).all()
    assert (raw[1] == reduced[1]).all()
    assert (reduced[0] != reduced[1]).all()
    assert (reduced == played("random", 6, variance_reduction=True, **game)).all()


def test_turns_have_both_figures_as_hands_end() -> None:
    task = text_task(rules="casino", opponents=["text"], hands=3, variance_reduction=True)
    episodes, rng = TextEpisodes(task), random.Random(0)
    turns = [episodes.reset(3)]
    while not turns[-1].done:
        turns.append(episodes.step(answer("random", turns[-1].text, rng)))
    seat = turns[-1].seat  # which has been told all that there is
    told = [after for asked, after in pairwise(turns) if asked.seat == seat]
    result = episodes.results[seat]
    assert sum(turn.reward for turn in told) == pytest.approx(result.reward)
    assert sum(turn.net_antes for turn in told) == pytest.approx(result.net_antes)
    assert 2 <= sum(turn.reward != 0 for turn in told) <= 3
    assert all(turn.reward != 0 for turn in told if turn.net_antes != 0)


@pytest.mark.parametrize("opponent", ["tight", "zoo:casino-2p"])
def test_corrections_are_for_the_hands_that_are_played(opponent: str) -> None:
    """The second table deals the same cards to the same agents, hand after hand."""
    task = text_task(rules="casino", opponents=[opponent], hands=3)
    env = TextEnv("casino", 2, agents={1: task.load(opponent)}, hands=3)
    corrections = EpisodeCorrections(env, task, ValueFunction(), {1: opponent})
    for seed in range(4):
        rng = random.Random(seed)
        env.reset(seed)
        corrections.begin(seed)
        corrections.follow()
        while env.seat_to_act is not None:
            seen = env._env.observe("player_0")
            assert (corrections._tables.flat_observations[0] == seen["observation"]).all()
            assert (corrections._tables.action_masks[0] == seen["action_mask"]).all()
            env.step(answer("random", env.prompt, rng))
            corrections.follow()
        assert corrections._tables.hand_counts[0] == env._env.hands_finished


@pytest.mark.slow
@pytest.mark.parametrize(
    ("style", "keys", "least_factor"),
    [
        ("random", {"rules": "casino", "opponents": ["zoo:casino-2p"]}, 1.2),
        ("random", {"rules": "spacers", "num_players": 3, "opponents": ["tight"]}, 1.2),
        ("random", {"rules": "orsl", "opponents": ["text"], "hands": 2}, 0),
        ("passive", {"rules": "orsl", "opponents": ["loose"]}, 0),
        ("passive", {"rules": "casino", "opponents": ["always_junk"]}, 0),
    ],
)
def test_the_mean_stays_whatever_is_played(
    style: str, keys: dict[str, Any], least_factor: float
) -> None:
    """The last opponent often ends the hand at once: such hands are dealt, but not asked about."""
    reward, net_antes = played(style, 800, variance_reduction=True, **keys)
    corrections = net_antes - reward
    error = corrections.std(ddof=1) / np.sqrt(len(corrections))
    assert abs(corrections.mean()) < 4 * error
    assert net_antes.var() > least_factor * reward.var()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"rules": "one_draw", "kind": "decision"}, 'is for kind = "hands"'),
        ({"rules": "one_draw"}, "no value function ships for the rules 'one_draw'"),
        ({"rules": "casino", "rule_overrides": {"hand_ante": 3}}, "ships for the rules 'casino'"),
    ],
)
def test_what_cannot_be_reduced_is_named(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(SabaccError, match=f"variance_reduction: .*{words}"):
        text_task(variance_reduction=True, **keys)
