"""Gymnasium's vector environment: its three modes, its format, and what happens at one table."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers

from sabacc_env import SabaccError, load_rules, rule_sets
from sabacc_env.actions import CALL, CHECK, JUNK, encode_bet_sizes
from sabacc_env.envs.vector import SabaccVectorEnv
from sabacc_env.game.turn_buffers import TurnBuffers
from tests.support.comparing import comparable
from tests.support.toys import AskedRandom, Preferring

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
in_every_mode = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
CALM = Preferring(CHECK, CALL)


def make(num_envs: int = 6, mode: AutoresetMode = NEXT_STEP, **options: Any) -> Any:
    """Make the environment: a calm opponent draws nothing, so that tables do not touch."""
    given = {"rules": "casino", "num_players": 3, "opponents": CALM, **options}
    return gymnasium.make_vec("Sabacc-v0", num_envs, autoreset_mode=mode, **given)


def random_actions(masks: Any, rng: np.random.Generator) -> np.ndarray:
    """Choose legal actions; anything where none is."""
    scores = rng.random(masks.shape) * masks
    return scores.argmax(axis=1)


def told(info: dict[str, Any], table: int) -> dict[str, Any]:
    """Return what an info says of one table, as an environment of its own would."""
    return {
        name: told(value, table)
        if isinstance(value, dict)
        else comparable(np.asarray(value[table]))
        for name, value in info.items()
        if not name.startswith("_") and info[f"_{name}"][table]
    }


def same_stepping(env: Any, actions: np.ndarray) -> Any:
    """Step, and where the mode is ``DISABLED`` reset what has ended."""
    returned = env.step(actions)
    ended = returned[2]
    if env.metadata["autoreset_mode"] is DISABLED and ended.any():
        env.reset(options={"reset_mask": ended})
    return returned


# Spaces and format.


@in_every_mode
@pytest.mark.parametrize("rules", rule_sets())
def test_shapes_and_types(rules, mode):
    env = make(5, mode, rules=rules, opponents=["random", "tight"])
    assert env.metadata["autoreset_mode"] is mode
    assert env.num_envs == 5
    assert env.single_observation_space.shape == (400,)
    assert env.single_action_space.n == 33
    rng = np.random.default_rng(0)
    observations, info = env.reset(seed=0)
    kept = []
    for _ in range(40):
        assert env.observation_space.contains(observations)
        masks = env.action_masks()
        assert (masks.shape, masks.dtype) == ((5, 33), np.bool_)
        kept.append((observations, observations.copy(), info["action_mask"], masks))
        actions = random_actions(masks, rng)
        assert env.action_space.contains(actions)
        observations, rewards, ended, cut, info = same_stepping(env, actions)
        assert (rewards.shape, rewards.dtype) == ((5,), np.float64)
        assert (ended.shape, ended.dtype) == (cut.shape, cut.dtype) == ((5,), np.bool_)
        assert not cut.any()
        assert not rewards[~ended].any()  # one hand an episode
        assert info["action_mask"].dtype == np.int8
        assert info["_action_mask"].all()
        if mode is DISABLED:  # what ended has been reset: the masks have changed since
            info = {"action_mask": env.action_masks().astype(np.int8)}
        assert np.array_equal(info["action_mask"], env.action_masks())
    for observation, then, mask, masks in kept:  # never written to again
        assert np.array_equal(observation, then)
        assert np.array_equal(mask, masks)


def structure(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: structure(item) for key, item in value.items()}
    return value.dtype.str, value.shape


@in_every_mode
@pytest.mark.parametrize("illegal", [False, True])
def test_infos_are_laid_out_as_gymnasiums_own(mode, illegal):
    """Beside a ``SyncVectorEnv`` of single environments, where the same happens."""
    single = gymnasium.make_vec(
        "Sabacc-v0",
        4,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        opponents=CALM,
    )
    env = make(4, mode, num_players=2)
    laid_out = []
    for each in (single, env):
        _, info = each.reset(seed=1)
        shown = [structure(info)]
        ended = np.zeros(4, dtype=bool)
        while not ended.any():
            actions = info["action_mask"].argmax(axis=1)
            if illegal:
                actions[2] = info["action_mask"][2].argmin()
            *_, ended, _, info = each.step(actions)
        if mode is SAME_STEP:
            assert set(info) >= {"final_obs", "final_info"}
            for table in range(4):
                final = info["final_obs"][table]
                assert final.shape == (400,) if ended[table] else final is None
        laid_out.append([*shown, structure(info)])
    assert laid_out[0] == laid_out[1]


# The modes.


def episodes(env: Any, steps: int) -> list[list[list[Any]]]:
    """Play the first legal action everywhere; return each table's steps, without those ignored."""
    mode = env.metadata["autoreset_mode"]
    observations, _ = env.reset(seed=5)
    played: list[list[Any]] = [[comparable(row)] for row in observations]
    ended = np.zeros(env.num_envs, dtype=bool)
    for _ in range(steps):
        ignored = ended if mode is NEXT_STEP else np.zeros_like(ended)
        masks = env.action_masks()
        observations, rewards, ended, _, info = env.step(masks.argmax(axis=1))
        first = observations
        if mode is DISABLED and ended.any():
            first, _ = env.reset(options={"reset_mask": ended})
        for table in range(env.num_envs):
            if ignored[table]:
                assert rewards[table] == 0
                assert not ended[table]
                assert masks[table].all()
                played[table].append(comparable(observations[table]))
                continue
            final, said = observations[table], told(info, table)
            if ended[table] and mode is SAME_STEP:
                final, said = info["final_obs"][table], said["final_info"]
                assert info["final_info"]["action_mask"][table].all()
            del said["action_mask"]
            played[table] += [rewards[table], bool(ended[table]), comparable(final), said]
            if ended[table] and mode is not NEXT_STEP:
                played[table].append(comparable(first[table]))
    return played


