"""The batched VecEnv: shapes, masks, whose reward it is, opponents, starts, states."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from sabacc_agents import load

from sabacc_env import IllegalMove, SabaccError, SavedState, Tables, load_rules
from sabacc_env.actions import CALL, CHECK, DEFAULT_BET_SIZES, JUNK, encode_bet_sizes
from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv
from sabacc_env.agent import RandomAgent
from sabacc_env.game.turn_buffers import TurnBuffers
from tests.support.toys import AskedRandom, Preferring

RULES = load_rules("casino")


def make(num_envs=16, num_players=2, rules=RULES, opponents=None, **options) -> SabaccVecEnv:
    opponents = [RandomAgent(rules, num_players)] if opponents is None else opponents
    return SabaccVecEnv(rules, num_envs, num_players, opponents=opponents, seed=7, **options)


def random_actions(env, rng):
    return RandomAgent(RULES, 2).act(None, env.action_masks(), rng)


@pytest.mark.parametrize("num_players", [2, 5])
@pytest.mark.parametrize("name", ["casino", "black_spire", "orsl", "yarith_bespin", "spacers"])
def test_shapes_types_and_masks(name, num_players):
    env = make(8, num_players, load_rules(name))
    rng = np.random.default_rng(0)
    observations = env.reset()
    for _ in range(60):
        assert observations.shape == (8, *env.observation_space.shape)
        assert observations.dtype == np.float32
        assert all(map(env.observation_space.contains, observations))
        masks = env.action_masks()
        assert masks.shape == (8, env.action_space.n)
        assert masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        before = observations.copy()
        earlier = observations
        observations, rewards, dones, infos = env.step(random_actions(env, rng))
        assert np.array_equal(before, earlier)  # what was handed out is never written to again
        assert (rewards.shape, rewards.dtype) == ((8,), np.float32)
        assert (dones.shape, dones.dtype) == ((8,), np.bool_)
        assert [bool(info) for info in infos] == dones.tolist()
        for table in np.flatnonzero(dones):
            final = infos[table]["terminal_observation"]
            assert env.observation_space.contains(final)
            assert not np.array_equal(final, observations[table])


def test_what_sb3_contrib_asks():
    utils = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = make()
    env.reset()
    assert utils.is_masking_supported(env)
    assert np.array_equal(utils.get_action_masks(env), env.action_masks())
    assert len(env.env_method("action_masks", indices=[3, 5])) == 2
    assert env.env_is_wrapped(object, indices=0) == [False]
    assert not env.has_attr("nonsense")


class Recorder(Tables):
    """Notes every decision and every result of agents that are asked one decision at a time."""

    log: list[tuple[str, int, int, list[int]]]

    def run_driver(self, driver, settings, indices, actions):
        for table in indices:
            self.log.append(("act", int(table), int(self.seats_to_act[table]), []))
        super().run_driver(driver, settings, indices, actions)
        for table in indices[self.finished[indices]]:
            ended = "match" if self.match_finished[table] else "hand"
            self.log.append((ended, int(table), -1, self.net_credits[table].tolist()))


@pytest.mark.parametrize(("num_players", "hands"), [(2, 1), (4, 1), (3, 4)])
def test_rewards_are_the_learners_own_results(monkeypatch, num_players, hands):
    """Replay what the tables saw: sum results of episodes in which the learner had acted."""
    monkeypatch.setattr("sabacc_env.envs.learner_tables.Tables", Recorder)
    Recorder.log = []
    rules = load_rules("yarith_bespin")  # all others may junk before the learner's first turn
    env = make(
        12,
        num_players,
        rules,
        opponents=[Preferring(JUNK), AskedRandom(rules, num_players)],
        hands=hands,
        reward_scale=2.0,
        stacks=(3, 20),
        sabacc_pots=(0, 5),
    )
    env.reset()
    seats = env._learner.seats.copy()
    rng = np.random.default_rng(1)
    Recorder.log.clear()
    expected_sums = np.zeros(12)
    got = np.zeros(12)
    skipped = 0
    acted = np.zeros(12, dtype=bool)
    for _ in range(150):
        _, rewards, dones, _ = env.step(random_actions(env, rng))
        got += rewards
        done = np.zeros(12, dtype=bool)
        for what, table, seat, net in Recorder.log:
            if what == "act":
                acted[table] |= seat == seats[table]
                continue
            if acted[table]:
                expected_sums[table] += net[seats[table]] / rules.ante_unit / 2
            else:
                skipped += 1
            if what == "match":
                done[table] |= acted[table]
                acted[table] = False
                seats[table] = (seats[table] + 1) % num_players
        Recorder.log.clear()
        assert np.array_equal(done, dones)
        assert got == pytest.approx(expected_sums, abs=1e-3)
    assert np.array_equal(seats, env._learner.seats)
    assert skipped


def test_opponents_are_drawn_by_weight_and_told_of_restarts():
    never, always = Preferring(CHECK, CALL), Preferring(CHECK, CALL)
    env = make(opponents=[never, always], weights=[0, 1])
    env.reset()
    for _ in range(40):
        env.step(env.action_masks().argmax(axis=1))
    assert not never.acted
    assert always.acted == set(range(16)) == always.restarted
    env.set_opponents([never, always, never], [0, 0, 1])
    for _ in range(40):
        env.step(env.action_masks().argmax(axis=1))
    assert never.acted == set(range(16))
    with pytest.raises(SabaccError, match="opponents: give at least 3"):
        env.set_opponents([never])
    with pytest.raises(SabaccError, match="weights: give one for each"):
        env.set_opponents([never] * 3, [1, 2])


def test_starts_are_drawn_anew_from_their_ranges():
    env = make(256, stacks=(2, 10), sabacc_pots=(0, 5))
    env.reset()
    rng = np.random.default_rng(0)
    totals, pots = set(), set()
    for _ in range(60):
        _, _, dones, _ = env.step(random_actions(env, rng))
        for table in np.flatnonzero(dones):
            game = env.tables.game(table)
            totals.add(sum(game.credits) + sum(amount for amount, _ in game.pots) - 4)
            pots.add(game.sabacc_pot - 4)
    assert min(pots) == 0
    assert max(pots) == 20
    assert min(totals) >= 2 * 8 - 8
    assert max(totals) > 60
    for changed in ((None, (2, 2)), ((3, 3), None)):
        with pytest.raises(SabaccError, match="a range cannot become None"):
            env.set_start_ranges(*changed)
    env.set_start_ranges((3, 3), (2, 2))
    for _ in range(60):
        env.step(random_actions(env, rng))
    assert set(env._learner._next_starts["credits"].ravel()) == {12}
    assert set(env._learner._next_starts["sabacc_pots"]) == {8}
    equal = make(64, stacks=(2, 100), equal_stacks=1)
    credits = equal._learner._next_starts["credits"]
    assert np.array_equal(credits[:, 0], credits[:, 1])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"num_envs": 0}, "num_envs: 0 is not from 1"),
        ({"num_players": 1}, "num_players: 1 is not from 2 to 8"),
        ({"opponents": None}, "opponents: None is not an agent"),
        ({"opponents": "nobody"}, "unknown agent 'nobody'"),
        ({"opponents": []}, "opponents: give at least 1"),
        ({"opponents": ["nobody"]}, "unknown agent 'nobody'"),
        ({"opponents": [5]}, "opponents: 5 is not an agent"),
        ({"opponents": RandomAgent}, "opponents: <class .*RandomAgent'> is not an agent"),
        ({"opponents": [RandomAgent]}, "opponents: <class .*RandomAgent'> is not an agent"),
        ({"weights": 5}, "weights: 5 is not a sequence"),
        ({"weights": ["x"]}, "weights: 'x' is not a number"),
        ({"weights": [float("inf")]}, "weights: give one for each opponent"),
        ({"bet_sizes": 5}, "bet_sizes: give a sequence"),
        ({"stacks": 5}, "stacks: 5 is not a sequence"),
        ({"stacks": (5,)}, "stacks: give two numbers of antes"),
        ({"stacks": ("a", "b")}, "stacks: 'a' is not a number"),
        ({"stacks": (0.5, 3)}, "stacks: 0.5 to 3.0 is not a range of antes from 1 to"),
        ({"rules": "black_spire", "stacks": (9, 9)}, "stacks: the rules 'black_spire' are played"),
        ({"rules": "spacers", "sabacc_pots": (1, 2)}, "sabacc_pots: .* no Sabacc pot"),
        ({"threads": 0}, "threads: 0 is not from 1"),
        ({"hands": 0}, "hands: 0 is not from 1"),
        ({"stacks": (9, 3)}, "stacks: 9.0 to 3.0 is not a range of antes"),
        ({"sabacc_pots": (0, float("inf"))}, "sabacc_pots: 0.0 to inf is not a range of antes"),
        ({"seed": -1}, "seed: -1 is not from 0"),
        ({"reward_scale": 0}, "reward_scale: 0 is not above 0"),
        ({"reward_scale": -1.5}, "reward_scale: -1.5 is not above 0"),
        ({"reward_scale": float("nan")}, "reward_scale: nan is not above 0"),
        ({"reward_scale": "x"}, "reward_scale: 'x' is not a number"),
        ({"illegal": "ignore"}, 'illegal: \'ignore\' is unknown; use "raise" or "end"'),
    ],
)
def test_what_makes_no_environment_is_refused_in_one_sentence(arguments, sentence):
    given = {"rules": "casino", "num_envs": 4, "opponents": ["random"], **arguments}
    with pytest.raises(SabaccError, match=sentence):
        SabaccVecEnv(**given)


def test_an_unknown_keyword_is_named():
    with pytest.raises(
        TypeError, match=r"^SabaccVecEnv\(\) got .* 'weight'; did you mean weights\?$"
    ):
        SabaccVecEnv("casino", 4, opponents="random", weight=[1])


def test_opponents_by_name_are_built_for_the_game():
    by_name = SabaccVecEnv("orsl", 8, 3, opponents=["random"], bet_sizes=("max",), seed=7)
    built = make(8, 3, load_rules("orsl"), bet_sizes=("max",))
    assert np.array_equal(by_name.reset(), built.reset())


def test_a_network_of_another_game_is_refused():
    pytest.importorskip("torch")
    network = load("zoo:casino-2p")
    with pytest.raises(SabaccError, match="was made for 2 players, not 3"):
        make(num_players=3, opponents=network)
    with pytest.raises(SabaccError, match="was made for the rules 'casino', not 'orsl'"):
        make(rules=load_rules("orsl"), opponents=network)
    with pytest.raises(SabaccError, match="was made for the bet sizes"):
        make(opponents=network, bet_sizes=("min",))
    env = make()
    env.reset()
    env.set_opponents(network)


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(SabaccError, match="call reset first"):
        make().step(np.zeros(16, dtype=np.int64))


def test_an_opponent_that_plays_what_is_not_legal_is_named():
    class Wild(Preferring):
        def act(self, observations, action_masks, rng, tables=None):
            return action_masks.argmin(axis=1)

    env = make(opponents=[Wild()])
    with pytest.raises(IllegalMove, match="Wild' chose action"):
        env.reset()
    with pytest.raises(SabaccError, match="call reset first"):
        env.step(env.action_masks().argmax(axis=1))
    env.set_opponents("random")
    env.reset()
    env.step(env.action_masks().argmax(axis=1))


def test_a_state_goes_on_alike():
    env, other = (make(stacks=(3, 30), sabacc_pots=(0, 5)) for _ in range(2))
    env.reset()
    for _ in range(25):
        env.step(env.action_masks().argmax(axis=1))
    assert np.array_equal(other.restore_state(env.save_state()), env.tables.observations)
    for _ in range(50):
        actions = env.action_masks().argmax(axis=1)
        mine, theirs = env.step(actions), other.step(actions)
        for left, right in zip(mine[:3], theirs[:3], strict=True):
            assert np.array_equal(left, right)


def begun(**options):
    env = make(**{"num_envs": 4, "opponents": ["random"], **options})
    env.reset()
    return env


def state(**options):
    return begun(**options).save_state()


def changed(**values):
    state = begun().save_state()
    values = {"tables": state.values["tables"].to_bytes()} | values
    return SavedState(state.kind, state.made, state.values | values, is_loaded=True)


def tables_of(**options):
    return begun(**options).tables.to_bytes()


ONE_DIMENSION = np.zeros(3, dtype=np.int64)

BAD_STATES = [
    (lambda: None, "state: None is not what save_state returned"),
    (dict, "state: {} is not what save_state returned"),
    (lambda: changed(tables="tables"), "state: this is not what save_state returned"),
    (lambda: changed(more=5), "state: this is not what save_state returned"),
    (lambda: changed(tables=b"tables"), "these bytes do not have the format"),
    (lambda: changed(tables=tables_of(rules="orsl")), "state: its tables have other rules"),
    (lambda: changed(tables=tables_of(num_players=3)), "state: its tables have other numbers of"),
    (lambda: changed(tables=tables_of(hands=2)), "state: its tables have hands 2, not 1"),
    (lambda: changed(tables=tables_of(bet_sizes=("min",))), r"have bet_sizes \('min',\), not"),
    (lambda: state(rules="orsl"), "state: its rules, 'orsl', are not the rules"),
    (lambda: state(num_envs=5), "state: it has num_envs 5, and this environment has 4"),
    (lambda: state(num_players=3), "state: it has num_players 3, and this environment has 2"),
    (lambda: state(hands=2), "state: it has hands 2, and this environment has 1"),
    (
        lambda: state(bet_sizes=("max",)),
        r"state: it has bet_sizes \['max'\], and this environment has \['min'",
    ),
    (lambda: state(stacks=(5, 9)), r"state: it has drawn \['credits'\], .* has \[\]"),
    (lambda: changed(next={"credits": 5}), r"state: it draws \['credits'\] .* draws \[\]"),
    (
        lambda: state(opponents=["random"] * 9),
        "state: its indices of opponents are not all from 0 to 0",
    ),
    (lambda: changed(members=ONE_DIMENSION), "state: its indices of opponents are not"),
    (lambda: changed(seats=ONE_DIMENSION), r"state: its seats must be int64 of shape \(4,\)"),
    (lambda: changed(seats=np.full(4, 7)), "state: there is a table at which the learner"),
    (lambda: changed(rng={}), "state: its rng is not a state"),
    (lambda: changed(hands=ONE_DIMENSION), r"state: its hands must be int64 of shape \(4,\)"),
    (lambda: changed(seed_given="x"), "state: its seed_given: 'x' is not a whole number"),
]


@pytest.mark.parametrize(("state", "sentence"), BAD_STATES)
def test_a_state_of_something_else_is_refused_and_changes_nothing(state, sentence):
    env, twin = begun(), begun()
    with pytest.raises(SabaccError, match=sentence):
        env.restore_state(state())
    for _ in range(20):
        actions = twin.action_masks().argmax(axis=1)
        for mine, its in zip(env.step(actions)[:3], twin.step(actions)[:3], strict=True):
            assert np.array_equal(mine, its)


def test_a_state_holds_any_bet_sizes():
    env = begun(bet_sizes=("min", Fraction(1, 3), "max"))
    assert np.array_equal(
        env.restore_state(SavedState.from_bytes(env.save_state().to_bytes())),
        env.tables.observations,
    )


def test_threads_change_nothing():
    env, other = make(num_players=3), make(num_players=3, threads=3)
    assert np.array_equal(env.reset(), other.reset())
    for _ in range(60):
        actions = env.action_masks().argmax(axis=1)
        for left, right in zip(env.step(actions)[:3], other.step(actions)[:3], strict=True):
            assert np.array_equal(left, right)


def test_what_the_learner_saw_at_the_end():
    env = make(opponents=[Preferring(CHECK, CALL)])
    env.reset()
    seats = env._learner.seats.copy()
    buffers = TurnBuffers(env.tables.rules, encode_bet_sizes(DEFAULT_BET_SIZES))
    for _ in range(40):
        _, _, dones, infos = env.step(env.action_masks().argmax(axis=1))
        for table in np.flatnonzero(dones):
            env.tables.final_game(table).write_observation(buffers, seats[table])
            assert np.array_equal(
                infos[table]["terminal_observation"], buffers.requested_observation
            )
        seats = env._learner.seats.copy()


def test_seeds():
    env = make(num_players=3)
    env.seed(3)
    first = env.reset()
    assert not np.array_equal(env.reset(), first)
    env.seed(3)
    assert np.array_equal(env.reset(), first)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_bad_seeds(seed):
    with pytest.raises(SabaccError, match="seed: "):
        make().seed(seed)


@pytest.mark.parametrize("indices", [[9], 9, -5, "first", 10**30, [1.5, None]])
def test_tables_that_there_are_not(indices):
    env = make(4)
    with pytest.raises(SabaccError, match=r"indices: .* not tables from 0 to 3"):
        env.env_method("action_masks", indices=indices)


def test_illegal_actions_are_refused():
    env = make()
    env.reset()
    with pytest.raises(IllegalMove, match=r"table 0: action .* now; use the masks, with .*PPO"):
        env.step(np.full(16, JUNK))


def test_evaluation_without_masks_says_how_to_mask():
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy
    from stable_baselines3.common.evaluation import evaluate_policy as evaluate_unmasked

    env = SabaccVecEnv("casino", 8, seed=1)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, seed=1)
    with pytest.raises(IllegalMove, match=r'with MaskablePPO, .* or .*illegal="end"$'):
        evaluate_unmasked(model, env, n_eval_episodes=50, warn=False)
    assert math.isfinite(evaluate_policy(model, env, n_eval_episodes=8, warn=False)[0])


def test_an_illegal_action_can_end_the_episode_of_its_table_alone():
    env = make(illegal="end", reward_scale=10)
    rng = np.random.default_rng(3)
    before = env.reset()
    for _ in range(40):
        legal = random_actions(env, rng)
        wrong = rng.random(env.num_envs) < 0.2
        actions = np.where(wrong, env.action_masks().argmin(axis=1), legal)
        actions[0] = legal[0]
        wrong[0] = False
        after, rewards, dones, infos = env.step(actions)
        assert dones[wrong].all()
        assert (rewards[wrong] == -1).all()
        assert [info.get("illegal_action", False) for info in infos] == wrong.tolist()
        for table in np.flatnonzero(wrong):
            np.testing.assert_array_equal(infos[table]["terminal_observation"], before[table])
        before = after
    actions = env.action_masks().argmax(axis=1)
    actions[1] = 10**9
    assert env.step(actions)[2][1]


def test_legal_actions_play_alike_whatever_illegal_ones_do():
    env, other = make(illegal="end"), make()
    assert np.array_equal(env.reset(), other.reset())
    rng = np.random.default_rng(3)
    for _ in range(60):
        actions = random_actions(env, rng)
        for mine, its in zip(env.step(actions)[:3], other.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize("name", ["PPO", "DQN"])
def test_learners_without_masks_run_where_illegal_actions_end_episodes(name):
    sb3 = pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.callbacks import EvalCallback
    from stable_baselines3.common.evaluation import evaluate_policy

    env, evaluation = make(8, illegal="end"), make(4, illegal="end")
    settings = {"PPO": {"n_steps": 32}, "DQN": {"learning_starts": 64, "buffer_size": 1000}}
    model = getattr(sb3, name)("MlpPolicy", env, seed=0, **settings[name])
    callback = EvalCallback(evaluation, n_eval_episodes=8, eval_freq=16, verbose=0, warn=False)
    model.learn(512, callback=callback)
    assert callback.last_mean_reward > -np.inf  # it has evaluated
    mean, _ = evaluate_policy(model, evaluation, n_eval_episodes=16, warn=False)
    assert -100 < mean < 100


def test_the_margin_is_counted():
    env = make(64, opponents=[Preferring(CHECK, CALL)])
    env.reset()
    for _ in range(30):
        env.step(env.action_masks().argmax(axis=1))
    hands, margin = env.margin_since()
    assert hands > 100
    assert abs(margin) < 5000
    assert env.margin_since() == (0, 0.0)
