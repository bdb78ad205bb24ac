"""Hands that environments record as they end: those that were played, and nothing else changes."""

from __future__ import annotations

import copy
import pickle
import random

import gymnasium
import numpy as np
import pytest

from sabacc_env import SabaccError, rule_sets, sabacc_v0
from sabacc_env.actions import JUNK
from sabacc_env.envs.vector import SabaccVectorEnv
from sabacc_env.game.events import _same
from sabacc_env.hand_histories import read_hand_histories
from tests.support.comparing import comparable
from tests.support.env_drivers import DRIVERS, choose
from tests.support.random_play import HOUSE_RULES

CYCLES = ["AEC", "raw AEC", "parallel"]
RULES = [*rule_sets(), HOUSE_RULES["cheap spikes"]]
VECTORS = ["NextStep", "SameStep", "Disabled"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "hands.jsonl"


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: getattr(rules, "name", rules))
@pytest.mark.parametrize("kind", CYCLES)
def test_a_cycle_records_each_hand_that_ends(path, kind, rules):
    rng, ended = random.Random(kind), []
    driver = DRIVERS[kind](rules=rules, num_players=3, hands=3, record_hands=path)
    driver.reset(seed=7)
    table = driver.env.unwrapped if kind != "parallel" else driver.env.aec_env.unwrapped
    finished = table.hands_finished
    for _ in range(250):
        what = driver.step(rng)
        if what == "reset":
            finished = 0
        if table.hands_finished > finished:
            ended += [None] * (table.hands_finished - finished - 1)  # at their deal, by the antes
            ended.append(table.hand_result())
            finished = table.hands_finished
    hands = list(read_hand_histories(path))
    assert len(hands) == len(ended) > 4
    for hand, result in zip(hands, ended, strict=True):
        game = hand.replay()
        assert hand.seats == tuple(table.possible_agents)
        if result is not None:
            assert game.net_credits == result["net_credits"]
            assert game.sabacc_pot == result["sabacc_pot"]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: getattr(rules, "name", rules))
def test_one_seat_records_who_played(path, rules):
    opponents = ["random", "tight"]
    env = gymnasium.make(
        "Sabacc-v0",
        rules=rules,
        num_players=3,
        hands=2,
        opponents=opponents,
        record_hands=str(path),
        record_every=2,
    ).unwrapped
    rng, played = random.Random(1), 0
    for _ in range(60):
        env.reset(seed=rng.getrandbits(32))
        over = False
        while not over:
            *_, over, _, info = env.step(choose(env.action_masks(), rng))
    hands = list(read_hand_histories(path))
    assert len(hands) > 30
    for hand in hands:
        hand.replay()
        played += len(hand.moves)
        assert hand.seats.count("learner") == 1 or hand.moves == ()
        assert set(hand.seats) <= {"learner", *opponents} or hand.moves == ()
    assert played > 300
    del info


def played_vector(path, mode="NextStep", **options):
    """Play, and check each hand that is recorded against the tables; return all observations."""
    opponents = ["random", "maximiser"] if options.pop("mixed", False) else "tight"
    env = SabaccVectorEnv(
        8, num_players=3, opponents=opponents, autoreset_mode=mode, record_hands=path, **options
    )
    rng, shown = random.Random(2), []
    shown.append(comparable(env.reset(seed=3)))
    seen = 0
    for _ in range(45):
        if mode == "Disabled" and env._waiting.any():
            shown.append(comparable(env.reset(options={"reset_mask": env._waiting.copy()})))
            continue
        before = env.learner.tables.hand_counts.copy()
        actions = [choose(row, rng, illegal=0.02) for row in env.action_masks()]
        shown.append(comparable(env.step(actions)))
        if path is None:
            continue
        hands = list(read_hand_histories(path)) if path.exists() else []
        seen += check_new_hands(env, hands[seen:], before)
    assert path is None or seen > 25
    return shown


def check_new_hands(env, hands, before) -> int:
    last = {hand.origin["table"]: hand for hand in hands}
    tables, results = env.learner.tables, env.hand_results()
    for table, hand in last.items():
        assert tables.hand_counts[table] > before[table]
        assert _same(hand.replay()._records, tables.final_records[table : table + 1])
        assert hand.seats.count("learner") == 1
    for table, result in enumerate(results):
        if result is not None:
            assert list(last[table].results.net_credits) == result["net_credits"]
    return len(hands)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: getattr(rules, "name", rules))