@pytest.mark.parametrize("hands", [1, 3])
@pytest.mark.parametrize("rules", rule_sets())
def test_all_modes_play_the_same_episodes(rules, hands):
    next_step, same_step, disabled = (
        episodes(make(6, mode, rules=rules, hands=hands), steps)
        for mode, steps in ((NEXT_STEP, 80), (SAME_STEP, 60), (DISABLED, 60))
    )
    assert same_step == disabled
    for short, long in zip(same_step, next_step, strict=True):
        length = min(len(short), len(long))
        assert length > 100
        assert short[:length] == long[:length]
        assert sum(item is True for item in short) >= 2  # ends


def test_it_is_what_stable_baselines3s_environment_is():
    adapter = pytest.importorskip("sabacc_env.adapters.stable_baselines3")
    options: dict[str, Any] = {
        "num_players": 3,
        "opponents": ["random", "tight"],
        "weights": [3, 1],
        "hands": 2,
        "stacks": (5, 20),
        "equal_stacks": 1,
        "sabacc_pots": (0, 3),
    }
    env = make(8, SAME_STEP, **options)
    other = adapter.SabaccVecEnv("casino", 8, reward_scale=2, **options)
    other.seed(4)
    observations, _ = env.reset(seed=4)
    assert np.array_equal(observations, other.reset())
    rng = np.random.default_rng(0)
    for _ in range(80):
        actions = random_actions(env.action_masks(), rng)
        observations, rewards, ended, _, info = env.step(actions)
        seen, scaled, dones, infos = other.step(actions)
        assert np.array_equal(observations, seen)
        assert np.array_equal((rewards / 2).astype(np.float32), scaled)
        assert np.array_equal(ended, dones)
        assert np.array_equal(env.action_masks(), other.action_masks())
        for table in np.flatnonzero(ended):
            final = infos[table]["terminal_observation"]
            assert np.array_equal(info["final_obs"][table], final)


