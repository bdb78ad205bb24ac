"""The PettingZoo environment: PettingZoo's own checks, and what those do not look at."""

from __future__ import annotations

import copy
import hashlib
import pickle
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from sabacc_env import (
    Game,
    IllegalMove,
    RuleSet,
    SabaccError,
    Tables,
    load_rules,
    rule_sets,
    sabacc_v0,
)
from sabacc_env.actions import FIRST_BET, JUNK
from sabacc_env.game.keys import hand_key
from sabacc_env.observation import blocks, state_blocks
from tests.support.comparing import comparable

with warnings.catch_warnings():  # pettingzoo.test imports environments in a deprecated way
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test, state_test

every_table = [(rules, num_players) for rules in rule_sets() for num_players in (2, 5, 8)]
at_every_table = pytest.mark.parametrize(("rules", "num_players"), every_table)
with_credits = [rules for rules in rule_sets() if rules != "black_spire"]


# PettingZoo's own tests.

UNAVOIDABLE = {  # for any Dict observation of an environment that is not PettingZoo's own
    "Observation is not a NumPy array",
    (
        "Observation space for each agent probably should be gymnasium.spaces.box or "
        "gymnasium.spaces.discrete"
    ),
}


@at_every_table
def test_api(rules: str, num_players: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(sabacc_v0.env(rules=rules, num_players=num_players), num_cycles=4)
    assert {str(warning.message) for warning in caught} == UNAVOIDABLE


@at_every_table
def test_seed(rules: str, num_players: int) -> None:
    seed_test(lambda: sabacc_v0.env(rules=rules, num_players=num_players), num_cycles=20)


@at_every_table
def test_render(rules: str, num_players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(sabacc_v0.raw_env.metadata, "render_fps", 1000)
    render_test(
        lambda render_mode: sabacc_v0.env(
            rules=rules, num_players=num_players, render_mode=render_mode
        ),
        custom_tests={"ansi": lambda text: text.count("player_") >= num_players},
    )


@at_every_table
def test_state(rules: str, num_players: int) -> None:
    options: dict[str, Any] = {"rules": rules, "num_players": num_players, "hands": 3}
    state_test(sabacc_v0.env(**options), sabacc_v0.parallel_env(**options), num_cycles=5)


@at_every_table
def test_parallel_api(rules: str, num_players: int) -> None:
    options: dict[str, Any] = {"rules": rules, "num_players": num_players}
    parallel_api_test(sabacc_v0.parallel_env(**options), num_cycles=60)
    parallel_api_test(turn_based_aec_to_parallel(sabacc_v0.env(**options)), num_cycles=60)


# Helpers.


def random_action(env: Any, rng: random.Random, calm: float = 0.8) -> int:
    """Choose a legal action, seldom junk or a raise: else random hands end early, in ruin."""
    legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
    careful = [action for action in legal if action != JUNK and action < FIRST_BET]
    return rng.choice(careful if careful and rng.random() < calm else legal)


def steps(env: Any, rng: random.Random, calm: float = 0.8) -> Iterator[str]:
    """Play random actions until the episode ends; yield after each step who acted."""
    while not env.terminations[env.agent_selection]:
        agent = env.agent_selection
        env.step(random_action(env, rng, calm))
        yield agent


def everything(env: Any) -> dict[str, Any]:
    """Return all that an environment shows, comparable with ==; the state is all observations."""
    shown = {
        name: comparable(getattr(env.unwrapped, name))
        for name in (
            "agents",
            "agent_selection",
            "rewards",
            "_cumulative_rewards",
            "terminations",
            "truncations",
            "infos",
        )
    }
    masks = {agent: comparable(env.observe(agent)["action_mask"]) for agent in env.possible_agents}
    return shown | {"masks": masks, "observations": comparable(env.state())}


def course(env: Any, seed: int) -> tuple[str, int]:
    """Play random actions; return a hash of everything shown on the way, and the hands played."""
    env.reset(seed=seed)
    digest = hashlib.sha256(repr(everything(env)).encode())
    for _ in steps(env, random.Random(seed), calm=0.95):
        digest.update(repr(everything(env)).encode())
    return digest.hexdigest(), env.hands_finished


def in_second_hand(env: Any, rng: random.Random) -> None:
    """Play on without risk into the middle of the second hand."""
    for _ in steps(env, rng, calm=1):
        if env.hands_finished:
            break
    env.step(random_action(env, rng, calm=1))


# Seeds, copies.


@pytest.mark.parametrize("rules", rule_sets())
def test_same_seed_same_everything_over_a_thousand_hands(rules: str) -> None:
    env = sabacc_v0.env(rules=rules, num_players=3, hands=10)
    again = sabacc_v0.env(rules=rules, num_players=3, hands=10)
    courses = [course(env, seed) for seed in range(30)]
    assert [course(again, seed) for seed in range(30)] == courses
    assert len(set(courses)) == 30
    assert sum(hands for _, hands in courses) > 1000 / len(rule_sets())


def test_reset_without_a_seed_goes_on_from_the_last_one() -> None:
    def deals(env: Any) -> list[bytes]:
        env.reset(seed=5)
        first = [env.unwrapped.game.to_bytes()]
        for _ in range(3):
            env.reset()
            first.append(env.unwrapped.game.to_bytes())
        return first

    env = sabacc_v0.env(rules="orsl", num_players=4)
    dealt = deals(env)
    assert len(set(dealt)) == 4
    assert deals(env) == deals(sabacc_v0.env(rules="orsl", num_players=4)) == dealt


@at_every_table
def test_every_hand_is_the_one_that_a_game_deals(rules: str, num_players: int) -> None:
    """The environment deals later hands and episodes without the checks of a first one."""
    env = sabacc_v0.raw_env(rules=rules, num_players=num_players, hands=3)
    env.reset(seed=6)
    dealt = 0
    for _ in range(4):
        game = None
        while not env.terminations["player_0"]:
            if env.game is not game:
                game, hand = env.game, env._hand
                dealt += 1
                start = {name: value for name, value in game.start.items() if value is not None}
                assert start["key"] == hand_key(6, env._episode, hand)
                again = Game(env.rules, **start)
                again.set_episode_position(hand, 3)
                assert again == game
            env.step(random_action(env, random.Random(dealt), calm=1))
        env.reset()
    assert dealt > 4


def test_no_seed_at_all_is_a_random_one() -> None:
    keys = set()
    for _ in range(3):
        env = sabacc_v0.raw_env()
        env.reset()
        keys.add(env.game.key)
    assert len(keys) == 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("make", [sabacc_v0.env, sabacc_v0.raw_env])
@pytest.mark.parametrize("rules", rule_sets())
def test_copies_have_the_same_future(
    rules: str, make: Callable[..., Any], copied: Callable[[Any], Any]
) -> None:
    env = make(rules=rules, num_players=3, hands=3)
    env.reset(seed=11)
    for start in ("new", "mid-hand", "second hand"):
        if start == "mid-hand":
            env.step(random_action(env, random.Random(1)))
        elif start == "second hand":
            in_second_hand(env, random.Random(2))
        twin = copied(env)
        before = everything(env)
        assert everything(twin) == before
        rng = random.Random(3)
        for _ in steps(copied(env), rng):  # a copy's play leaves its original alone
            pass
        assert everything(env) == before
    for _ in zip(steps(env, random.Random(4)), steps(twin, random.Random(4)), strict=True):
        assert everything(env) == everything(twin)
    env.reset()
    twin.reset()
    assert everything(env) == everything(twin)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_what_agents_share_is_read_only_in_copies_too(
    copied: Callable[[Any], Any],
) -> None:
    env = sabacc_v0.raw_env(num_players=3)
    env.reset(seed=1)
    twin = copied(env)
    resting = next(agent for agent in twin.agents if agent != twin.agent_selection)
    for array in (twin.observe(resting)["action_mask"], twin.infos[resting]["action_mask"]):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1


# Rewards, ends, infos, masks.


@at_every_table
def test_rewards_are_net_credits_in_antes_when_a_hand_ends(rules: str, num_players: int) -> None:
    env = sabacc_v0.env(rules=rules, num_players=num_players, hands=4)
    unit = load_rules(rules).ante_unit
    hands_ended = 0
    for seed in range(5):
        env.reset(seed=seed)
        pot = hands = 0
        before = env.unwrapped.game.start["credits"]
        for _ in steps(env, random.Random(seed)):
            assert env.agents == env.possible_agents  # junked and busted seats stay
            assert set(env.terminations.values()) in ({True}, {False})
            assert not any(env.truncations.values())
            if env.hands_finished == hands:
                assert set(env.rewards.values()) == {0}
                assert not any(env.terminations.values())
                continue
            hands += 1
            hands_ended += 1
            result = env.hand_result()
            net = result["net_credits"]
            assert [env.rewards[agent] for agent in env.agents] == [n / unit for n in net]
            assert sum(net) == pot - result["sabacc_pot"]
            assert sum(env.rewards.values()) == pytest.approx(-(result["sabacc_pot"] - pot) / unit)
            pot = result["sabacc_pot"]
            if before is not None:
                after = env.unwrapped.game.credits
                if not env.terminations["player_0"]:
                    after = env.unwrapped.game.start["credits"]
                assert [a - b for a, b in zip(after, before, strict=True)] == net
                before = after
        assert all(env.terminations.values())
    assert hands_ended > 5


@at_every_table
def test_last_hands_every_agent_all_its_rewards(rules: str, num_players: int) -> None:
    env = sabacc_v0.env(rules=rules, num_players=num_players, hands=5)
    env.reset(seed=3)
    rng = random.Random(3)
    handed = dict.fromkeys(env.possible_agents, 0.0)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        handed[agent] += reward
        env.step(None if terminated else random_action(env, rng))
        if not terminated:
            for other, reward in env.rewards.items():
                paid[other] += reward
    assert handed == pytest.approx(paid)
    assert any(paid.values())


@at_every_table
def test_masks_and_infos(rules: str, num_players: int) -> None:
    env = sabacc_v0.env(rules=rules, num_players=num_players)
    spaces = {
        agent: (env.observation_space(agent), env.action_space(agent))
        for agent in env.possible_agents
    }
    env.reset(seed=9)
    rng = random.Random(9)
    kept = []
    while True:
        acting = None if env.terminations["player_0"] else env.agent_selection
        for agent in env.possible_agents:
            observation = env.observe(agent)
            mask = observation["action_mask"]
            assert mask.dtype == np.int8
            assert mask.any()
            assert mask.all() == (agent != acting)
            assert np.array_equal(mask, env.infos[agent]["action_mask"])
            assert env.infos[agent]["action_mask"].dtype == np.int8
            assert env.observation_space(agent) is spaces[agent][0]
            assert env.action_space(agent) is spaces[agent][1]
            assert spaces[agent][0].contains(observation)
        assert env.state_space.contains(env.state())
        observations = [env.observe(agent)["observation"] for agent in env.possible_agents]
        seen = state_blocks(env.state(), len(observations)).observations
        assert np.array_equal(seen, observations)
        if acting is None:
            break
        for shown in (env.observe(acting), env.last()[0], env.infos[acting]):
            kept += [(value, value.copy()) for value in shown.values() if value.flags.writeable]
        env.step(random_action(env, rng))
    assert kept
    assert all(np.array_equal(array, then) for array, then in kept)  # never written to again
    assert len({id(array) for array, _ in kept}) == len(kept)


@pytest.mark.parametrize("rules", rule_sets())
def test_the_result_of_a_finished_hand(rules: str) -> None:
    env = sabacc_v0.env(rules=rules, num_players=3)
    revealed = set()
    for seed in range(30):
        env.reset(seed=seed)
        for _ in steps(env, random.Random(seed), calm=seed % 2):
            pass
        game = env.unwrapped.game
        revealed.add(game.revealed)
        remaining = game.remaining if game.revealed else []
        assert env.hand_result() == {
            "net_credits": game.net_credits,
            "revealed_hands": {f"player_{seat}": game.rank(seat).name for seat in remaining},
            "winners": [f"player_{seat}" for seat in game.winners],
            "sabacc_pot": game.sabacc_pot,
        }
    assert revealed == {True, False}


@at_every_table
def test_infos_hold_the_mask_alone_at_every_step(rules: str, num_players: int) -> None:
    env = sabacc_v0.env(rules=rules, num_players=num_players, hands=4)
    kept, finished = [], 0
    for seed in range(4):
        env.reset(seed=seed)
        for _ in steps(env, random.Random(seed), calm=0.95):
            assert list(env.infos) == env.possible_agents
            assert all(list(info) == ["action_mask"] for info in env.infos.values())
            kept.append((env.infos, comparable(env.infos)))
        finished += env.hands_finished
    assert finished > 4
    assert all(comparable(infos) == then for infos, then in kept)  # never written to again


@at_every_table
def test_the_last_result_is_told_until_another_hand_has_ended(rules: str, num_players: int) -> None:
    env = sabacc_v0.env(rules=rules, num_players=num_players, hands=4)
    most = 0
    for seed in range(4):
        env.reset(seed=seed)
        game, results = env.unwrapped.game, []
        assert env.hand_result() is None
        for _ in steps(env, random.Random(seed), calm=0.95):
            if game.seat_to_act is None:  # dealt anew since, or the episode is over
                results.append(game.net_credits)
                game = env.unwrapped.game
            assert env.hands_finished == len(results)
            assert results == [] or env.hand_result()["net_credits"] == results[-1]
        most = max(most, len(results))
    assert most > 1


def test_an_agent_may_write_to_its_info() -> None:
    env = sabacc_v0.env(num_players=3)
    env.reset(seed=1)
    env.infos["player_0"]["mine"] = 1
    assert all("mine" not in env.infos[agent] for agent in ("player_1", "player_2"))
    env.step(random_action(env, random.Random(1)))
    assert "mine" not in env.infos["player_0"]


def test_every_agent_may_observe_at_any_time() -> None:
    env = sabacc_v0.env(rules="orsl", num_players=4)
    env.reset(seed=1)
    rng = random.Random(1)
    for _ in env.agent_iter():
        _, _, terminated, _, _ = env.last()
        env.step(None if terminated else random_action(env, rng))
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
    assert env.agents == []
    assert all(env.observe(agent)["action_mask"].all() for agent in env.possible_agents)


def test_nobody_else_may_observe() -> None:
    env = sabacc_v0.env(num_players=2)
    env.reset(seed=1)
    with pytest.raises(
        SabaccError, match="unknown agent 'player_9'; the agents are player_0, player_1"
    ):
        env.observe("player_9")
    for space in (env.action_space, env.observation_space):
        with pytest.raises(SabaccError, match=r"^unknown agent 'nobody'; the agents are player_0"):
            space("nobody")


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.last(),
        lambda env: env.last(observe=False),
        lambda env: env.observe("player_0"),
        lambda env: env.observe("player_1"),
        lambda env: env.state(),
        lambda env: env.render(),
        lambda env: list(env.agent_iter()),
    ],
)
def test_nothing_is_in_play_before_the_first_reset(call: Any) -> None:
    env = sabacc_v0.raw_env(render_mode="ansi")
    for table in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
            call(table)


