"""Whole episodes by compiled policies: as tables play them, and the same however they are split."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents.loading import load

from sabacc_env import IllegalMove, SabaccError, Tables, load_rules, rule_sets
from sabacc_env.actions import action_names
from sabacc_env.engine.layout import KINDS
from sabacc_env.game.keys import hand_key
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.policies import (
    Policy,
    PolicyAgent,
    always_raise,
    pick,
    policy,
    random_legal,
)
from sabacc_env.tables import Episodes, play_episodes, policy_choices, replay_episode
from tests.support.modes import INTERPRETED


def keys_of(seed: int, *shape: int) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(2**64, size=shape, dtype=np.uint64)


def policies_of(rules: str, *names: str) -> list[Policy]:
    """Return policies without chance."""
    return [load(name, rules, len(names)).compiled_policy for name in names]  # type: ignore[attr-defined]


def stepped(
    rules: str,
    policies: Sequence[Policy],
    keys: NDArray[np.uint64],
    hands: int = 1,
    credits: Sequence[int] | None = None,
    sabacc_pot: int | None = None,
) -> Episodes:
    """Play the same episodes one a table, in steps, by policies without chance."""
    n = len(keys)
    seats = len(policies)
    tables = Tables(
        rules,
        n,
        seats,
        hands=hands,
        keys=lambda table, hand: hand_key(int(keys[table]), 0, hand) if hand else keys[table],
        credits=credits,
        sabacc_pots=sabacc_pot,
    )
    agents, rng = [PolicyAgent(each) for each in policies], np.random.default_rng(0)
    net, dealt = np.zeros((2, n, seats), dtype=np.int64)
    words = [name.split()[0] for name in action_names()]
    names = [name for name, _ in HAND_NAMES[load_rules(rules).ranking]]
    moves = np.zeros((seats, 5, 16, len(KINDS)), dtype=np.int64)
    moves_by_hand = np.zeros((seats, len(names), len(KINDS)), dtype=np.int64)
    reveals = np.zeros((seats, len(names), 2), dtype=np.int64)
    playing = np.arange(n)
    while len(playing):
        actions = np.zeros(len(playing), dtype=np.int64)
        for seat, agent in enumerate(agents):
            rows = tables.seats_to_act[playing] == seat
            where = playing[rows]
            seen = tables.observations[where], tables.action_masks[where]
            actions[rows] = agent.act(*seen, rng, where)
            for table, action in zip(where.tolist(), actions[rows].tolist(), strict=True):
                game = tables.game(table)
                kind, rank = KINDS.index(words[action]), game.rank(seat)
                assert rank is not None
                moves[seat, min(4, game.round), min(15, abs(rank.total)), kind] += 1
                moves_by_hand[seat, names.index(rank.name), kind] += 1
        tables.step(actions, playing)
        net[playing] += tables.net_credits[playing]
        ended = playing[tables.finished[playing]]
        seated = tables.final_records["seated"][ended]
        dealt[ended] += seated[:, None] >> np.arange(seats) & 1
        for game in map(tables.final_game, ended.tolist()):
            assert game.winners is not None
            for seat, name in game.revealed_hands.items():
                reveals[seat, names.index(name)] += 1, game.winners[0] == seat
        playing = playing[~tables.match_finished[playing]]
    return Episodes(net, dealt, moves, moves_by_hand, reveals)


def assert_equal(found: Episodes, expected: Episodes) -> None:
    for array, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, wanted)


def joined(parts: Sequence[Episodes]) -> Episodes:
    """Return what several calls brought together."""
    results = [np.concatenate([part[field] for part in parts]) for field in (0, 1)]
    counts = [np.sum([part[field] for part in parts], axis=0) for field in (2, 3, 4)]
    return Episodes(*results, *counts)


@pytest.mark.parametrize("rules", rule_sets())
@pytest.mark.parametrize("seats", [2, 4])
def test_single_hands_are_those_of_tables(rules: str, seats: int) -> None:
    policies = policies_of(rules, *["tight", "loose", "draws_to_zero", "bluffer"][:seats])
    keys = keys_of(seats, 200)
    played = play_episodes(rules, policies, keys)
    assert_equal(played, stepped(rules, policies, keys))
    assert (played.hands_dealt == 1).all()
    assert (played.net_credits.max(axis=0) > 0).all()


@pytest.mark.parametrize("rules", ["casino", "orsl", "black_spire"])
@pytest.mark.parametrize("seats", [2, 5])
def test_matches_with_eliminations_are_those_of_tables(rules: str, seats: int) -> None:
    names = ["always_raise", "loose", "calling_station", "tight", "shover"]
    policies = policies_of(rules, *names[:seats])
    keys = keys_of(seats, 60)
    played = play_episodes(rules, policies, keys, hands=12)
    assert_equal(played, stepped(rules, policies, keys, 12))
    if rules != "black_spire":  # a points game eliminates nobody
        assert played.hands_dealt.max(axis=1).min() < 12
        assert (played.hands_dealt[:, 0] < played.hands_dealt.max(axis=1)).any() or seats == 2


def test_given_credits_and_sabacc_pot() -> None:
    policies = policies_of("casino", "always_raise", "calling_station", "always_raise")
    keys, stacks = keys_of(3, 80), [60, 9, 25]
    played = play_episodes("casino", policies, keys, hands=6, credits=stacks, sabacc_pot=40)
    assert_equal(played, stepped("casino", policies, keys, 6, stacks, 40))
    lost = -played.net_credits.sum(axis=1)
    assert (lost < 0).any()  # somebody has won the Sabacc pot


@pytest.mark.parametrize("hands", [1, 5])
def test_an_episode_is_the_same_whatever_is_played_beside_it(
    hands: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its place, the number of threads and the size of the parts."""

    def play(keys: NDArray[np.uint64], threads: int = 1) -> Episodes:
        policies = [random_legal, always_raise, random_legal]
        return play_episodes("casino", policies, keys, seed=5, hands=hands, threads=threads)

    keys = keys_of(1, 50)
    whole = play(keys)
    backwards = play(keys[::-1], threads=3)
    results = {"net_credits": backwards[0][::-1], "hands_dealt": backwards[1][::-1]}
    assert_equal(backwards._replace(**results), whole)
    assert_equal(joined([play(keys[:7]), play(keys[7:])]), whole)
    monkeypatch.setattr("sabacc_env.tables.episodes.DECISIONS_PER_CHUNK", 7)
    monkeypatch.setattr("sabacc_env.tables.cpu.DECISIONS_PER_CHUNK", 7)
    assert_equal(play(keys, threads=2), whole)