def test_a_table_that_has_ended_is_not_stepped_in_disabled_mode():
    env = make(4, DISABLED)
    observations, info = env.reset(seed=1)
    ended = np.zeros(4, dtype=bool)
    while not ended.any():
        observations, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
    assert np.array_equal(info["action_mask"].all(axis=1), ended)
    table = int(ended.argmax())
    with pytest.raises(SabaccError, match=f"step: the episode at table {table} is over; reset it"):
        env.step(info["action_mask"].argmax(axis=1))
    options = {"reset_mask": ended}
    first, info = env.reset(options=options)
    assert set(options) == {"reset_mask"}  # wrappers read it afterwards
    assert np.array_equal(first[~ended], observations[~ended])
    assert (first[ended] != observations[ended]).any(axis=1).all()
    assert info["action_mask"].any(axis=1).all()
    env.step(info["action_mask"].argmax(axis=1))


@in_every_mode
def test_any_table_may_be_reset(mode):
    """Those named begin a new episode, and the others go on as if nothing had been."""
    env, other = make(6, mode), make(6, mode)
    _, info = env.reset(seed=3)
    other.reset(seed=3)
    mask = np.array([True, False, False, True, False, False])
    env.step(info["action_mask"].argmax(axis=1))
    other.step(info["action_mask"].argmax(axis=1))
    keys = [env.unwrapped.learner.tables.game(table).key for table in range(6)]
    env.reset(options={"reset_mask": mask})
    after = [env.unwrapped.learner.tables.game(table).key for table in range(6)]
    assert [key != new for key, new in zip(keys, after, strict=True)] == mask.tolist()
    for _ in range(30):
        actions = env.action_masks().argmax(axis=1)
        twins = np.where(mask, other.action_masks().argmax(axis=1), actions)
        mine, theirs = same_stepping(env, actions), same_stepping(other, twins)
        for left, right in zip(mine[:4], theirs[:4], strict=True):
            assert np.array_equal(left[~mask], right[~mask])


# What is told of hands that ended.


@in_every_mode
@pytest.mark.parametrize("num_players", [2, 5, 8])
@pytest.mark.parametrize("rules", rule_sets())
def test_infos_have_the_same_layout_at_every_step(rules, num_players, mode):
    env = make(4, mode, rules=rules, num_players=num_players, hands=2, opponents="random")
    expected = {
        "action_mask": ("|i1", (4, 33)),
        "hand_finished": ("|b1", (4,)),
        "net_credits": ("<i8", (4, num_players)),
        "winners": ("<i8", (4, num_players)),
        "revealed": ("|i1", (4, num_players)),
        "sabacc_pot": ("<i8", (4,)),
        "illegal_action": ("|b1", (4,)),
    }
    expected |= {f"_{name}": ("|b1", (4,)) for name in expected}
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=3)
    kept, finished = [], 0
    for number in range(60):
        final = info.pop("final_info", None)
        finals = [info.pop(name, None) for name in ("_final_info", "final_obs", "_final_obs")]
        assert structure(info) == expected
        assert all(info[name].all() for name in info if name.startswith("_"))
        if final is not None:
            assert structure(final) == expected
            assert np.array_equal(final["_winners"], finals[0])
        for each in (info, final or info):
            over = each["hand_finished"]
            finished += over.sum()
            assert not each["net_credits"][~over].any()
            assert (each["winners"][~over] == -1).all()
            assert not each["revealed"][~over].any()
            assert not each["sabacc_pot"][~over].any()
            kept.append((each, comparable(each)))
        actions = random_actions(env.action_masks(), rng)
        if number % 20 == 19:
            actions[1] = -1
        *_, ended, _, info = env.step(actions)
        results = env.hand_results()
        if mode is DISABLED and ended.any():
            _, info = env.reset(options={"reset_mask": ended})
            assert env.hand_results() == [None] * 4
        elif mode is not SAME_STEP:
            assert [result is not None for result in results] == info["hand_finished"].tolist()
    assert finished > 5
    assert all(comparable(each) == then for each, then in kept)  # never written to again