@pytest.mark.parametrize("actions", [{}, {"player_0": 0}, {"nobody": 0}, None, [0, 0]])
def test_the_parallel_form_needs_the_action_of_the_agent_to_act(actions: Any) -> None:
    env = sabacc_v0.parallel_env()
    with pytest.raises(SabaccError, match=r"^no episode is in play; call reset first$"):
        env.step(actions)
    env.reset(seed=1, options={"dealer": 0})
    with pytest.raises(SabaccError, match=r"^actions: .* has no action of player_1, who is to act"):
        env.step(actions)
    assert len(env.step({"player_1": 0})) == 5


# Illegal actions.


@pytest.mark.parametrize("rules", rule_sets())
def test_raw_env_refuses_illegal_actions_and_changes_nothing(rules: str) -> None:
    env: Any = sabacc_v0.raw_env(rules=rules, num_players=3)
    env.reset(seed=2)
    rng = random.Random(2)
    while not env.terminations["player_0"]:
        mask = env.observe(env.agent_selection)["action_mask"]
        before = everything(env), env.game.to_bytes()
        for action in [*np.flatnonzero(mask == 0), -1, len(mask), 64, 80, 2**40]:
            with pytest.raises(IllegalMove, match=rf"action {action} .*{env.agent_selection}"):
                env.step(action)
        for action in (None, True, 1.0, "stand", [0], np.zeros(1, dtype=int)):
            with pytest.raises(IllegalMove, match="is not an action"):
                env.step(action)
        assert (everything(env), env.game.to_bytes()) == before
        env.step(random_action(env, rng))


