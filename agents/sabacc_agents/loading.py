"""Agents by what a user writes: a registered name, a member of the zoo, a file, a class."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from sabacc_agents import equilibrium
from sabacc_agents.equilibrium import EquilibriumAgent
from sabacc_agents.networks.network import NetworkAgent, read_info
from sabacc_agents.saved_files import SUFFIX, forms, is_saved
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.agent import Agent, agent_class, registered_agents
from sabacc_env.agent_calls import build
from sabacc_env.arguments import check_num_players
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet, load_rules


def load(
    spec: str | Path,
    rules: str | Path | RuleSet | None = None,
    num_players: int | None = None,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
) -> Agent:
    """Make an agent from what a user writes.

    Args:
        spec: a registered name (``registered_agents()``); ``zoo:NAME`` for a member of the zoo
            (``zoo.members()``); the path of a saved network or solved policy (it ends in
            ``.safetensors``); or ``module:Class`` for a class that fulfils the protocol ``Agent``;
            its module is looked for in the current folder first.
        rules: a rule set by name, path, or as a ``RuleSet``; for a saved agent by default its own,
            the first where it has several.
        num_players: seats at the tables that it will play at; for a saved agent by default its
            own, the fewest where it has several.
        bet_sizes: what the bet actions mean there.

    Raises:
        SabaccError: for a spec that names no agent, a class that cannot be one, a network made for
            something else, or no rules or players for an agent that has none of its own.

    >>> type(load("calling_station", "casino", 2)).__name__
    'CallingStation'
    """
    if isinstance(spec, str | Path) and is_saved(spec):
        if equilibrium.FORMAT in forms(spec):
            return EquilibriumAgent(rules, num_players, bet_sizes, policy=spec)
        return NetworkAgent(rules, num_players, bet_sizes, network=spec)
    if rules is None or num_players is None:
        raise SabaccError(
            f"agent: {short_repr(spec)} does not say which game it plays; give rules and "
            "num_players"
        )
    rules = load_rules(rules)
    num_players = check_num_players(rules, num_players)
    encode_bet_sizes(bet_sizes)  # refuses what is no bet size
    if isinstance(spec, str) and ":" in spec:
        return build(spec, _imported(spec), rules, num_players, bet_sizes)
    if isinstance(spec, str) and spec in registered_agents():
        return build(spec, agent_class(spec), rules, num_players, bet_sizes)
    raise SabaccError(
        f"unknown agent {short_repr(spec)}; use one of {', '.join(registered_agents())}, zoo:NAME "
        f"(`sabacc zoo` lists them), the path of a saved agent ({SUFFIX}), or module:Class"
    )


def trained_against(spec: str | Path) -> tuple[str, ...]:
    """Return the names of the agents that this one met in training: none unless it is a network.

    Only the head of a network's file is read.

    >>> trained_against("maximiser")
    ()
    """
    if not is_saved(spec) or equilibrium.FORMAT in forms(spec):
        return ()
    return read_info(spec).opponents


def _imported(spec: str) -> object:
    """Return what ``module:Class`` names."""
    module, _, name = spec.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:  # as `python -m` has it, and an installed command has not
        sys.path.insert(0, folder)
    try:
        return getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise SabaccError(f"agent: {short_repr(spec)} cannot be imported ({said})") from error