@pytest.mark.parametrize("mode", [NEXT_STEP, DISABLED])
def test_infos_become_tensors(mode):
    """Not in ``SAME_STEP``: Gymnasium's own ``final_obs`` there is an array of objects."""
    pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    env = wrappers.NumpyToTorch(make(4, mode))
    _, info = env.reset(seed=1)
    finished = 0
    for _ in range(30):
        _, _, ended, _, info = env.step(info["action_mask"].argmax(dim=1))
        assert info["net_credits"].shape == (4, 3)
        finished += int(info["hand_finished"].sum())
        if mode is DISABLED and ended.any():
            _, info = env.reset(options={"reset_mask": ended.numpy()})
    assert finished > 4


def test_an_assigned_generator_decides_from_then_on():
    """As in Gymnasium's own environments, and in ``Sabacc-v0``."""
    opponents = AskedRandom(load_rules("casino"), 3)
    env, twin = (make(4, opponents=[opponents, "tight"]) for _ in range(2))
    twin.reset(seed=1)
    env.reset(seed=2)
    env.np_random, twin.np_random = np.random.default_rng(5), np.random.default_rng(5)
    assert env.np_random_seed == -1
    for _ in range(2):
        observations, info = env.reset()
        others, its_info = twin.reset()
        for _ in range(30):
            assert observations.tobytes() == others.tobytes()
            actions = info["action_mask"].argmax(axis=1)
            observations, _, _, _, info = env.step(actions)
            others, _, _, _, its_info = twin.step(actions)
    assert comparable(info) == comparable(its_info)
    assert env.np_random.random() == twin.np_random.random()
    with pytest.raises(SabaccError, match="np_random: 5 is not a"):
        env.np_random = 5


@in_every_mode
@pytest.mark.parametrize("hands", [1, 4])
@pytest.mark.parametrize("rules", rule_sets())
def test_it_tells_what_the_single_environment_does(rules, hands, mode):
    """At one table where the same happens: its first episode after a reset with the same seed."""
    options: dict[str, Any] = {"rules": rules, "num_players": 3, "hands": hands}
    asked = AskedRandom(load_rules(rules), 3)  # a compiled policy draws other random numbers
    options["opponents"] = [asked, "calling_station"]
    env, single = make(1, mode, **options), gymnasium.make("Sabacc-v0", **options)
    rng = np.random.default_rng(0)
    revealed = []
    for seed in range(20):
        _, infos = env.reset(seed=seed)
        _, info = single.reset(seed=seed, options={"seat": 1})
        # A first episode without a decision is left out by both, each in its own way.
        over = env.learner.tables.hand_counts[0] >= hands
        assert over or told(infos, 0) == comparable(info)
        while not over:
            (action,) = actions = random_actions(env.action_masks(), rng)
            observation, reward, over, _, info = single.step(action)
            observations, rewards, ended, _, infos = env.step(actions)
            assert (rewards.tolist(), ended.tolist()) == ([reward], [over])
            seen, said = observations[0], told(infos, 0)
            if over and mode is SAME_STEP:
                seen, said = infos["final_obs"][0], said["final_info"]
            elif over:
                said["action_mask"] = comparable(
                    info["action_mask"]
                )  # that of the next step is there
            assert comparable(seen) == comparable(observation)
            assert said == comparable(info)
            result = single.unwrapped.hand_result() if info["hand_finished"] else None
            assert env.hand_results() == [result]
            if result is not None:
                revealed.append(len(result["revealed_hands"]))
    assert len(revealed) > 5 * hands
    assert min(revealed) == 0 < max(revealed)


