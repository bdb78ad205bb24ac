"""Makes agents from specs.

A registered name, a member of the zoo, a file, a class, a process or a language model.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sabacc_agents import equilibrium, zoo
from sabacc_agents.blueprint import blueprint
from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.blueprint import load_blueprint
from sabacc_agents.equilibrium import EquilibriumAgent
from sabacc_agents.external.agent import ProcessAgent
from sabacc_agents.external.spec import is_process
from sabacc_agents.language_models.agent import ModelAgent
from sabacc_agents.language_models.spec import is_model
from sabacc_agents.networks.agent import network_agent
from sabacc_agents.networks.network import read_info
from sabacc_agents.resolving import saved as resolving
from sabacc_agents.resolving.agent import ResolvingAgent
from sabacc_agents.saved_files import MODEL_PREFIX, PROCESS_PREFIX, SUFFIX, formats_in, is_saved
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.agent import Agent, agent_class, registered_agents
from sabacc_env.agent_calls import agent_type_of, build
from sabacc_env.arguments import check_num_players
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.rules.wording import did_you_mean


def load(
    spec: str | Path,
    rules: str | Path | RuleSet | None = None,
    num_players: int | None = None,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
) -> Agent:
    """Make an agent from a spec.

    Args:
        spec: a registered name (``registered_agents()``), ``zoo:NAME`` for a member of the zoo
            (``zoo.members()``), the path of a saved network, solved policy, blueprint or resolving
            agent, which ends in ``.safetensors``, ``module:Class`` for a class with the protocol
            ``Agent`` (the current folder is searched first for its module), ``process:COMMAND`` for
            a process of its own, in any language, or ``model:NAME`` for a language model behind an
            endpoint.
        rules: the rules that it will play, by name, by path, or as a ``RuleSet``. A saved agent
            needs none: the default is the first of its own.
        num_players: the number of seats. A saved agent needs none either.
        bet_sizes: what the bet actions mean.

    Raises:
        SabaccError: for an unknown spec, a class that does not have the protocol, a saved agent
            that was made for another game, a process that does not start, a model that is
            nowhere, or missing rules or players.

    >>> type(load("calling_station", "casino", 2)).__name__
    'CallingStation'
    """
    if isinstance(spec, str | Path) and is_saved(spec):
        formats = formats_in(spec)
        if equilibrium.FORMAT in formats:
            return EquilibriumAgent(rules, num_players, bet_sizes, policy=spec)
        if blueprint.FORMAT in formats:
            return BlueprintAgent(rules, num_players, bet_sizes, blueprint=spec)
        if resolving.FORMAT in formats:
            return ResolvingAgent.load(spec, rules, num_players, bet_sizes)
        return network_agent(rules, num_players, bet_sizes, network=spec)
    agent_type = None if is_process(spec) or is_model(spec) else _agent_type(spec)
    if rules is None or num_players is None:
        raise SabaccError(
            f"agent: {short_repr(spec)} does not say which game it plays; give rules and "
            "num_players"
        )
    rules = load_rules(rules)
    num_players = check_num_players(rules, num_players)
    encode_bet_sizes(bet_sizes)  # refuses invalid bet sizes
    if is_model(spec):
        return ModelAgent(rules, num_players, bet_sizes, spec=str(spec))
    if agent_type is None:
        return ProcessAgent(rules, num_players, bet_sizes, spec=str(spec))
    return build(str(spec), agent_type, rules, num_players, bet_sizes)


def trained_against(spec: str | Path) -> tuple[str, ...]:
    """Return the names of the agents that an agent met in training. Only networks met any.

    >>> trained_against("maximiser")
    ()
    """
    solved = {equilibrium.FORMAT, blueprint.FORMAT, resolving.FORMAT}
    if not is_saved(spec) or solved & set(formats_in(spec)):
        return ()
    return read_info(spec).opponents


class MadeFor(NamedTuple):
    """The games that a saved agent was made for."""

    rules: tuple[RuleSet, ...]
    num_players: tuple[int, ...]
    bet_sizes: Sequence[BetSize]


def made_for(spec: str | Path) -> MadeFor:
    """Return the games that a saved network, blueprint or resolving agent was made for.

    Raises:
        SabaccError: for a file that cannot be read, or holds none of these.
    """
    if resolving.FORMAT in formats_in(spec):
        return MadeFor(*resolving.made_for(spec))
    if blueprint.FORMAT in formats_in(spec):
        found = load_blueprint(spec)
        return MadeFor(found.all_rules, (blueprint.NUM_PLAYERS,), found.bet_sizes)
    info = read_info(spec)
    return MadeFor(info.rules, info.num_players, info.bet_sizes)


def zoo_members(rules: RuleSet, num_players: int) -> dict[str, MadeFor]:
    """Return the members of the zoo that play these rules at so many seats, by their specs."""
    return {
        spec: games
        for spec, games in _zoo_games().items()
        if rules in games.rules and num_players in games.num_players
    }


@cache
def _zoo_games() -> dict[str, MadeFor]:
    specs = [zoo.PREFIX + name for name in zoo.members()]
    return {spec: made_for(spec) for spec in specs}


def _agent_type(spec: object) -> type:
    """Return the class of a registered agent, or the one that ``module:Class`` names."""
    if isinstance(spec, str) and ":" in spec:
        return agent_type_of(spec, _import_class(spec))
    if isinstance(spec, str) and spec in registered_agents():
        return agent_type_of(spec, agent_class(spec))
    if isinstance(spec, str) and os.path.isfile(spec):  # noqa: PTH113 (Path's raises OSError)
        raise SabaccError(f"agent: {short_repr(spec)} is a file, but not a saved agent ({SUFFIX})")
    hint = did_you_mean(spec, registered_agents())
    raise SabaccError(
        f"unknown agent {short_repr(spec)}{hint}; use one of {', '.join(registered_agents())}, "
        f"zoo:NAME (`sabacc zoo` lists them), the path of a saved agent ({SUFFIX}), module:Class, "
        f"{PROCESS_PREFIX}COMMAND, or {MODEL_PREFIX}NAME"
    )


def _import_class(spec: str) -> object:
    """Return the object that ``module:Class`` names."""
    module, _, name = spec.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:  # `python -m` adds it, an installed command does not
        sys.path.insert(0, folder)
    try:
        return getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as error:  # importing a module may raise anything
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        raise SabaccError(f"agent: {short_repr(spec)} cannot be imported ({cause})") from error
