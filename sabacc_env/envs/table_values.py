"""What a saved state of a PettingZoo environment holds, checked: anybody may have written it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.drivers.results import OUTCOME_DTYPE
from sabacc_env.envs.hand_results import named_result
from sabacc_env.envs.saved_states import Types, check_types
from sabacc_env.errors import SabaccError
from sabacc_env.game.game import Game
from sabacc_env.rules import RuleSet

IN_PLAY: Final = "in play"
TERMINATED: Final = "terminated"
ILLEGAL: Final = "by an illegal action"
"""How an episode ended, if it did."""

TYPES: Final[Types] = {
    "game": Game,
    "seed": int,
    "episode": int,
    "hand": int,
    "agents": list,
    "agent_selection": str,
    "selected_before_the_end": (str, type(None)),
    "rewards": list,
    "cumulative_rewards": list,
    "ended": str,
    "acted_illegally": (str, type(None)),
    "hand_finished": bool,
    "outcome": dict,
}
"""The values by name."""


def outcome_numbers(outcome: NDArray[Any]) -> dict[str, Any]:
    """Return an outcome, (1,) of ``OUTCOME_DTYPE``, as numbers and lists by name."""
    assert OUTCOME_DTYPE.names is not None
    return {name: outcome[name][0].tolist() for name in OUTCOME_DTYPE.names}


def write_outcome(numbers: dict[str, Any], outcome: NDArray[Any]) -> None:
    """Write what ``outcome_numbers`` returned."""
    assert OUTCOME_DTYPE.names is not None
    outcome[0] = tuple(numbers[name] for name in OUTCOME_DTYPE.names)


def check_table_values(
    values: dict[str, Any], rules: RuleSet, agents: list[str], hands: int
) -> None:
    """Refuse values that no table with these rules, agents and hands in an episode can have.

    Raises:
        SabaccError: says what is wrong.
    """
    check_types(values, TYPES)
    for problem, applies in (
        ("its game is another one", _is_other_game(values, rules, agents, hands)),
        ("its numbers are out of range", _is_out_of_range(values, hands)),
        ("its agents are others", _has_other_agents(values, agents)),
        ("its rewards are not a number for each agent", _has_other_rewards(values)),
        ("it does not say alike whether the episode is over", _contradicts_itself(values, agents)),
        ("its outcome is none that a hand can have", _has_no_outcome(values, rules, agents)),
    ):
        if applies:
            raise SabaccError(f"state: {problem}")


def _is_other_game(values: dict[str, Any], rules: RuleSet, agents: list[str], hands: int) -> bool:
    game: Game = values["game"]
    is_over = game.seat_to_act is None
    return (
        game.rules.canonical() != rules.canonical()
        or game.num_players != len(agents)
        or game.episode_position != (values["hand"] - is_over, hands)
        or (is_over and values["hand"] < hands and game.can_deal_next_hand())
    )


def _is_out_of_range(values: dict[str, Any], hands: int) -> bool:
    return not (
        0 <= values["seed"] < 2**64
        and 0 <= values["episode"] < 2**62
        and 0 <= values["hand"] <= hands
    )


def _has_other_agents(values: dict[str, Any], agents: list[str]) -> bool:
    left = values["agents"]
    return (
        left != agents[len(agents) - len(left) :]
        or values["agent_selection"] not in agents
        or values["selected_before_the_end"] not in (None, *agents)
        or values["acted_illegally"] not in (None, *left)
    )


def _has_other_rewards(values: dict[str, Any]) -> bool:
    return any(
        len(values[name]) != len(values["agents"])
        or not all(type(reward) in (int, float) for reward in values[name])
        for name in ("rewards", "cumulative_rewards")
    )


def _contradicts_itself(values: dict[str, Any], agents: list[str]) -> bool:
    seat, ended = values["game"].seat_to_act, values["ended"]
    if ended == IN_PLAY:
        return (
            seat is None
            or values["agents"] != agents
            or values["agent_selection"] != agents[seat]
            or values["acted_illegally"] is not None
        )
    # Whoever is left is asked one after the other; nobody is once all have gone.
    selected = not values["agents"] or values["agent_selection"] == values["agents"][0]
    if ended == ILLEGAL:
        return seat is None or not selected
    return ended != TERMINATED or not selected or values["acted_illegally"] is not None


def _has_no_outcome(values: dict[str, Any], rules: RuleSet, agents: list[str]) -> bool:
    outcome = np.zeros(1, OUTCOME_DTYPE)
    try:
        write_outcome(values["outcome"], outcome)
    except (TypeError, ValueError, OverflowError, LookupError):
        return True
    return not are_outcomes(outcome, [rules.ranking], agents)


def are_outcomes(outcomes: NDArray[Any], rankings: Sequence[str], agents: list[str]) -> bool:
    """Say whether hands of these agents can have these outcomes, (n,) of ``OUTCOME_DTYPE``.

    ``rankings`` has the ranking of the rules of each.
    """
    revealed, winners = outcomes["revealed"], outcomes["winners"]
    if revealed.min(initial=0) < 0 or revealed.max(initial=0) >> len(agents):
        return False
    if winners.min(initial=0) < -1 or winners.max(initial=0) >= len(agents):
        return False
    try:
        for outcome, ranking in zip(outcomes, rankings, strict=True):
            named_result(outcome, ranking, agents)
    except (ValueError, LookupError):
        return False
    return True