def test_it_tells_how_the_learners_hands_ended():
    """Each beside a copy of its table that is played on; who junks may end the next one at once."""
    env = make(12, SAME_STEP, rules="yarith_bespin", opponents=[Preferring(JUNK), CALM])
    env.reset(seed=3)
    tables, opponents = env.learner.tables, env.learner.opponents
    buffers = TurnBuffers(tables.rules, encode_bet_sizes(tables.bet_sizes))
    rng = np.random.default_rng(0)
    overtaken, revealed = 0, set()
    for _ in range(100):
        games = [tables.game(table) for table in range(12)]
        counts, members = tables.hand_counts.copy(), opponents.members.copy()
        actions = random_actions(env.action_masks(), rng)
        *_, ended, _, info = env.step(actions)
        assert not info["hand_finished"].any()  # of the episodes that go on
        results = env.hand_results()
        for table, game in enumerate(games):
            learner = game.seat_to_act
            game.play_action(buffers, int(actions[table]))
            while (seat := game.seat_to_act) not in (None, learner):
                agent = opponents.agents[members[table, seat]]
                game.play_action(
                    buffers, int(agent.act(None, buffers.mask[None], None, np.zeros(1))[0])
                )
            assert ended[table] == (game.phase == "over")
            if ended[table]:
                said = {name: value[table] for name, value in info["final_info"].items()}
                assert said["hand_finished"]
                assert said["net_credits"].tolist() == game.net_credits
                assert said["winners"].tolist() == ((game.winners or []) + [-1] * 3)[:3]
                assert said["sabacc_pot"] == game.sabacc_pot
                assert np.flatnonzero(said["revealed"]).tolist() == list(game.revealed_hands)
                assert results[table] == {
                    "net_credits": game.net_credits,
                    "winners": [f"player_{seat}" for seat in game.winners or ()],
                    "sabacc_pot": game.sabacc_pot,
                    "revealed_hands": {f"player_{s}": n for s, n in game.revealed_hands.items()},
                }
                revealed.add(tuple(game.revealed_hands))
                overtaken += tables.hand_counts[table] > counts[table] + 1
            else:
                assert results[table] is None
    assert len(revealed) > 2
    assert overtaken > 20


# Illegal actions.


@in_every_mode
def test_an_illegal_action_ends_the_episode_of_its_table_alone(mode):
    env, other = make(6, mode, hands=2), make(6, mode, hands=2)
    before, info = env.reset(seed=2)
    other.reset(seed=2)
    actions = info["action_mask"].argmax(axis=1)
    wrong = actions.copy()
    wrong[[1, 4]] = JUNK, -1
    observations, rewards, ended, cut, info = env.step(wrong)
    assert rewards[[1, 4]].tolist() == [-1, -1]
    assert ended[[1, 4]].all()
    assert not cut.any()
    there = np.isin(np.arange(6), [1, 4])
    told = info["final_info"] if mode is SAME_STEP else info
    assert told["illegal_action"].tolist() == there.tolist()
    assert np.array_equal(told["_illegal_action"], ended if mode is SAME_STEP else [True] * 6)
    finals = np.stack(info["final_obs"][there]) if mode is SAME_STEP else observations[there]
    assert np.array_equal(finals, before[there])  # what it saw when it chose
    theirs = other.step(actions)
    for left, right in zip((observations, rewards, ended), theirs, strict=False):
        assert np.array_equal(left[~there], right[~there])
    if mode is DISABLED:
        env.reset(options={"reset_mask": ended})
        if theirs[2].any():
            other.reset(options={"reset_mask": theirs[2]})
    for _ in range(20):
        masks = env.action_masks()
        assert masks.any(axis=1).all()
        actions = masks.argmax(axis=1)
        twins = np.where(there, other.action_masks().argmax(axis=1), actions)
        mine, theirs = same_stepping(env, actions), same_stepping(other, twins)
        assert not mine[4]["illegal_action"].any()
        if "final_info" in mine[4]:
            assert not mine[4]["final_info"]["illegal_action"].any()
        for left, right in zip(mine[:4], theirs[:4], strict=True):
            assert np.array_equal(left[~there], right[~there])


@in_every_mode
def test_random_actions_of_the_space_go_on_for_ever(mode):
    env = make(8, mode, opponents="random")
    env.action_space.seed(1)
    env.reset(seed=1)
    losses = 0
    for _ in range(60):
        _, rewards, ended, _, _ = same_stepping(env, env.action_space.sample())
        losses += int((rewards == -1).sum())
        assert ended[rewards == -1].all()
    assert losses > 100


# Seeds and threads.


