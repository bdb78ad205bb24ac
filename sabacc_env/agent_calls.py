"""Asking agents: every call into an agent's own code, what comes back checked.

Anyone may write an agent, so whatever is wrong with one is a sentence that names it: by what the
user wrote when it is built, after that by ``name_of``.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import BetSize
from sabacc_env.agent import Agent, agent_class
from sabacc_env.arguments import is_legal
from sabacc_env.engine.drivers.policy_code import Policy, is_policy
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.game.view import GameView
from sabacc_env.rules import RuleSet
from sabacc_env.rules.wording import toml_repr
from sabacc_env.tables.tables import Tables
from sabacc_env.tables.turn_views import TurnViews

SUM_TOLERANCE: Final = 1e-4
"""How far from 1 the sum of a distribution may be, for some are computed in float32."""


def build(
    name: str, found: object, rules: RuleSet, num_players: int, bet_sizes: Sequence[BetSize]
) -> Agent:
    """Return an agent of a class that was found under a name.

    Raises:
        SabaccError: if it is not a class, lacks a method of ``Agent`` or cannot be built.
    """
    agent_type = agent_type_of(name, found)
    with _agent_errors(name, f"{agent_type.__name__}(rules, num_players, bet_sizes=...)"):
        agent: Agent = agent_type(rules, num_players, bet_sizes=bet_sizes)
    return agent


def given(
    argument: str,
    agent: Any,
    rules: RuleSet,
    num_players: int,
    bet_sizes: Sequence[BetSize],
) -> Agent:
    """Return an agent that was given for an argument: an object, or a registered name.

    Raises:
        SabaccError: for anything else, and for an agent of another game.
    """
    if isinstance(agent, str):
        return build(agent, agent_class(agent), rules, num_players, bet_sizes)
    if isinstance(agent, type) or not isinstance(agent, Agent):
        raise SabaccError(
            f"{argument}: {short_repr(agent)} is not an agent; give agents built for this game, or "
            "registered names"
        )
    check_game(agent, rules, num_players, bet_sizes)
    return agent


def agent_type_of(name: str, found: object) -> type:
    """Return what was found under a name, if it is a class with the methods of ``Agent``.

    Raises:
        SabaccError: if it is not.
    """
    if not isinstance(found, type):
        raise SabaccError(f"agent: {name!r} is not a class; it names {toml_repr(found)}")
    for method in ("reset", "act"):
        if not callable(getattr(found, method, None)):
            raise SabaccError(f"agent: {name!r} has no method {method}, which every agent needs")
    return found


def reset(agents: Iterable[Agent], num_tables: int) -> None:
    """Tell agents to start that many tables."""
    for agent in agents:
        with _agent_errors(name_of(agent), "reset"):
            agent.reset(num_tables)


def check_game(
    agent: Agent, rules: RuleSet, num_players: int, bet_sizes: Sequence[BetSize]
) -> None:
    """Let an agent that cares refuse a game that it was not made for."""
    if method := getattr(agent, "check_game", None):
        with _agent_errors(name_of(agent), "check_game"):
            method(rules, num_players, bet_sizes)


def begin(agents: Sequence[Agent], tables: Tables) -> None:
    """Tell agents to start at these tables, where nothing has been played yet."""
    if any(map(wants_views, agents)):
        tables.keep_histories()
    reset(agents, tables.num_tables)


def restart(agents: Iterable[Agent], tables: NDArray[np.int64]) -> None:
    """Tell the agents that care that a new hand begins at these tables."""
    for agent in agents:
        if method := getattr(agent, "restart", None):
            with _agent_errors(name_of(agent), "restart"):
                method(tables)


def memories(agents: Iterable[Agent]) -> list[Any]:
    """Return what each agent remembers of the hands in play; None for one without ``memory``."""
    found = []
    for agent in agents:
        method = getattr(agent, "memory", None)
        with _agent_errors(name_of(agent), "memory"):
            found.append(None if method is None else method())
    return found


def restore_memories(agents: Iterable[Agent], memories: Iterable[Any]) -> None:
    """Let agents continue from what ``memories`` returned."""
    for agent, memory in zip(agents, memories, strict=False):
        if memory is not None and (method := getattr(agent, "restore_memory", None)):
            with _agent_errors(name_of(agent), "restore_memory"):
                method(memory)


def wants_views(agent: Agent) -> bool:
    """Say whether an agent is to be given views in place of observations."""
    return getattr(agent, "wants", None) in ("views", "views with events")


def _wants_events(agent: Agent) -> bool:
    return getattr(agent, "wants", None) == "views with events"


def agent_input(
    game: Game, agent: Agent, observation: NDArray[np.float32]
) -> NDArray[np.float32] | Sequence[GameView]:
    """Return what an agent is shown of a game where it is to act: the one row for ``actions``."""
    seat = game.seat_to_act
    assert seat is not None
    if wants_views(agent):
        return [game.view(seat, events=_wants_events(agent))]
    return observation[None]


def actions_at(
    agent: Agent, tables: Tables, indices: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return what an agent plays at these tables, where it is to act; raises as ``actions``."""
    seen = _seen_at(agent, tables, indices)
    return actions(agent, seen, tables.action_masks[indices], rng, indices)


