"""Publishing: a run of a trainer becomes a member of the zoo, its results measured for its card."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sabacc_agents import zoo
from sabacc_agents.loading import load
from sabacc_agents.networks.network import NetworkInfo, load_network, read_info, save_network
from sabacc_agents.saved_files import SUFFIX
from sabacc_agents.zoo.model_card import ExploitabilityBound, Margin, ModelCard, Result

from sabacc_env.agent import agent_class, registered_agents
from sabacc_env.errors import SabaccError
from sabacc_env.observation import observation_version
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.text import differences
from sabacc_env.storage.files import make_folder, write_bytes, write_text
from sabacc_training.config.run import RunConfig
from sabacc_training.evaluation.estimate import Estimate
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.evaluation.progress import MarginProgress
from sabacc_training.experiments.exploitability import Exploit, ExploitConfig
from sabacc_training.runs.callback import AGENT, CHECKPOINT
from sabacc_training.runs.checkpoint import CHANGEABLE, load_checkpoint
from sabacc_training.trainers import training_config

CONFIGS: Final = Path("configs", "zoo")
"""Where the configuration of each member is, under the current directory: ``NAME.toml``."""

SEATS: Final = (2, 4, 6, 8)
"""The numbers of seats that a network for several is measured at."""

SEARCHER: Final = "rollouts"
"""The one agent that searches which members are measured against, over deals of its own number."""

SEED: Final = 1
"""Decides the deals of all results; training measures its progress by those of seed 0."""


TIMES: Final = 10
"""A result that is open is measured again, over so many times as many deals, these among them: the
luck by which it was open makes what is then found a little too near to 0, and never too far."""


@dataclass(frozen=True)
class Planned:
    """A result to be measured."""

    rules: RuleSet
    num_players: int
    opponent: str
    deals: int

    def is_of(self, result: Result) -> bool:
        """Say whether a result is what was planned, over whatever number of deals."""
        of = result.rules, result.num_players, result.opponent
        return of == (rules_label(self.rules), self.num_players, self.opponent)

    @property
    def hands(self) -> int:
        """How many hands are played: each deal from every seat."""
        return self.deals * self.num_players

    def left_of(self, card: ModelCard) -> Planned | None:
        """Return what is still to be measured; None where what the card says is enough."""
        longer = replace(self, deals=TIMES * self.deals)
        known = next((result.margin for result in card.results if self.is_of(result)), None)
        if known is None or known.deals not in (self.deals, longer.deals):
            return self
        settled = (
            not known.includes_zero or known.deals == longer.deals or self.opponent == SEARCHER
        )
        return None if settled else longer


def plan(info: NetworkInfo, deals: int, rollouts: int) -> list[Planned]:
    """Return the results to be measured of a network, game by game.

    Args:
        info: its games: every rule set, at 2, 4, 6 and 8 seats where it plays at several.
        deals: deals against each agent that does not search, at first.
        rollouts: deals against ``rollouts``, at the fewest seats only; 0 for none.
    """
    scripted = [name for name in registered_agents() if not _searches(name)]
    seats = [n for n in info.num_players if n in SEATS] or info.num_players
    planned = []
    for rules in info.rules:
        for opponent in scripted:
            planned += [Planned(rules, n, opponent, deals) for n in seats]
        if rollouts:
            planned.append(Planned(rules, seats[0], SEARCHER, rollouts))
    return planned


def _searches(name: str) -> bool:
    return getattr(agent_class(name), "wants", "observations") == "views"


def rules_label(rules: RuleSet) -> str:
    """Return what results call a rule set: its name, and what differs from the published one.

    >>> rules_label(load_rules("orsl", short_call="all_in"))
    'orsl, short_call all_in'
    """
    if rules.name not in rule_sets():
        return rules.name
    changes = differences(load_rules(rules.name), rules)
    return ", ".join([rules.name, *(f"{field} {value}" for field, _, value in changes)])


def measured(spec: str | Path, planned: Planned, progress: MarginProgress) -> Result:
    """Measure one result of a saved network."""
    rules, num_players = planned.rules, planned.num_players
    label = rules_label(rules)
    progress.start(f"{planned.opponent}, {label}, {num_players} seats")
    bet_sizes = read_info(spec).bet_sizes
    hero, opponent = (
        load(each, rules, num_players, bet_sizes) for each in (spec, planned.opponent)
    )
    estimate = hero_margin(
        rules,
        hero,
        opponent,
        num_players,
        planned.deals,
        SEED,
        bet_sizes,
        on_hands=progress.add_hands,
    )
    progress.end(estimate)
    return Result(
        rules=label,
        num_players=num_players,
        opponent=planned.opponent,
        margin=_rounded(estimate, planned.deals),
    )


def measured_again(name: str) -> ModelCard:
    """Return a member's card with all its results measured anew, over the same deals.

    Raises:
        SabaccError: for a name that no member has.
    """
    card, spec = zoo.read_card(name), zoo.PREFIX + name
    by_label = {rules_label(rules): rules for rules in read_info(spec).rules}
    planned = [
        Planned(by_label[result.rules], result.num_players, result.opponent, result.margin.deals)
        for result in card.results
    ]
    with MarginProgress(sum(each.hands for each in planned)) as progress:
        results = [measured(spec, each, progress) for each in planned]
    return card.model_copy(update={"results": tuple(results)})


def publish(name: str, run: Path, deals: int, rollouts: int) -> ModelCard:
    """Make the agent of a finished run a member of the zoo.

    Its weights are rounded to float16, and what these play is measured. Results are kept in the
    run's folder as they come, so that an interrupted publishing goes on where it was; those of the
    same weights are not measured again.

    Args:
        name: the member's; ``configs/zoo/NAME.toml`` is what trained it.
        run: the run's folder.
        deals: as of ``plan``.
        rollouts: likewise.

    Returns:
        The card that was written.

    Raises:
        SabaccError: for a folder without a finished run, one that the configuration of that name
            did not make, a wrong name, a zoo that cannot be written into.
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise SabaccError(f"zoo: {name!r} is no name; use letters, digits, _ and -")
    make_folder(zoo.FOLDER)
    network_file, draft = run / f"{name}{SUFFIX}", run / f"{name}.json"
    card = _card(name, run, network_file)
    for path in (zoo.FOLDER / draft.name, draft):
        card = _with_what_is_known(card, path)
    planned = plan(read_info(network_file), deals, rollouts)
    while left := [each for one in planned if (each := one.left_of(card))]:
        with MarginProgress(sum(each.hands for each in left)) as progress:
            for each in left:
                result = measured(network_file, each, progress)
                others = [other for other in card.results if not each.is_of(other)]
                card = card.model_copy(update={"results": (*others, result)})
                write_text(draft, card.text())
    write_bytes(zoo.FOLDER / network_file.name, network_file.read_bytes())
    write_card(card)
    return card