def course(env: Any, seed: int | None, steps: int = 40) -> list[Any]:
    rng = np.random.default_rng(1)
    first = comparable(env.reset(seed=seed))
    masks = (env.action_masks() for _ in range(steps))
    return [first, *(comparable(env.step(random_actions(mask, rng))) for mask in masks)]


def test_same_seed_same_bytes_at_any_number_of_threads():
    options: dict[str, Any] = {"opponents": ["random", "tight"], "hands": 2}
    env = make(10, SAME_STEP, **options)
    first = course(env, 6)
    assert course(env, 6) == first  # whatever was played before
    assert course(make(10, SAME_STEP, threads=3, **options), 6) == first
    assert course(env, 7) != first
    assert course(env, None) != course(env, None)


def test_a_reset_without_a_seed_goes_on_from_the_last_one():
    env, other = make(opponents="random"), make(opponents="random")
    for each in (env, other):
        each.reset(seed=8)
    assert course(env, None) == course(other, None)


# Gymnasium's wrappers.


@in_every_mode
def test_episode_statistics(mode):
    env = wrappers.RecordEpisodeStatistics(make(6, mode))
    _, info = env.reset(seed=1)
    totals, lengths = np.zeros(6), np.zeros(6, dtype=int)
    ignored = np.zeros(6, dtype=bool)
    seen = 0
    for _ in range(60):
        _, rewards, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        totals += rewards
        lengths += ~ignored
        if ended.any():
            assert np.array_equal(info["_episode"], ended)
            assert info["episode"]["r"][ended] == pytest.approx(totals[ended])
            assert np.array_equal(info["episode"]["l"][ended], lengths[ended])
            totals[ended] = lengths[ended] = 0
            seen += int(ended.sum())
            if mode is DISABLED:
                _, info = env.reset(options={"reset_mask": ended})
        ignored = ended if mode is NEXT_STEP else np.zeros(6, dtype=bool)
    assert seen > 20


@pytest.mark.parametrize(
    "wrapper",
    [
        wrappers.NormalizeObservation,
        wrappers.NormalizeReward,
        lambda env: wrappers.ClipReward(env, -1, 1),
        lambda env: wrappers.RescaleObservation(env, np.float32(-1), np.float32(1)),
        wrappers.DictInfoToList,
    ],
)
def test_other_wrappers(wrapper):
    env = wrapper(make(4))
    env.reset(seed=1)
    for _ in range(10):
        observations, *_ = env.step(env.unwrapped.action_masks().argmax(axis=1))
        assert observations.shape == (4, 400)


# What can be wrong.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs: 0 is not from 1"),
        ({"num_envs": 2.0}, "num_envs: 2.0 is not a whole number"),
        ({"rules": "sabacc"}, 'rules: "sabacc" is not a rule set'),
        ({"num_players": 9}, "num_players: 9 is not from 2 to 8"),
        ({"opponents": None}, "opponents: None is not an agent"),
        ({"opponents": ["nobody"]}, "unknown agent 'nobody'"),
        ({"weights": [1, 1]}, "weights: give one for each opponent"),
        ({"hands": 0}, "hands: 0 is not from 1 to"),
        ({"bet_sizes": 5}, "bet_sizes: give a sequence"),
        ({"stacks": (0, 5)}, "stacks: 0.0 to 5.0 is not a range of antes from 1 to"),
        ({"threads": 0}, "threads: 0 is not from 1"),
        (
            {"autoreset_mode": "Never"},
            "unknown autoreset_mode 'Never'; use an AutoresetMode or one of NextStep, SameStep",
        ),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(SabaccError, match=message) as raised:
        SabaccVectorEnv(**arguments)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "actions",
    [None, 0, [0, 0], [[0, 0, 0]], [0.0, 0.0, 0.0], [True, False, True], ["0", "0", "0"]],
)
def test_bad_actions_change_nothing(actions):
    env = make(3)
    env.reset(seed=1)
    before = env.learner.tables.to_bytes()
    with pytest.raises(SabaccError, match="actions: give 3 whole numbers"):
        env.step(actions)
    assert env.learner.tables.to_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed: -1 is not from 0"),
        ({"seed": [1, 2, 3]}, r"seed: \[1, 2, 3\] is not a whole number"),
        ({"options": ["reset_mask"]}, r"options: \['reset_mask'\] is not a dict"),
        ({"options": {"dealr": 0}}, "unknown option 'dealr'; this environment has reset_mask"),
        ({"options": {"dealer": 0}}, "unknown option 'dealer'; this environment has reset_mask"),
        ({"options": {"reset_masks": 1}}, "unknown option 'reset_masks'; did you mean"),
        ({"options": {"reset_mask": [True]}}, "reset_mask: give an array of 3 bool"),
        ({"options": {"reset_mask": [1, 0, 1]}}, "reset_mask: give an array of 3 bool"),
        ({"options": {"reset_mask": [False] * 3}}, "at least one of them True"),
        ({"options": {"reset_mask": [True] * 3}, "seed": 1}, "seed: a seed restarts all tables"),
    ],
)
def test_bad_resets_change_nothing(arguments, message):
    env = make(3)
    env.reset(seed=1)
    before = env.learner.tables.to_bytes()
    with pytest.raises(SabaccError, match=message):
        env.reset(**arguments)
    assert env.learner.tables.to_bytes() == before