def probabilities_at(
    agent: Agent, tables: Tables, indices: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return an agent's distributions at these tables, where it is to act; as ``probabilities``."""
    if getattr(agent, "probabilities", None) is None:
        return None
    return probabilities(agent, _seen_at(agent, tables, indices), tables.action_masks[indices])


def _seen_at(
    agent: Agent, tables: Tables, indices: NDArray[np.int64]
) -> NDArray[np.float32] | Sequence[GameView]:
    """Return what an agent is shown of tables where it is to act."""
    if wants_views(agent):
        return TurnViews(tables, indices, _wants_events(agent))
    return tables.flat_observations[indices]


def actions(
    agent: Agent,
    observations: NDArray[np.float32] | Sequence[GameView],
    action_masks: NDArray[np.int8],
    rng: np.random.Generator,
    tables: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return an agent's action for each row; arguments as of ``Agent.act``.

    Raises:
        IllegalMove: for an action that the mask does not allow.
        SabaccError: for anything but one whole number a row, or an error of the agent's own, which
            is then the cause.
    """
    chosen = unchecked_actions(agent, observations, action_masks, rng, tables)
    legal = is_legal(action_masks, chosen)
    if not legal.all():
        row = int(legal.argmin())
        raise illegal_move(agent, int(chosen[row]), int(tables[row]), action_masks[row])
    return chosen.astype(np.int64, copy=False)


def unchecked_actions(
    agent: Agent,
    observations: NDArray[np.float32] | Sequence[GameView],
    action_masks: NDArray[np.int8],
    rng: np.random.Generator,
    tables: NDArray[np.int64],
) -> NDArray[Any]:
    """Return one whole number a row, legal or not; raises all else that ``actions`` does."""
    with _agent_errors(name_of(agent), "act"):
        chosen = np.asarray(given := agent.act(observations, action_masks, rng, tables))
    count = len(action_masks)
    if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
        got = f"{chosen.dtype} of shape {chosen.shape}" if chosen.ndim else toml_repr(given)
        raise SabaccError(
            f"agent: {name_of(agent)!r} must return whole numbers of shape ({count},) from act, "
            f"not {got}"
        )
    return chosen


def illegal_move(
    agent: Agent, action: int, table: int, action_mask: NDArray[np.int8]
) -> IllegalMove:
    """Return the error for an agent's action that its mask, (num_actions,), does not allow."""
    choices = ", ".join(map(str, np.flatnonzero(action_mask)))
    return IllegalMove(
        f"agent: {name_of(agent)!r} chose action {action} at table {table}, "
        f"where it is not legal; legal: {choices}"
    )


def compiled_policy(agent: Agent) -> Policy | None:
    """Return the policy that an agent says plays as it does; None for one without.

    A class that has its own ``act`` does not inherit the policy of another ``act``.

    Raises:
        SabaccError: for anything that is not a policy, or an error of the agent's own.
    """
    with _agent_errors(name_of(agent), "compiled_policy"):
        found = getattr(agent, "compiled_policy", None) if _tells_of_policy(agent) else None
    if found is not None and not is_policy(found):
        raise SabaccError(
            f"agent: {name_of(agent)!r} must have a policy as compiled_policy, made with "
            f"sabacc_env.policies.policy, not {toml_repr(found)}"
        )
    return found


def _tells_of_policy(agent: Agent) -> bool:
    """Say whether an agent has a ``compiled_policy``, and no subclass has changed ``act``."""
    names = [vars(agent), *map(vars, type(agent).__mro__)]
    first = next((each for each in names if "compiled_policy" in each or "act" in each), {})
    return "compiled_policy" in first


def probabilities(
    agent: Agent,
    observations: NDArray[np.float32] | Sequence[GameView],
    action_masks: NDArray[np.int8],
) -> NDArray[np.float64] | None:
    """Return the distributions that an agent says it draws from; None for one that does not tell.

    Raises:
        SabaccError: if it is not a distribution over legal actions, or for an error of the agent.
    """
    given = unchecked_probabilities(agent, observations, action_masks)
    if given is not None and not is_distribution(given, action_masks).all():
        raise no_distribution(agent, action_masks)
    return given


def unchecked_probabilities(
    agent: Agent,
    observations: NDArray[np.float32] | Sequence[GameView],
    action_masks: NDArray[np.int8],
) -> NDArray[np.float64] | None:
    """Return numbers of the shape of the masks; raises all else that ``probabilities`` does."""
    method = getattr(agent, "probabilities", None)
    if method is None:
        return None
    with _agent_errors(name_of(agent), "probabilities"):
        given = np.asarray(method(observations, action_masks), dtype=np.float64)
    if given.shape != action_masks.shape:
        raise no_distribution(agent, action_masks)
    return given


def follow(
    agent: Agent,
    observations: NDArray[np.float32],
    action_masks: NDArray[np.int8],
    memories: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return an agent's distributions in hands that it remembers, and its memories afterwards.

    Arguments are as of the agent's ``follow``.

    Raises:
        SabaccError: as ``probabilities``.
    """
    with _agent_errors(name_of(agent), "follow"):
        told, after = agent.follow(observations, action_masks, memories)  # type: ignore[attr-defined]
        given = np.asarray(told, dtype=np.float64)
    if given.shape != action_masks.shape or not is_distribution(given, action_masks).all():
        raise no_distribution(agent, action_masks)
    return given, np.asarray(after, dtype=np.int64)


def hand_probabilities(
    agent: Agent,
    view: GameView,
    observations: NDArray[np.float32],
    action_mask: NDArray[np.int8],
) -> NDArray[np.float64]:
    """Return an agent's distributions with each of many hands at a view, (n, num_actions).

    Arguments are as of the agent's ``hand_probabilities``.

    Raises:
        SabaccError: as ``probabilities``.
    """
    with _agent_errors(name_of(agent), "hand_probabilities"):
        told = agent.hand_probabilities(view, observations, action_mask)  # type: ignore[attr-defined]
        given = np.asarray(told, dtype=np.float64)
    action_masks = np.broadcast_to(action_mask, (len(observations), len(action_mask)))
    if given.shape != action_masks.shape or not is_distribution(given, action_masks).all():
        raise no_distribution(agent, action_masks)
    return given


def is_distribution(
    given: NDArray[np.float64], action_masks: NDArray[np.int8]
) -> NDArray[np.bool_]:
    """Say for each row whether it is a distribution over the legal actions of its mask."""
    nowhere_wrong = ((given >= 0) & ((given == 0) | (action_masks != 0))).all(axis=1)
    adds_up = np.isclose(given.sum(axis=1), 1, rtol=0, atol=SUM_TOLERANCE)
    return np.asarray(nowhere_wrong & adds_up)


def no_distribution(agent: Agent, action_masks: NDArray[np.int8]) -> SabaccError:
    """Return the error for what is no distribution over the legal actions."""
    return SabaccError(
        f"agent: {name_of(agent)!r} must return an array of shape {action_masks.shape} from "
        "probabilities: no value is negative, illegal actions have 0, and each row adds up to 1"
    )


def name_of(agent: Agent) -> str:
    """Return what messages call an agent: its ``spec``, else the module and name of its class."""
    spec = getattr(agent, "spec", None)
    return spec if isinstance(spec, str) else f"{type(agent).__module__}:{type(agent).__qualname__}"


@contextmanager
def _agent_errors(name: str, call: str) -> Iterator[None]:
    """Make one sentence of an error in the agent's own code, and keep the error as its cause."""
    try:
        yield
    except SabaccError as error:
        raise SabaccError(f"agent: {name!r}: {error}") from error
    except (Exception, SystemExit) as error:
        raise SabaccError(f"agent: {name!r} failed in {call}: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    """Return an error on one line, with the last line of the agent's own file that led to it."""
    text = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    frames = [at for at in traceback.extract_tb(error.__traceback__) if at.filename != __file__]
    if not frames:  # it could not even be called
        return text
    last = [at for at in frames if at.filename == frames[0].filename][-1]
    return f"{text} ({Path(last.filename).name}, line {last.lineno})"
