"""What the page offers for a new table, and what it may ask for."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError
from sabacc_agents import zoo
from sabacc_agents.loading import zoo_members

from sabacc_env.agent import registered_agents
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.storage.strict_model import StrictModel
from sabacc_training.config.base import overridden, validated
from sabacc_training.play.config import PERSON, PlayConfig, strongest_agent

MAX_BYTES: Final = 10_000
"""The most bytes that a page may send to ask for a table."""


class NewTable(StrictModel):
    """What a page may say of a new table."""

    rules: str
    seats: Annotated[tuple[str, ...], Field(max_length=MAX_SEATS)]
    hands: int
    house_rules: str = ""
    guided: bool = False


@cache
def catalogue() -> list[dict[str, Any]]:
    """Return each rule set with the agents for each number of seats, the strongest first."""
    return [_rule_set(name) for name in rule_sets()]


def _rule_set(name: str) -> dict[str, Any]:
    rules = load_rules(name)
    least, most = rules.seats
    counts = range(least, most + 1)
    return {
        "name": name,
        "title": rules.title,
        "agents": {players: _agents(rules, players) for players in counts},
    }


def _agents(rules: RuleSet, num_players: int) -> list[str]:
    strongest = strongest_agent(rules, num_players)
    return list(dict.fromkeys([strongest, *zoo_members(rules, num_players), *registered_agents()]))


def table_config(body: bytes) -> PlayConfig:
    """Return the table that a page asks for: a ``NewTable`` as JSON.

    A page can name registered agents and members of the zoo. Others run code of one's own, and only
    the command line names those.

    Raises:
        SabaccError: for anything that is no such table.
    """
    try:
        asked = NewTable.model_validate_json(body)
    except ValidationError:
        raise SabaccError(f"give rules, 2 to {MAX_SEATS} seats and hands as JSON") from None
    allowed = {PERSON, *registered_agents(), *(zoo.PREFIX + name for name in zoo.members())}
    strange = [seat for seat in asked.seats if seat not in allowed]
    if strange:
        raise SabaccError(f"seats: {strange[0]!r} is not an agent that a page can name")
    if asked.rules not in rule_sets():
        raise SabaccError(f"rules: {asked.rules!r} is not one of the rule sets")
    changes = [line for line in asked.house_rules.splitlines() if line.strip()]
    data = asked.model_dump(exclude={"house_rules"})
    return validated(
        PlayConfig, overridden(data, [f"rule_overrides.{change}" for change in changes])
    )