def keep_bound(config: ExploitConfig, found: Exploit, command: str) -> None:
    """Write what responses won from a member of the zoo on its card, in place of what was there.

    Args:
        config: whose exploitability was bounded, in which game, with what budget.
        found: the responses.
        command: what finds them again.

    Raises:
        SabaccError: for an agent that is no member, or a zoo that cannot be written into.
    """
    card = zoo.read_card(member_named(config.agent))
    margin = found.best.margin
    bound = ExploitabilityBound(
        rules=rules_label(config.rule_set),
        num_players=config.num_players,
        decisions=config.steps,
        seeds=tuple(response.seed for response in found.responses),
        margin=_rounded(margin, config.deals),
        command=command,
    )
    others = [each for each in card.bounds if not each.has_game_of(bound)]
    write_card(card.model_copy(update={"bounds": (*others, bound)}))


def member_named(spec: str) -> str:
    """Return the name of the member that a spec means.

    Raises:
        SabaccError: for a spec that means none.
    """
    if not zoo.is_member(spec):
        raise SabaccError(f"agent: {spec!r} has no card; members of the zoo have ({zoo.PREFIX}…)")
    return spec.removeprefix(zoo.PREFIX)


def _rounded(margin: Estimate, deals: int) -> Margin:
    """Return a margin as cards have it."""
    return Margin(mean=round(margin.mean, 1), half_width=round(margin.half_width(), 1), deals=deals)


def write_card(card: ModelCard) -> None:
    """Write a member's card, whole or not at all."""
    write_text(zoo.FOLDER / f"{card.name}.json", card.text())


def _card(name: str, run: Path, network_file: Path) -> ModelCard:
    """Write the network of a run in float16, and return its card without results.

    Raises:
        SabaccError: where the run is not finished, or no run of the member's configuration.
    """
    config = training_config(run / "config.json")
    retrain = _retraining(name, config)
    network, state = load_network(run / AGENT), load_checkpoint(run / CHECKPOINT, config)
    info = network.info
    if info.training.get("config") != config.model_dump(mode="json"):
        raise SabaccError(f"{run / AGENT}: was made by another run than {CHECKPOINT} beside it")
    save_network(network_file, network.weights, info, network.extractor, "float16")
    return ModelCard(
        name=name,
        weights=hashlib.sha256(network_file.read_bytes()).hexdigest(),
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


def _retraining(name: str, config: RunConfig) -> str:
    """Return the command that trains a member again.

    Raises:
        SabaccError: where its file in ``configs/zoo`` says something else than the run's.
    """
    path = CONFIGS / f"{name}.toml"
    told = training_config(path)
    values, others = config.model_dump(mode="json"), told.model_dump(mode="json")
    differ = [key for key in values if key not in CHANGEABLE and values[key] != others.get(key)]
    if differ not in ([], ["seed"]):
        raise SabaccError(
            f"{path}: gives other values of {', '.join(differ)} than the run had, which it is to "
            "be trained again by"
        )
    return " ".join(["sabacc train", path.as_posix(), *(f"seed={config.seed}" for _ in differ)])


def _with_what_is_known(card: ModelCard, path: Path) -> ModelCard:
    """Return a card with what another one, if there is one, has found of the same weights."""
    if not path.exists() or (other := ModelCard.read(path)).weights != card.weights:
        return card
    return card.model_copy(
        update={
            "results": other.results or card.results,
            "bounds": other.bounds or card.bounds,
        }
    )
