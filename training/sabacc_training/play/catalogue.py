"""What the page offers for a new table, and what it may ask for."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sabacc_agents import zoo
from sabacc_agents.networks.network import zoo_members

from sabacc_env.agent import registered_agents
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_training.config.base import overridden, validated
from sabacc_training.play.config import PERSON, PlayConfig, strongest_agent


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
    """Return the table that a page asks for, by some keys of a ``PlayConfig``.

    A page can name registered agents and members of the zoo. Others run code of one's own, and only
    the command line names those.

    Raises:
        SabaccError: for anything that is no such table.
    """
    try:
        asked = json.loads(body)
        rules, seats, hands = str(asked["rules"]), list(asked["seats"]), int(asked["hands"])
        house_rules = [
            line for line in str(asked.get("house_rules", "")).split("\n") if line.strip()
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SabaccError("give rules, seats and hands as JSON") from None
    allowed = {PERSON, *registered_agents(), *(zoo.PREFIX + name for name in zoo.members())}
    strange = [seat for seat in seats if seat not in allowed]
    if strange:
        raise SabaccError(f"seats: {strange[0]!r} is not an agent that a page can name")
    if rules not in rule_sets():
        raise SabaccError(f"rules: {rules!r} is not one of the rule sets")
    overrides = [f"rule_overrides.{change}" for change in house_rules]
    data = {"rules": rules, "seats": seats, "hands": hands, "guided": bool(asked.get("guided"))}
    return validated(PlayConfig, overridden(data, overrides))