def test_the_seed_decides_what_policies_draw_and_nothing_else() -> None:
    keys = keys_of(2, 300)
    first, other = (
        play_episodes("casino", [random_legal, random_legal], keys, seed=seed).net_credits
        for seed in (1, 2)
    )
    assert 0.3 < (first != other).any(axis=1).mean() < 1
    calm = policies_of("casino", "calling_station", "loose")
    assert_equal(
        play_episodes("casino", calm, keys, seed=1), play_episodes("casino", calm, keys, seed=2)
    )


def test_random_hands_are_as_tables_play_them() -> None:
    """The same distribution: the words differ."""
    n = 3000
    tables = Tables("casino", n, 2, seed=1)
    agent, rng = PolicyAgent(random_legal), np.random.default_rng(0)
    net = np.zeros(n)
    playing = np.arange(n)
    while len(playing):
        seen = tables.observations[playing], tables.action_masks[playing]
        tables.step(agent.act(*seen, rng), playing)
        net[playing] += tables.net_credits[playing, 0]
        playing = playing[~tables.finished[playing]]
    found = play_episodes("casino", [random_legal, random_legal], keys_of(0, n), seed=1)
    won = found.net_credits[:, 0]
    assert abs(won.mean() - net.mean()) < 4 * np.hypot(won.std(), net.std()) / np.sqrt(n)
    for most in (-20, -4, 0, 4, 20):
        assert abs((won <= most).mean() - (net <= most).mean()) < 0.05


@policy
def seldom_wrong(observation, legal, word):
    return 62 if word < 2**22 else pick(legal, word)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_is_one_sentence(threads: int) -> None:
    with pytest.raises(IllegalMove) as refused:
        play_episodes(
            "casino", [random_legal, seldom_wrong], keys_of(1, 500), seed=0, threads=threads
        )
    message = "policies: episode 273: action 62 (no such action) is not legal for seat 1 now"
    assert str(refused.value) == message