@pytest.mark.parametrize("rules", rule_sets())
def test_env_ends_an_episode_on_an_illegal_action(rules: str) -> None:
    env = sabacc_v0.env(rules=rules, num_players=3, hands=2)
    env.reset(seed=2)
    env.step(random_action(env, random.Random(1)))
    culprit = env.agent_selection
    with pytest.raises(IllegalMove, match="True is not an action"):  # the space contains it
        env.step(True)
    env.step(int(np.argmin(env.observe(culprit)["action_mask"])))
    assert env.rewards == {agent: -1 if agent == culprit else 0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    for agent in env.possible_agents:
        assert env.observe(agent)["action_mask"].all()
        info = dict(env.infos[agent])
        assert info.pop("action_mask").all()
        assert info == ({"illegal_action": True} if agent == culprit else {})
    handed = {}
    for agent in env.agent_iter():
        _, handed[agent], _, _, _ = env.last()
        env.step(None)
    assert handed == {agent: -1 if agent == culprit else 0 for agent in env.possible_agents}
    env.reset(seed=2)
    assert not any(env.terminations.values())


def test_an_illegal_action_after_a_hand_leaves_its_result() -> None:
    env = sabacc_v0.env(rules="orsl", num_players=2, hands=3)
    env.reset(seed=2)
    for _ in steps(env, random.Random(1), calm=1):
        if env.hands_finished:
            break
    result = env.hand_result()
    env.step(int(np.argmin(env.observe(env.agent_selection)["action_mask"])))
    assert env.hands_finished == 1
    assert env.hand_result() == result


def test_env_asserts_that_actions_are_in_bounds() -> None:
    env = sabacc_v0.env()
    env.reset(seed=1)
    with pytest.raises(AssertionError):
        env.step(99)


def test_env_enforces_the_order_of_calls() -> None:
    with pytest.raises(AttributeError, match="before reset"):
        sabacc_v0.env().agents  # noqa: B018


# Options.


@pytest.mark.parametrize("num_players", [2, 5, 8])
def test_options_for_the_first_hand(num_players: int) -> None:
    env = sabacc_v0.env(rules="casino", num_players=num_players, hands=2)
    deck = random.Random(1).sample(range(62), 62)
    credits = [40 + seat for seat in range(num_players)]
    options: dict[str, Any] = {
        "dealer": num_players - 1,
        "credits": credits,
        "sabacc_pot": 33,
        "deck": deck,
        "dice": [(2, 5), (3, 6), (4, 1)],
    }
    env.reset(seed=1, options=options)
    game = env.unwrapped.game
    assert game.dealer == num_players - 1
    assert game.credits == [stack - 4 for stack in credits]
    assert game.sabacc_pot == 33 + 2 * num_players
    for seat in range(num_players):
        assert sorted(game.hands[seat]) == sorted(deck[2 * seat : 2 * seat + 2])
    assert game.discard_pile == [deck[2 * num_players]]
    assert game.draw_pile == deck[2 * num_players + 1 :]
    while env.unwrapped.game is game:
        env.step(int(np.argmax(env.observe(env.agent_selection)["action_mask"])))
    assert game.dice == [(2, 5), (3, 6), (4, 1)]
    later = env.unwrapped.game
    assert later.start["deck"] is None
    assert later.start["dice"] is None
    assert later.dealer == 0


def test_dice_that_run_out_change_nothing() -> None:
    env = sabacc_v0.raw_env(rules="casino", num_players=3)
    env.reset(seed=1, options={"dice": [(2, 5)]})
    with pytest.raises(SabaccError, match="dice: the given dice have run out"):  # noqa: PT012
        while True:
            before = everything(env), env.game.to_bytes()
            env.step(int(np.argmax(env.observe(env.agent_selection)["action_mask"])))
    assert (everything(env), env.game.to_bytes()) == before
    assert len(env.game.dice) == 1


def test_a_seed_decides_the_first_dealer_and_all_seats_deal() -> None:
    env = sabacc_v0.raw_env(rules="orsl", num_players=5)
    dealers = []
    for seed in [*range(200), *range(200)]:
        env.reset(seed=seed)
        dealers.append(env.game.dealer)
    assert dealers[:200] == dealers[200:]
    assert all(dealers[:200].count(seat) > 20 for seat in range(5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delaer": 0}, "unknown option 'delaer'; did you mean 'dealer'?"),
        ({"credit": [9, 9]}, "unknown option 'credit'; did you mean 'credits'?"),
        ({"sabbac_pot": 3}, "unknown option 'sabbac_pot'; did you mean 'sabacc_pot'?"),
        ({"dealer": 2}, "dealer: 2 is not from 0 to 1"),
        ({"credits": [100]}, "credits: give one number for each of 2 seats"),
        ({"credits": 100}, "credits: 100 is not a sequence"),
        ({"deck": [1, 2]}, "deck: give each of the 62 cards of the rules once"),
        ({"dice": [(0, 7)]}, "dice: 0 is not from 1 to 6"),
        (["dealer"], r"options: \['dealer'\] is not a dict"),
    ],
)
def test_options_that_make_no_game(options: Any, message: str) -> None:
    env = sabacc_v0.env()
    with pytest.raises(SabaccError, match=message):
        env.reset(seed=1, options=options)


@pytest.mark.parametrize("seed", [None, 77])
def test_a_refused_reset_changes_nothing(seed: int | None) -> None:
    env, twin = (sabacc_v0.raw_env("black_spire", num_players=2, hands=5) for _ in range(2))
    for each in (env, twin):
        each.reset(seed=3)
        in_second_hand(each, random.Random(1))
    for refused in ({"dealer": 9}, {"sabacc_pot": -1}, {"credits": [5, 5]}, {"deck": [0]}):
        with pytest.raises(SabaccError):
            env.reset(seed=seed, options=refused)
        assert everything(env) == everything(twin)
    for _ in zip(steps(env, random.Random(2)), steps(twin, random.Random(2)), strict=True):
        assert everything(env) == everything(twin)
        assert env.game == twin.game
    env.reset()
    twin.reset()
    assert env.game == twin.game


def test_other_options_are_ignored() -> None:
    env = sabacc_v0.raw_env()
    env.reset(seed=1)
    plainly = everything(env)
    options: dict[Any, Any] = {"options": 1, "wind": "north", 3: 4}
    env.reset(seed=1, options=options)
    assert everything(env) == plainly


# Several hands.


@pytest.mark.parametrize("num_players", [2, 4, 8])
@pytest.mark.parametrize("rules", with_credits)
def test_matches_carry_credits_pot_and_dealer_over(rules: str, num_players: int) -> None:
    unit = load_rules(rules).ante_unit
    most_hands = 12
    env = sabacc_v0.env(rules=rules, num_players=num_players, hands=most_hands)
    went_out = cut_short = played_out = 0
    for seed in range(12):
        rng = random.Random(seed)
        stacks = [unit * rng.choice((1, 2, 5, 40)) + rng.randrange(3) for _ in range(num_players)]
        env.reset(seed=seed, options={"credits": stacks})
        game, hand = env.unwrapped.game, 0
        while not env.terminations["player_0"]:
            able = [s for s in range(num_players) if game.start["credits"][s] >= unit]
            assert game.seated == tuple(able)
            assert int(env.agent_selection[-1]) in able
            left = blocks(env.observe("player_0")["observation"]).table[4]
            assert left == np.float32(min(1, (most_hands - hand) / 10))
            previous = game
            env.step(random_action(env, rng, calm=0.95))
            game = env.unwrapped.game
            if game is previous:
                continue
            hand += 1
            assert game.start["credits"] == previous.credits
            assert game.start["sabacc_pot"] == previous.sabacc_pot
            able = [s for s in range(num_players) if previous.credits[s] >= unit]
            clockwise = [(previous.dealer + 1 + s) % num_players for s in range(num_players)]
            assert game.dealer == next(s for s in clockwise if s in able)
            went_out += len(able) < len(previous.seated)
        able = [s for s in range(num_players) if game.credits[s] >= unit]
        assert hand == most_hands - 1 or len(able) < 2
        cut_short += hand < most_hands - 1
        played_out += hand == most_hands - 1
    assert cut_short > 0
    assert went_out > 0 or num_players == 2
    assert played_out > 0 or num_players == 2


def test_points_are_played_for_all_hands() -> None:
    env = sabacc_v0.env(rules="black_spire", num_players=3, hands=7)
    env.reset(seed=1)
    nets: list[list[int]] = []
    for _ in steps(env, random.Random(1)):
        if env.hands_finished > len(nets):
            nets.append(env.hand_result()["net_credits"])
    assert len(nets) == 7
    assert all(sorted(net) == [-1, -1, 2] for net in nets)


def test_a_hand_that_ends_at_its_deal() -> None:
    rules = RuleSet(phases=("betting",), starting_credits=4)  # the antes take everything
    env = sabacc_v0.env(rules=rules)
    env.reset(seed=1)
    assert all(env.terminations.values())
    handed = {}
    for agent in env.agent_iter():
        _, handed[agent], _, _, _ = env.last()
        env.step(None)
    assert sum(handed.values()) == -env.hand_result()["sabacc_pot"] / 4
    assert min(handed.values()) == -1


@pytest.mark.parametrize("options", [None, {"credits": [4, 4]}], ids=["rules", "options"])
def test_an_episode_of_the_parallel_form_may_be_over_at_its_reset(options: Any) -> None:
    """Without a decision there is nothing to do: a loop over ``agents`` does not begin."""
    rules = RuleSet(phases=("betting",), starting_credits=200 if options else 4)
    env = sabacc_v0.parallel_env(rules=rules, undo_steps=1)
    observations, infos = env.reset(seed=1, options=options)
    assert env.agents == []
    assert observations == {}
    assert list(infos) == ["player_0", "player_1"]
    assert all(info["action_mask"].all() for info in infos.values())
    assert env.step({}) == ({}, {}, {}, {}, {})
    assert env.hands_finished == 1
    assert min(env.hand_result()["net_credits"]) == -4
    state = env.save_state()
    twin = sabacc_v0.parallel_env(rules=rules)
    twin.restore_state(state)
    assert twin.agents == []
    assert sabacc_v0.parallel_env(rules=rules).reset(seed=1, options={"credits": [9, 9]})[0]


def test_environments_with_a_learner_refuse_rules_without_a_decision() -> None:
    rules = RuleSet(phases=("betting",), starting_credits=4)
    with pytest.raises(SabaccError, match="reset: 1000 episodes ended before the learner had a"):
        gymnasium.make("Sabacc-v0", rules=rules).reset(seed=1)
    with pytest.raises(SabaccError, match="credits: at table 0 the antes leave no seat a decision"):
        gymnasium.make_vec("Sabacc-v0", 2, rules=rules)
    with pytest.raises(SabaccError, match="credits: at table 0 the antes leave no seat a decision"):
        Tables(rules, 2, 2)


def test_a_parallel_environment_takes_an_ended_state_of_the_other_form() -> None:
    env, parallel = sabacc_v0.env(), sabacc_v0.parallel_env()
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    observations, infos = parallel.restore_state(env.save_state())
    assert (parallel.agents, observations, len(infos)) == ([], {}, 2)


def test_a_hand_that_ends_at_its_deal_in_a_match() -> None:
    rules = RuleSet(phases=("betting",))
    env = sabacc_v0.env(rules=rules, num_players=3, hands=4)
    in_hands = set()
    for seed in range(20):
        env.reset(seed=seed, options={"credits": [4, 4, 100]})
        paid = np.array(list(env.rewards.values()))
        in_hands.add(env.unwrapped._hand)
        for _ in steps(env, random.Random(seed)):
            paid += list(env.rewards.values())
        credits = np.array(env.unwrapped.game.credits)
        assert paid == pytest.approx((credits - [4, 4, 100]) / 4)
    assert max(in_hands) > 0


# Parallel.


@pytest.mark.parametrize("rules", rule_sets())
def test_parallel_env_plays_the_same_game(rules: str) -> None:
    env = sabacc_v0.env(rules=rules, num_players=3, hands=2)
    parallel = sabacc_v0.parallel_env(rules=rules, num_players=3, hands=2)
    env.reset(seed=4)
    observations, infos = parallel.reset(seed=4)
    rng = random.Random(4)
    while parallel.agents:
        assert comparable(infos) == comparable(env.infos)
        for agent in env.agents:
            assert comparable(observations[agent]) == comparable(env.observe(agent))
        action = random_action(env, rng)
        env.step(action)
        observations, rewards, terminations, _, infos = parallel.step(
            dict.fromkeys(parallel.agents, action)
        )
        assert (rewards, terminations) == (env.rewards, env.terminations)
        assert parallel.hand_result() == env.hand_result()
        assert parallel.hands_finished == env.hands_finished
    assert all(env.terminations.values())
    assert comparable(infos) == comparable(env.infos)
    assert env.hands_finished


# Making one.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "sabaccc"}, 'rules: "sabaccc" is not a rule set'),
        ({"rules": None}, "rules: None is not a rule set"),
        ({"num_players": 1}, "num_players: 1 is not from 2 to 8"),
        ({"num_players": 9}, "num_players: 9 is not from 2 to 8"),
        ({"num_players": 2.0}, "num_players: 2.0 is not a whole number"),
        ({"num_players": True}, "num_players: True is not a whole number"),
        ({"hands": 0}, "hands: 0 is not from 1 to"),
        ({"hands": "3"}, "hands: '3' is not a whole number"),
        ({"bet_sizes": ()}, "bet_sizes: give a sequence"),
        ({"bet_sizes": 0.5}, "bet_sizes: give a sequence"),
        ({"bet_sizes": None}, "bet_sizes: give a sequence"),
        ({"bet_sizes": "min"}, "bet_sizes: give a sequence"),
        ({"bet_sizes": ("pot",)}, "bet_sizes: 'pot' is not a bet size"),
        ({"bet_sizes": (-1,)}, "bet_sizes: -1 is not a bet size"),
        ({"bet_sizes": (float("nan"),)}, "bet_sizes: nan is not a bet size"),
        ({"bet_sizes": (True,)}, "bet_sizes: True is not a bet size"),
        ({"bet_sizes": (1,) * 34}, "bet_sizes: 34 bet sizes are too many"),
        ({"render_mode": "rgb"}, "unknown render_mode 'rgb'"),
    ],
)
@pytest.mark.parametrize("make", [sabacc_v0.env, sabacc_v0.raw_env, sabacc_v0.parallel_env])
def test_bad_arguments(make: Callable[..., Any], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SabaccError, match=message) as raised:
        make(**arguments)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_bad_seeds(seed: Any) -> None:
    env = sabacc_v0.env()
    with pytest.raises(SabaccError, match="seed: "):
        env.reset(seed=seed)


def test_metadata_and_names() -> None:
    env = sabacc_v0.env(num_players=8)
    assert env.metadata["name"] == "sabacc_v0"
    assert not env.metadata["is_parallelizable"]
    assert env.possible_agents == [f"player_{seat}" for seat in range(8)]
    assert env.action_space("player_0").n == 33
    sizes = tuple(range(33))
    assert sabacc_v0.env(bet_sizes=sizes).action_space("player_0").n == 62