def test_a_vector_records_the_hands_of_its_tables(path, rules):
    mode = VECTORS[RULES.index(rules) % 3]
    played_vector(path, mode, rules=rules, hands=3, mixed=rules == "orsl")


@pytest.mark.parametrize("mode", VECTORS)
def test_recording_changes_nothing_that_is_played(path, mode):
    options = {"rules": "spacers", "hands": 2, "mode": mode, "mixed": True}
    assert played_vector(path, **options) == played_vector(None, **options)


def test_threads_record_the_same_bytes(tmp_path):
    for threads in (1, 2):
        played_vector(tmp_path / str(threads), rules="orsl", threads=threads)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_every_nth_hand_of_all_tables_is_recorded(tmp_path):
    files = {}
    for every in (1, 4):
        env = SabaccVectorEnv(
            6, "casino", opponents="random", record_hands=tmp_path / str(every), record_every=every
        )
        rng = random.Random(1)
        env.reset(seed=1)
        for _ in range(80):
            env.step([choose(row, rng) for row in env.action_masks()])
        files[every] = list(read_hand_histories(tmp_path / str(every)))
    assert files[4] == files[1][::4]


def test_a_hand_that_is_too_long_to_log_is_left_out(path):
    env = SabaccVectorEnv(
        1,
        "casino",
        opponents="always_raise",
        bet_sizes=("min",),
        stacks=(1000, 1000),
        record_hands=path,
    )
    env.reset(seed=1)
    while not env.learner.tables.hand_counts[0]:
        legal = env.action_masks()[0].nonzero()[0]
        env.step([legal[-1]])  # the raise, if there is one
    assert not path.exists()
    for _ in range(30):
        mask = env.action_masks()[0]
        env.step([JUNK if mask[JUNK] else mask.argmax()])
    assert all(len(hand.moves) < 512 for hand in read_hand_histories(path))


def test_hands_in_play_at_a_restored_state_are_left_out(path):
    env = SabaccVectorEnv(3, "casino", opponents="random", record_hands=path)
    rng = random.Random(1)
    env.reset(seed=1)
    for _ in range(9):
        env.step([choose(row, rng) for row in env.action_masks()])
    hands = len(list(read_hand_histories(path))) if path.exists() else 0
    env.restore_state(env.save_state())
    counts = env.learner.tables.hand_counts.copy()
    for _ in range(60):
        env.step([choose(row, rng) for row in env.action_masks()])
    ended = int((env.learner.tables.hand_counts - counts).sum())
    new = list(read_hand_histories(path))[hands:]
    assert ended - 3 <= len(new) < ended
    for hand in new:
        hand.replay()


def test_stable_baselines3_records_too(path):
    pytest.importorskip("stable_baselines3")
    from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv

    env = SabaccVecEnv("orsl", 4, 2, opponents="tight", seed=1, record_hands=path, record_every=3)
    env.reset()
    for _ in range(40):
        env.step(env.action_masks().argmax(axis=1))
    hands = list(read_hand_histories(path))
    assert len(hands) > 5
    assert {hand.replay().num_players for hand in hands} == {2}


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_record_into_the_same_file(path, twin):
    env = sabacc_v0.raw_env(record_hands=path)
    env.reset(seed=1)
    for each in (env, twin(env)):
        while each.game.seat_to_act is not None:
            each.step(int(np.flatnonzero(each.infos[each.agent_selection]["action_mask"])[0]))
    first, second = read_hand_histories(path)
    assert first == second


def test_a_hand_that_is_undone_is_recorded_again(path):
    env = sabacc_v0.env(record_hands=path, undo_steps=1)
    env.reset(seed=1)
    while not env.unwrapped.hands_finished:
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    env.undo()
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    first, second = read_hand_histories(path)
    assert first == second


@pytest.mark.parametrize("kind", [kind for kind in DRIVERS if "AEC" not in kind])
def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path, kind):
    for wrong in (tmp_path, 7):
        with pytest.raises(SabaccError):
            DRIVERS[kind](rules="casino", num_players=2, record_hands=wrong)
    with pytest.raises(SabaccError, match=r"^record_every: 0 is not from 1"):
        DRIVERS[kind](rules="casino", num_players=2, record_every=0)