def test_what_makes_no_episode_is_one_sentence() -> None:
    both = [random_legal, random_legal]
    for arguments, said in [
        (("casino", random_legal, [1]), "policies: .* is not a sequence"),
        (("casino", [random_legal], [1]), "num_players: 1 is not from 2 to 8"),
        (("casino", [random_legal, "tight"], [1]), "policies: 'tight' is not a policy"),
        (("casino", both, [0.5]), "keys: give whole numbers of 64 bits"),
        (("casino", both, [[1, 2], [3]]), "keys: give whole numbers of 64 bits"),
        (("casino", both, 3), "keys: give one for each episode"),
        (("casino", both, [[1, 2]]), "keys: give one for each episode"),
        (("nowhere", both, [1]), "rules"),
    ]:
        with pytest.raises(SabaccError, match=said):
            play_episodes(*arguments)  # type: ignore[arg-type]
    for keywords, said in [
        ({"credits": [100, 1]}, "credits: fewer than two seats can pay the antes of 4 credits"),
        ({"credits": [100]}, "credits: give one number for each of 2 seats"),
        ({"sabacc_pot": -1}, "sabacc_pot: -1 is not from 0"),
        ({"threads": 0}, "threads: 0 is not from 1 to 1024"),
        ({"hands": 0}, "hands: 0 is not from 1"),
        ({"seed": -1}, "seed: -1 is not from 0"),
    ]:
        with pytest.raises(SabaccError, match=said):
            play_episodes("casino", both, [1], **keywords)  # type: ignore[arg-type]
    with pytest.raises(SabaccError, match="credits: the rules 'black_spire' are played for points"):
        play_episodes("black_spire", both, [1], credits=[5, 5])


@pytest.mark.parametrize(
    ("rules", "hands", "start"),
    [
        ("casino", 1, {"credits": [50, 60, 70], "sabacc_pot": 4}),
        ("casino", 12, {"credits": [50, 60, 70], "sabacc_pot": 4}),
        ("yarith_bespin", 12, {}),
        ("black_spire", 4, {}),
    ],
)
def test_an_episode_is_replayed(rules: str, hands: int, start: dict[str, Any]) -> None:
    policies = [random_legal, always_raise, random_legal]
    keys = keys_of(6, 40)
    played = play_episodes(rules, policies, keys, seed=3, hands=hands, **start)
    moves = 0
    for key, net, dealt in zip(
        keys.tolist(), played.net_credits.tolist(), played.hands_dealt.tolist(), strict=True
    ):
        choose = policy_choices(policies, key, seed=3)
        games = replay_episode(rules, 3, key, choose, hands=hands, **start)
        assert len(games) == max(dealt)
        assert np.sum([game.net_credits or [] for game in games], axis=0).tolist() == net
        moves += sum(event.move is not None for game in games for event in game.history)
    assert moves == played.moves.sum() == played.moves_by_hand.sum()


def test_nothing_to_play_is_nothing() -> None:
    played = play_episodes("casino", [random_legal, random_legal], [])
    assert played.net_credits.shape == played.hands_dealt.shape == (0, 2)


def test_a_hand_that_ends_at_its_deal_counts() -> None:
    """Where the antes took all credits there is nothing to decide."""
    rules = load_rules("casino")
    stacks = [rules.ante_unit] * 2
    keys = keys_of(4, 100)
    played = play_episodes(rules, [always_raise, always_raise], keys, credits=stacks)
    assert (played.net_credits.min(axis=1) == -rules.ante_unit).all()
    assert (played.hands_dealt == 1).all()


LONG = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from sabacc_env.policies import random_legal
from sabacc_env.tables import play_episodes
policies = [random_legal, random_legal]
play_episodes("casino", policies, [1])
print("ready", flush=True)
try:
    play_episodes("casino", policies, range(5_000_000), threads=2)
    print("done", flush=True)
except KeyboardInterrupt:
    print("heard", flush=True)
"""


@pytest.mark.skipif(INTERPRETED, reason="interpreted, Ctrl-C is heard anyway")
@pytest.mark.skipif(os.name != "posix", reason="another process is sent SIGINT")
def test_ctrl_c_is_heard_between_parts() -> None:
    command = [sys.executable, "-c", LONG]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as playing:
        assert playing.stdout is not None
        assert playing.stdout.readline() == "ready\n"
        time.sleep(0.8)
        playing.send_signal(signal.SIGINT)
        assert playing.stdout.readline() == "heard\n"
    assert playing.returncode == 0
