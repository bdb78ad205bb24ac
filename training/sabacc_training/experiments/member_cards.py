"""Cards of new members of the zoo: what an agent is, and how it is made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sabacc_agents import zoo
from sabacc_agents.blueprint.blueprint import NUM_PLAYERS, load_blueprint
from sabacc_agents.networks.network import load_network, save_network
from sabacc_agents.resolving import saved as resolving
from sabacc_agents.resolving.agent import ITERATIONS
from sabacc_agents.resolving.last_phase import DEFAULT_RANGES
from sabacc_agents.saved_files import formats_in
from sabacc_agents.zoo.model_card import ModelCard

from sabacc_env.errors import SabaccError
from sabacc_env.observation import observation_version
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.text import differences
from sabacc_env.storage.files import write_bytes
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.config.base import load_config, validated
from sabacc_training.runs.callback import AGENT, CHECKPOINT, CONFIG
from sabacc_training.runs.checkpoint import CHANGEABLE, load_checkpoint
from sabacc_training.tournaments.agent_files import file_digest
from sabacc_training.trainers import training_config

CONFIGS: Final = Path("configs", "zoo")
"""The folder of the members' configurations ``NAME.toml``, under the current directory."""


def new_card(name: str, run: Path, agent_file: Path) -> ModelCard:
    """Write the file of a member, and return its card without results.

    Args:
        name: the member's name.
        run: the folder of a finished run, or the file of a blueprint or of a resolving agent.
        agent_file: the file to write. The weights of a network are rounded to float16.

    Raises:
        SabaccError: for what is not finished, or was not made by ``configs/zoo/NAME.toml``, and
            for a file beside another agent with the member's name.
    """
    if not run.is_file():
        return _network_card(name, run, agent_file)
    is_resolving = resolving.FORMAT in formats_in(run)
    return (_resolving_card if is_resolving else _blueprint_card)(name, run, agent_file)


def _network_card(name: str, run: Path, network_file: Path) -> ModelCard:
    """Write the network of a run in float16, and return its card without results.

    Raises:
        SabaccError: for a run that is not finished, or is not of the member's configuration.
    """
    if not (run / CONFIG).is_file():
        raise SabaccError(f"{run}: is no folder of a run; of a blueprint give the file")
    config = training_config(run / CONFIG)
    values = config.model_dump(mode="json")
    expected = training_config(CONFIGS / f"{name}.toml").model_dump(mode="json")
    retrain = _retrain_command("sabacc train", name, values, expected)
    network, state = load_network(run / AGENT), load_checkpoint(run / CHECKPOINT, config)
    info = network.info
    if info.training.get("config") != values:
        raise SabaccError(f"{run / AGENT}: comes from another run than {CHECKPOINT} beside it")
    save_network(network_file, network.weights, info, network.extractor, "float16")
    return ModelCard(
        name=name,
        weights=file_digest(network_file),
        rules={rules_label(rules): rules.digest for rules in info.rules},
        num_players=info.num_players,
        observation_version=observation_version(),
        config=info.training["config"],
        seed=config.seed,
        decisions=info.training["steps"],
        hours=round(state["seconds"] / 3600, 3),
        retrain=retrain,
        opponents=info.opponents,
    )


def _blueprint_card(name: str, file: Path, agent_file: Path) -> ModelCard:
    """Copy a blueprint, and return its card without results.

    Raises:
        SabaccError: for a file that is no blueprint, or not of the member's configuration.
    """
    blueprint = load_blueprint(file)
    solved = dict(blueprint.metadata)
    try:
        seconds = float(solved["seconds"])
        keys = {key: solved[key] for key in BlueprintConfig.model_fields}
        settings = validated(BlueprintConfig, keys)
    except (KeyError, TypeError, ValueError, SabaccError) as error:
        raise SabaccError(f"{file}: does not say how it was solved ({error})") from None
    config = settings.model_dump(mode="json")
    expected = load_config(BlueprintConfig, str(CONFIGS / f"{name}.toml")).model_dump(mode="json")
    retrain = _retrain_command("sabacc blueprint", name, config, expected)
    _copy(file, agent_file)
    return ModelCard(
        name=name,
        weights=file_digest(agent_file),
        rules={rules_label(rules): rules.digest for rules in blueprint.all_rules},
        num_players=(NUM_PLAYERS,),
        observation_version=observation_version(),
        config=config,
        seed=settings.seed,
        decisions=settings.epochs * sum(settings.walks_of_stacks),
        hours=round(seconds / 3600, 3),
        retrain=retrain,
        opponents=(),
    )


def _resolving_card(name: str, file: Path, agent_file: Path) -> ModelCard:
    """Copy a resolving agent, and return its card without results.

    Its games and its costs are those of its blueprint.

    Raises:
        SabaccError: for a file that is no resolving agent, or one whose blueprint is no member.
    """
    settings, _ = resolving.load_resolving(file)
    base = zoo.read_card(member_name(settings.blueprint))
    _copy(file, agent_file)
    given = {"iterations": settings.iterations} | asdict(settings.ranges)
    defaults = {"iterations": ITERATIONS} | asdict(DEFAULT_RANGES)
    options = [
        f" --{key.replace('_', '-')} {value}"
        for key, value in given.items()
        if value != defaults[key]
    ]
    return base.model_copy(
        update={
            "name": name,
            "weights": file_digest(agent_file),
            "observation_version": observation_version(),
            "config": asdict(settings),
            "retrain": f"sabacc resolving {settings.blueprint}{''.join(options)}",
            "results": (),
            "bounds": (),
            "fold_rates": (),
        }
    )


def _copy(file: Path, agent_file: Path) -> None:
    """Copy the file of an agent, unless it is there.

    Raises:
        SabaccError: where another agent is there.
    """
    data = file.read_bytes()
    if agent_file.exists() and agent_file.read_bytes() != data:
        raise SabaccError(
            f"{agent_file}: is another agent; move it, or {file.name} into a folder of its own"
        )
    if not agent_file.exists():
        write_bytes(agent_file, data)


def _retrain_command(
    command: str, name: str, values: Mapping[str, Any], expected: Mapping[str, Any]
) -> str:
    """Return the command that makes a member again.

    Args:
        command: the command without its configuration.
        name: the member's name.
        values: its configuration.
        expected: that in ``configs/zoo``.

    Raises:
        SabaccError: where they differ in more than the seed.
    """
    path = CONFIGS / f"{name}.toml"
    differ = [key for key in values if key not in CHANGEABLE and values[key] != expected.get(key)]
    if differ not in ([], ["seed"]):
        raise SabaccError(
            f"{path}: has other values of {', '.join(differ)} than the run; this file must be able "
            "to train the member again"
        )
    return " ".join([command, path.as_posix(), *(f"seed={values['seed']}" for _ in differ)])


def rules_label(rules: RuleSet) -> str:
    """Return the name of a rule set in results: its name, and its changes to the published one.

    >>> rules_label(load_rules("orsl", short_call="all_in"))
    'orsl, short_call all_in'
    """
    if rules.name not in rule_sets():
        return rules.name
    changes = differences(load_rules(rules.name), rules)
    return ", ".join([rules.name, *(f"{field} {value}" for field, _, value in changes)])


def member_name(spec: str) -> str:
    """Return the name of the member that a spec names.

    Raises:
        SabaccError: for the spec of another agent.
    """
    if not zoo.is_member(spec):
        raise SabaccError(
            f"{spec!r} has no card; only members of the zoo ({zoo.PREFIX}NAME) have one"
        )
    return spec.removeprefix(zoo.PREFIX)
