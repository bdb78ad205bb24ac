"""Calls every public name with odd arguments, and checks that each call is refused or makes sense.

A call must either raise ``SabaccError`` or succeed. If it succeeds, ``ACCEPTED`` must allow its odd
argument.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import sabacc_agents
from sabacc_agents import NetworkInfo

import sabacc_env
from sabacc_env import (
    Card,
    Game,
    Move,
    SabaccError,
    SavedState,
    Tables,
    load_rules,
    rule_sets,
    sabacc_v0,
)
from sabacc_env.actions import action_names, num_actions
from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv
from sabacc_env.envs.vector import SabaccVectorEnv
from sabacc_env.game.replay import replay
from sabacc_env.observation import (
    VOCABULARY_SIZE,
    blocks,
    decode,
    decode_tokens,
    is_truncated,
    state_blocks,
    token_mask,
)
from sabacc_env.policies import calling_station, policy, random_legal
from sabacc_env.render.svg import render_svg
from sabacc_env.render.text import render_text
from sabacc_env.rules import RuleSet
from sabacc_env.text import observation_text, parse_action, parse_move

CASINO: Final = load_rules("casino")


def odd_values() -> list[Any]:
    """Return odd values of every type, new objects at each call."""
    circle: list[Any] = []
    circle.append(circle)
    return [
        *(None, True, False, np.bool_(True), 0, 1, 2, 3, 5, 9, -1, -3, 100),
        *(2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**70, -(2**63), -(2**70)),
        *(0.0, 0.5, 1.5, 2.0, -0.5, math.nan, math.inf, -math.inf, 1e308, 1j),
        *(Fraction(1, 2), Fraction(-1, 3), Decimal(2), Card(3), range(3), iter([2]), int, object()),
        *("", "x", "2", "casino", "min", "random", "cpu", "stand", "0", "+3c", "\0", "\ud800"),
        *("x" * 100_000, "-" * 50, b"", b"x", b"casino", bytearray(b"x"), memoryview(b"x")),
        *([], (), [2], (2, 2), [2, 2], [[2]], [[2, 2]], ["x"], [None], [1.5], [True], [2, "x"]),
        *([1e308, 1e308], [2**70, 2], [-1, 2], [math.nan, 1], [[1], [1, 2]], circle),
        *({}, {"a": 1}, {"seed": 1}, {1: 2}, set(), {2}, frozenset()),
        *(np.int64(2), np.int8(-1), np.uint64(2**63), np.float32(0.5), np.float64(math.nan)),
        *(np.str_("casino"), np.datetime64("2020"), np.array(2), np.array(2.5), np.array("casino")),
        *(np.array([2, 2]), np.array([[2, 2]]), np.array([]), np.array([0.5]), np.array(["x"])),
        *(np.array(None), np.zeros((0, 3)), np.zeros((2, 2, 2)), np.array([1j]), np.arange(62)),
        *(np.zeros(2, dtype=[("a", "i8")]), np.ma.masked, np.array([2**63], np.uint64)),
        *(Path("absent"), Path("absent.toml"), Path("absent.safetensors"), Path("/"), print, ...),
        *(random_legal, [random_legal], Move("stand"), Move("raise", amount=-5), CASINO, [CASINO]),
    ]


def plain(value: Any) -> Any:
    """Return a value as plain Python: NumPy numbers as numbers, sequences as lists."""
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Card):
        return int(value)
    if isinstance(value, bytearray | memoryview):  # buffers, which NumPy reads as numbers
        return list(value)
    if isinstance(value, list | tuple | range):
        return [plain(part) for part in value if part is not value]
    return value


Predicate = Callable[[Any], bool]


def whole(least: int, most: int) -> Predicate:
    return lambda value: type(value) is int and least <= value <= most


def number(least: float, most: float) -> Predicate:
    return lambda value: (
        isinstance(value, int | float | Fraction)
        and not isinstance(value, bool)
        and least <= value <= most
    )


def one_of(*values: Any) -> Predicate:
    return lambda value: any(type(value) is type(each) and value == each for each in values)


def each(takes: Predicate, least: int = 0, most: int = 10**9) -> Predicate:
    return lambda value: (
        isinstance(value, list) and least <= len(value) <= most and all(map(takes, value))
    )


def either(*several: Predicate) -> Predicate:
    return lambda value: any(takes(value) for takes in several)


NONE: Final = one_of(None)
ANYTHING: Final[Predicate] = lambda _: True  # noqa: E731
RULES: Final = either(one_of(*rule_sets()), lambda value: isinstance(value, RuleSet))
BET_SIZE: Final = either(one_of("min", "max"), number(0, 1000))
SEED: Final = either(NONE, whole(0, 2**64 - 1))
CREDITS: Final = whole(0, 2**31 - 1)
CHARACTERS: Final[Predicate] = lambda value: isinstance(value, str)  # noqa: E731
POLICY: Final[Predicate] = lambda value: value in (random_legal, calling_station)  # noqa: E731
PER_TABLE: Final = either(NONE, CREDITS, each(either(CREDITS, each(CREDITS))), callable)
RANGE: Final = either(NONE, each(number(0, 2**31), 2, 2))

ACCEPTED: Final[dict[str, Predicate]] = {
    "rules": RULES,
    "many_rules": either(RULES, each(RULES)),
    "num_players": whole(2, 8),
    "many_num_players": either(whole(2, 8), each(whole(2, 8), 1)),
    "seed": SEED,
    "dealer": either(NONE, whole(0, 7)),
    "deck": either(NONE, each(whole(0, 61), 62, 62)),
    "dice": either(NONE, each(each(whole(1, 6), 2, 2))),
    "credits": either(NONE, each(CREDITS)),
    "sabacc_pot": CREDITS,
    "key": either(NONE, whole(-(2**63), 2**64 - 1)),
    "hands": whole(1, 2**31 - 1),
    "bet_sizes": each(BET_SIZE, 1),
    "render_mode": either(NONE, one_of("ansi", "human", "rgb_array")),
    "render_seat": either(NONE, whole(0, 7)),
    "num_tables": whole(1, 100),
    "num_envs": whole(1, 100),
    "threads": whole(1, 1024),
    "undo_steps": whole(0, 2**31),
    "device": one_of("cpu"),
    "packed": one_of(True, False),
    "keys": either(NONE, whole(-(2**63), 2**64 - 1), each(whole(-(2**63), 2**64 - 1)), callable),
    "dealers": PER_TABLE,
    "many_credits": PER_TABLE,
    "sabacc_pots": PER_TABLE,
    "stacks": RANGE,
    "pots": RANGE,
    "equal_stacks": number(0, 1),
    "weights": either(NONE, each(number(0, math.inf))),
    "opponents": either(one_of("random"), each(one_of("random"), 1)),
    "autoreset_mode": one_of("NextStep", "SameStep", "Disabled"),
    "card_id": whole(0, 61),
    "value": whole(-10, 10),
    "suit": whole(0, 2),
    "text": CHARACTERS,
    "cards": each(either(CHARACTERS, whole(-10, 61)), 1, 5),
    "ids": each(whole(0, 61), 1, 5),
    "ranking": one_of("casino"),
    "move": either(CHARACTERS, lambda value: isinstance(value, Move)),
    "seat": whole(0, 7),
    "optional_seat": either(NONE, whole(0, 7)),
    "data": lambda _: False,
    "decisions": whole(0, 1000),
    "policies": either(POLICY, each(POLICY, 1)),
    "actions": each(whole(0, 2**63 - 1)),
    "action": whole(0, 100),
    "tables": each(whole(0, 3)),
    "some_tables": either(NONE, each(whole(0, 3))),
    "any_action": lambda value: type(value) is int,  # an illegal action ends the episode
    "table": whole(0, 3),
    "seats": either(whole(0, 7), each(whole(0, 7))),
    "options": either(NONE, lambda value: isinstance(value, dict)),
    "agent": one_of("player_0", "player_1"),
    "spec": one_of("random"),
    "any_spec": ANYTHING,
    "path": lambda _: False,
    "info_rules": each(RULES, 1),
    "info_players": each(whole(2, 8), 1),
    "training": lambda value: isinstance(value, dict),
    "activation": one_of("relu", "tanh"),
    "game": lambda value: isinstance(value, Game),
    "history": lambda _: False,
    "observations": lambda _: False,
    "function": callable,
    "extractor": NONE,
    "precision": one_of("float16", "float32"),
    "observation": one_of("flat"),
    "max_tokens": either(NONE, whole(2, 2**16)),
    "mask_in_observation": one_of(True, False),
    "legal_moves": one_of(True, False),
    "events": one_of(True, False),
    "optional_bet_sizes": either(NONE, each(BET_SIZE, 1)),
    "tokens": each(whole(0, VOCABULARY_SIZE - 1)),
    "sequences": lambda value: isinstance(value, list),
    "illegal": one_of("raise", "end"),
    "optional_rules": either(NONE, RULES),
    "two": whole(2, 2),
    "two_or_none": either(NONE, whole(2, 2)),
    "network": lambda _: False,
    "greedy": one_of(True, False),
    "reward_scale": number(1e-300, 1e308),
    "other": lambda _: False,
}
"""For each kind of parameter, whether a plain Python value is accepted."""


@dataclass(frozen=True)
class Call:
    """A public name and valid arguments for it.

    Attributes:
        function: the public name.
        arguments: a valid value for each argument.
        kinds: the key in ``ACCEPTED`` of each argument whose key is not its name.
    """

    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    kinds: Mapping[str, str]


def call(
    function: Callable[..., Any], kinds: Mapping[str, str] | None = None, /, **right: Any
) -> Call:
    return Call(function, right, kinds or {})


RULES_FIELDS: Final = dict.fromkeys(RuleSet.model_fields, ANYTHING)


def calls() -> dict[str, Call]:
    """Return every public name with valid arguments, on new objects."""
    tables = Tables(CASINO, 4, 2, seed=1)
    played = Tables(CASINO, 4, 2, seed=1)
    while not played.hand_counts.all():
        played.play(random_legal, 1)
    aec = sabacc_v0.raw_env(rules=CASINO)
    aec.reset(seed=1)
    single: Any = gymnasium.make("Sabacc-v0", rules="casino").unwrapped
    single.reset(seed=1)
    many = SabaccVectorEnv(4, "casino")
    many.reset(seed=1)
    trained = SabaccVecEnv("casino", 4, opponents="random", seed=1)
    trained.reset()
    network = sabacc_agents.load_network("zoo:casino-2p")
    network_file = Path(tempfile.gettempdir(), "sabacc-bad-calls.safetensors")
    common = {"hands": 1, "bet_sizes": ("min", 0.5)}
    start_ranges = {"stacks": (10, 20), "equal_stacks": 0.5, "sabacc_pots": (0, 5), "weights": None}
    ranges = {"sabacc_pots": "pots"}
    per_table = {"keys": None, "dealers": None, "credits": None, "sabacc_pots": None}
    kinds = {"rules": "many_rules", "num_players": "many_num_players", "credits": "many_credits"}
    form = {"observation": "flat", "max_tokens": None}
    game = Game(CASINO, 2, seed=1)
    view = game.view(0, events=True)
    start = {"dealer": 0, "deck": None, "dice": None, "credits": [50, 50], "sabacc_pot": 0}

    def reset(environment: Any) -> Callable[..., Any]:
        def reset(**options: Any) -> None:
            environment.reset(options=options)

        return reset

    return {
        "load_rules": call(load_rules, rules="casino"),
        "load_rules(...)": call(
            lambda **fields: load_rules("casino", **fields),
            dict.fromkeys(RuleSet.model_fields, "any_spec"),
            **CASINO.model_dump(include=set(RuleSet.model_fields) - {"name", "title", "source"}),
        ),
        "RuleSet.from_canonical": call(RuleSet.from_canonical, {"text": "data"}, text="{}"),
        "rank_hand(cards)": call(sabacc_env.rank_hand, cards=[5, -5], ranking="casino"),
        "rank_hand(ids)": call(sabacc_env.rank_hand, ids=[5, 9], ranking="casino"),
        "Card": call(Card, card_id=5),
        "Card.of": call(Card.of, value=5, suit=1),
        "Card.parse": call(Card.parse, text="+3c"),
        "Game": call(Game, rules="casino", num_players=2, seed=1, **start),
        "Game(key)": call(Game, rules="casino", num_players=2, key=5),
        "Game.play": call(lambda move: game.clone().play(move), move="stand"),
        "Game.play(Move)": call(
            lambda **fields: game.clone().play(Move(**fields)),
            dict.fromkeys(("kind", "card", "amount", "low", "high", "step"), "any_spec"),
            kind="stand",
            card=None,
            amount=None,
            low=1,
            high=2,
            step=1,
        ),
        "Game.view": call(game.view, seat=0, events=True),
        "Game.tokens": call(game.tokens, seat=0, max_tokens=None),
        "Game.planes": call(game.planes, seat=0),
        "GameView.legal_actions": call(view.legal_actions, bet_sizes=("min",)),
        "observation_text": call(
            observation_text,
            {"view": "data", "bet_sizes": "optional_bet_sizes"},
            view=view,
            legal_moves=True,
            bet_sizes=("min",),
        ),
        "parse_action": call(
            parse_action, {"view": "data"}, text="stand", view=view, bet_sizes=("min",)
        ),
        "parse_move": call(
            parse_move, {"view": "data"}, text="stand", view=view, bet_sizes=("min",)
        ),
        "Game.from_bytes": call(Game.from_bytes, data=game.to_bytes()),
        "Game.from_json": call(Game.from_json, text=game.to_json()),
        "replay": call(replay, history=game.to_dict()),
        "render_svg": call(render_svg, {"seat": "optional_seat"}, game=game, seat=0),
        "render_text": call(render_text, {"seat": "optional_seat"}, game=game, seat=0),
        "blocks": call(blocks, observations=tables.observations),
        "decode": call(decode, observations=tables.observations),
        "decode_tokens": call(decode_tokens, tokens=game.tokens(0)),
        "token_mask": call(token_mask, {"tokens": "sequences"}, tokens=game.tokens(0)),
        "is_truncated": call(is_truncated, {"tokens": "sequences"}, tokens=game.tokens(0)),
        "state_blocks": call(
            state_blocks,
            {"states": "data", "num_players": "two"},
            states=game.state(),
            num_players=2,
        ),
        "action_names": call(action_names, bet_sizes=("min",)),
        "num_actions": call(num_actions, bet_sizes=("min",)),
        "policy": call(policy, function=lambda row, mask, state: 0),
        "Tables": call(
            Tables,
            kinds,
            rules="casino",
            num_tables=4,
            num_players=2,
            seed=1,
            threads=1,
            device="cpu",
            packed=False,
            **form,
            **common,
            **per_table,
        ),
        "Tables.from_bytes": call(
            Tables.from_bytes, kinds, data=tables.to_bytes(), threads=1, device="cpu", **per_table
        ),
        "Tables.step": call(
            tables.step,
            {"tables": "some_tables"},
            actions=np.zeros(4, np.int64),
            tables=np.arange(4),
        ),
        "Tables.play": call(tables.play, policies=random_legal, decisions=2),
        "Tables.restart": call(tables.restart, tables=[0]),
        "Tables.set_episode_starts": call(
            tables.set_episode_starts, kinds, tables=[0], credits=[50, 50], sabacc_pots=[5]
        ),
        "Tables.clone_from": call(
            tables.clone_from, {"sources": "tables"}, other=played, sources=[0], tables=[1]
        ),
        "Tables.game": call(tables.game, table=0),
        "Tables.final_game": call(played.final_game, table=0),
        "Tables.final_observations": call(played.final_observations, tables=[0], seats=[0]),
        "Tables.opponents_hands": call(played.opponents_hands, tables=[0]),
        "Tables.upcoming_chance": call(played.upcoming_chance, tables=[0]),
        "Tables.final_outcomes": call(played.final_outcomes, tables=[0]),
        "raw_env": call(
            sabacc_v0.raw_env,
            rules="casino",
            num_players=2,
            render_mode=None,
            render_seat=None,
            undo_steps=1,
            mask_in_observation=True,
            **form,
            **common,
        ),
        "parallel_env": call(
            sabacc_v0.parallel_env,
            rules="casino",
            num_players=2,
            render_mode=None,
            render_seat=None,
            undo_steps=1,
            mask_in_observation=True,
            **form,
            **common,
        ),
        "raw_env.reset": call(aec.reset, seed=1, options=None),
        "raw_env.reset(options)": call(reset(aec), **start),
        "raw_env.step": call(aec.step, action=0),
        "raw_env.restore_state": call(aec.restore_state, {"state": "data"}, state=aec.save_state()),
        "SavedState.from_bytes": call(SavedState.from_bytes, data=aec.save_state().to_bytes()),
        "SavedState.from_json": call(SavedState.from_json, text=aec.save_state().to_json()),
        "raw_env.observe": call(aec.observe, agent="player_0"),
        "Sabacc-v0": call(
            lambda **given: gymnasium.make("Sabacc-v0", **given).unwrapped,
            ranges,
            rules="casino",
            num_players=2,
            opponents="random",
            undo_steps=1,
            **form,
            **common,
            **start_ranges,
        ),
        "Sabacc-v0.reset": call(single.reset, seed=1, options=None),
        "Sabacc-v0.reset(options)": call(reset(single), seat=0, **start),
        "Sabacc-v0.step": call(
            lambda action: (single.reset(), single.step(action)), {"action": "any_action"}, action=0
        ),
        "Sabacc-v0.restore_state": call(
            single.restore_state, {"state": "data"}, state=single.save_state()
        ),
        "make_vec": call(
            SabaccVectorEnv,
            ranges,
            num_envs=4,
            rules="casino",
            num_players=2,
            opponents="random",
            threads=1,
            autoreset_mode="NextStep",
            undo_steps=1,
            **form,
            **common,
            **start_ranges,
        ),
        "make_vec.reset": call(many.reset, seed=1, options=None),
        "make_vec.reset(options)": call(
            reset(many),
            {"reset_mask": "any_spec"} | dict.fromkeys((*start, "seat"), "data"),
            reset_mask=np.ones(4, np.bool_),
            seat=0,
            **start,
        ),
        "make_vec.step": call(many.step, actions=np.zeros(4, np.int64)),
        "SabaccVecEnv": call(
            SabaccVecEnv,
            ranges,
            rules="casino",
            num_envs=4,
            num_players=2,
            opponents="random",
            seed=1,
            reward_scale=1.0,
            threads=1,
            illegal="raise",
            undo_steps=1,
            **form,
            **common,
            **start_ranges,
        ),
        "SabaccVecEnv.step": call(trained.step, actions=np.zeros(4, np.int64)),
        "SabaccVecEnv.set_opponents": call(trained.set_opponents, opponents="random", weights=None),
        "SabaccVecEnv.restore_state": call(
            trained.restore_state, {"state": "data"}, state=trained.save_state()
        ),
        "make_vec.restore_state": call(
            many.restore_state, {"state": "data"}, state=many.save_state()
        ),
        "Tables.from_json": call(Tables.from_json, text=tables.to_json()),
        "Tables.restore_state": call(
            tables.restore_state, {"state": "data"}, state=tables.save_state()
        ),
        "save_network": call(
            lambda **given: sabacc_agents.save_network(network_file, **given),
            {"weights": "data", "info": "data"},
            weights=network.weights,
            info=network.info,
            extractor=network.extractor,
            precision="float16",
        ),
        "NetworkAgent": call(
            sabacc_agents.NetworkAgent,
            {"rules": "optional_rules", "num_players": "two_or_none"},
            rules="casino",
            num_players=2,
            bet_sizes=network.info.bet_sizes,
            network=network,
            greedy=False,
        ),
        "load": call(
            sabacc_agents.load, spec="random", rules="casino", num_players=2, bet_sizes=("min",)
        ),
        "trained_against": call(sabacc_agents.trained_against, {"spec": "any_spec"}, spec="random"),
        "load_network": call(sabacc_agents.load_network, path="zoo:casino-2p"),
        "read_info": call(sabacc_agents.read_info, path="zoo:casino-2p"),
        "NetworkInfo": call(
            NetworkInfo,
            {"rules": "info_rules", "num_players": "info_players"},
            rules=(CASINO,),
            num_players=(2,),
            bet_sizes=("min",),
            activation="relu",
            training={},
        ),
    }


def outcome(tested: Call, changed: Mapping[str, Any]) -> str:
    """Make a call with some arguments changed; return "refused", "taken" or an error report."""
    try:
        tested.function(**{**tested.arguments, **changed})
    except SabaccError as error:
        text = str(error)
        return "refused" if text and "\n" not in text else f"a refusal of several lines: {text!r}"
    except BaseException as error:  # noqa: BLE001  any other exception is not documented
        return f"{type(error).__name__}: {error}"[:300]
    if plain(changed.get("tables", None)) == []:
        return "taken"  # without tables any seat is valid
    for name, value in changed.items():
        if not ACCEPTED[tested.kinds.get(name, name)](plain(value)):
            return f"taken, which makes no sense of {name}"
    return "taken"


def wrong_outcomes(seed: int, count: int) -> tuple[list[str], Counter[str]]:
    """Make ``count`` calls; return the reports of wrong ones, and how many were refused and taken.

    Each call changes one to three arguments at random. If ``count`` is 0, every argument of every
    name gets every odd value once.
    """
    rng = random.Random(seed)
    wrong, counted = [], Counter[str]()
    for name, changed, tested in _each_value_once() if count == 0 else _random_values(rng, count):
        found = outcome(tested, changed)
        if found in ("refused", "taken"):
            counted[found] += 1
        else:
            wrong.append(f"{name} with {_shown(changed)}: {found}")
    return wrong, counted


def _each_value_once() -> Any:
    for name, tested in calls().items():
        for argument in tested.arguments:
            for value in odd_values():
                if not _takes_years(argument, value):
                    yield name, {argument: value}, tested


def _random_values(rng: random.Random, count: int) -> Any:
    tested = calls()
    for number_of in range(count):
        if number_of % 1000 == 0:
            tested = calls()
        name = rng.choice(list(tested))
        arguments = list(tested[name].arguments)
        some = rng.sample(arguments, min(len(arguments), rng.choice((1, 2, 2, 3))))
        changed = {argument: rng.choice(odd_values()) for argument in some}
        if not any(_takes_years(*item) for item in changed.items()):
            yield name, changed, tested[name]


def _takes_years(argument: str, value: Any) -> bool:
    """Return whether a valid argument would take years of play."""
    return argument == "decisions" and type(plain(value)) is int and plain(value) > 1000


def _shown(changed: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={repr(value)[:60]}" for name, value in changed.items())
