"""Publishing to the zoo: the agent of a run becomes a member, and its card gets its margins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sabacc_agents import zoo
from sabacc_agents.loading import made_for
from sabacc_agents.saved_files import SUFFIX
from sabacc_agents.zoo.model_card import ExploitabilityBound, ModelCard

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder, write_bytes, write_text
from sabacc_training.evaluation.progress import MarginProgress
from sabacc_training.experiments.member_cards import member_name, new_card, rules_label
from sabacc_training.experiments.member_results import (
    PlannedResult,
    measure,
    measure_fold_rates,
    plan_results,
    rounded_margin,
)
from sabacc_training.exploitability.config import ExploitabilityConfig
from sabacc_training.exploitability.results import ProbeResult
from sabacc_training.jobs.locking import locked_file


def publish(name: str, run: Path, deals: int, rollouts: int) -> ModelCard:
    """Make the agent of a finished run, a blueprint or a resolving agent a member of the zoo.

    A network's weights are rounded to float16, and the rounded network is measured. Each result is
    saved in the run's folder, or beside the file, so that an interrupted publishing can resume.
    Results of the same file are not measured again.

    Args:
        name: the member's name; it was made by ``configs/zoo/NAME.toml``.
        run: the run's folder, or the file of the blueprint or of the resolving agent.
        deals: as in ``plan_results``.
        rollouts: as in ``plan_results``.

    Returns:
        The card that was written.

    Raises:
        SabaccError: for a folder without a finished run, for a run of another configuration, for a
            wrong name, for a file beside another agent with the member's name, or for a zoo that
            cannot be written into.
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise SabaccError(f"{name!r} is not a valid name of a member; use letters, digits, _ and -")
    if not run.exists():
        raise SabaccError(f"{run}: there is no such file or folder")
    make_folder(zoo.FOLDER)
    folder = run.parent if run.is_file() else run
    agent_file = folder / f"{name}{SUFFIX}"
    draft = folder / f"{name}.json"
    with locked_file(draft):
        card = _measured_card(name, run, agent_file, draft, deals, rollouts)
        write_bytes(zoo.FOLDER / agent_file.name, agent_file.read_bytes())
        write_card(card)
    return card


def _measured_card(
    name: str, run: Path, agent_file: Path, draft: Path, deals: int, rollouts: int
) -> ModelCard:
    """Return the card with all results, which are saved in a draft one by one."""
    card = new_card(name, run, agent_file)
    for path in (zoo.FOLDER / draft.name, draft):
        card = _with_known_results(card, path)
    planned = plan_results(made_for(agent_file), deals, rollouts)
    while left := [each for one in planned if (each := one.remaining(card))]:
        with MarginProgress(sum(each.hands for each in left)) as progress:
            for each in left:
                result = measure(agent_file, each, progress)
                others = [other for other in card.results if not each.matches(other)]
                card = card.model_copy(update={"results": (*others, result)})
                write_text(draft, card.text())
    if not card.fold_rates:
        card = card.model_copy(update={"fold_rates": measure_fold_rates(agent_file)})
    return card


def _with_known_results(card: ModelCard, path: Path) -> ModelCard:
    """Return a card with the results of a card in a file, where that is of the same weights."""
    if not path.exists() or (other := ModelCard.read(path)).weights != card.weights:
        return card
    return card.model_copy(
        update={
            "results": other.results or card.results,
            "bounds": other.bounds or card.bounds,
            "fold_rates": other.fold_rates or card.fold_rates,
        }
    )


def remeasure(name: str) -> ModelCard:
    """Return a member's card with all its results and fold rates measured again on the same deals.

    Raises:
        SabaccError: for a name that no member has.
    """
    card, spec = zoo.read_card(name), zoo.PREFIX + name
    by_label = {rules_label(rules): rules for rules in made_for(spec).rules}
    planned = [
        PlannedResult(
            by_label[result.rules], result.num_players, result.opponent, result.margin.deals
        )
        for result in card.results
    ]
    with MarginProgress(sum(each.hands for each in planned)) as progress:
        results = [measure(spec, each, progress) for each in planned]
    found = {"results": tuple(results), "fold_rates": measure_fold_rates(spec)}
    return card.model_copy(update=found)


def write_fold_rates(name: str) -> ModelCard:
    """Write a member's fold rates to its card, in place of earlier ones, and return the card.

    Raises:
        SabaccError: for a name that no member has, for a member that plays no game with betting at
            two seats, or for a zoo that cannot be written into.
    """
    card = zoo.read_card(name)
    found = measure_fold_rates(zoo.PREFIX + name)
    if not found:
        raise SabaccError(f"{name}: plays no game with betting at two seats; it has no fold rates")
    card = card.model_copy(update={"fold_rates": found})
    write_card(card)
    return card


def write_bounds(
    config: ExploitabilityConfig, worst: Mapping[float | None, ProbeResult], command: str
) -> None:
    """Write bounds of a member's exploitability to its card, in place of earlier ones.

    Args:
        config: the member and the game.
        worst: the probe that found most, by the depth of stacks in antes; None for what the rules
            give.
        command: the command that measures the bounds again.

    Raises:
        SabaccError: for an agent that is no member, or a zoo that cannot be written into.
    """
    card = zoo.read_card(member_name(config.agent))
    bounds = [
        ExploitabilityBound(
            rules=rules_label(config.rule_set),
            num_players=config.num_players,
            depth=depth,
            opponent=f"{found.probe} ({found.best.name})",
            margin=rounded_margin(found.best.test, found.best.test.deals),
            command=command,
        )
        for depth, found in worst.items()
    ]
    others = [each for each in card.bounds if not any(map(each.has_game_of, bounds))]
    write_card(card.model_copy(update={"bounds": (*others, *bounds)}))


def write_card(card: ModelCard) -> None:
    """Write a member's card atomically."""
    write_text(zoo.FOLDER / f"{card.name}.json", card.text())