def test_a_reset_comes_first():
    for env in (make(3), make(3)):
        with pytest.raises(SabaccError, match="call reset first"):
            env.step(np.zeros(3, dtype=np.int64))
        with pytest.raises(SabaccError, match="call reset first"):
            env.step(np.full(3, JUNK))
        with pytest.raises(SabaccError, match="call reset first"):
            env.reset(options={"reset_mask": np.ones(3, dtype=bool)})


def test_an_unknown_keyword_is_named():
    with pytest.raises(TypeError, match=r"^SabaccVectorEnv\(\) got an unexpected .* 'wait'$"):
        SabaccVectorEnv(4, wait=1)


@in_every_mode
def test_an_episode_is_truncated_after_its_steps(mode):
    """As Gymnasium's ``TimeLimit`` does at one table: the result of a step counts first."""
    env, free = make(mode=mode, hands=5, max_episode_steps=3), make(mode=mode, hands=5)
    observations, info = env.reset(seed=2)
    free.reset(seed=2)
    steps = np.zeros(env.num_envs, dtype=int)
    count = 0
    rng = np.random.default_rng(2)
    for number in range(40):
        ignored = info["action_mask"].all(axis=1)
        actions = random_actions(info["action_mask"], rng)
        observations, _, terminated, truncated, info = env.step(actions)
        if number < 2:
            np.testing.assert_array_equal(observations, free.step(actions)[0])
        steps[~ignored] += 1
        assert not (terminated & truncated).any()
        np.testing.assert_array_equal(truncated, (steps == 3) & ~terminated)
        count += truncated.sum()
        over = terminated | truncated
        steps[over | ignored] = 0
        if mode is DISABLED and over.any():
            _, info = env.reset(options={"reset_mask": over})
        elif mode is SAME_STEP and over.any():
            assert np.array_equal(info["_final_obs"], over)
    assert count > 20


@in_every_mode
def test_the_mode_is_an_attribute_as_of_gymnasiums_own(mode):
    assert make(mode=mode).unwrapped.autoreset_mode is mode


@in_every_mode
def test_a_mode_is_known_by_its_name_and_its_value(mode):
    for spelled in (mode.value, mode.value.lower(), mode.name, mode.name.lower()):
        assert make(mode=spelled).unwrapped.autoreset_mode is mode


def test_what_other_environments_take_is_taken():
    env = make(render_mode=None, max_episode_steps=None)
    assert env.render_mode is None
    for arguments, sentence in (
        ({"render_mode": "human"}, "render_mode: 'human' is for one table; use gymnasium.make"),
        ({"max_episode_steps": 0}, "max_episode_steps: 0 is not from 1 to"),
    ):
        with pytest.raises(SabaccError, match=sentence):
            make(**arguments)
