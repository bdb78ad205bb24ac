"""Publishing to the zoo: the agent of a run becomes a member, and its card gets its margins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from sabacc_agents import zoo
from sabacc_agents.blueprint.blueprint import NUM_PLAYERS, load_blueprint
from sabacc_agents.expectation.betting_pattern import betting_rounds
from sabacc_agents.loading import MadeFor, load, made_for
from sabacc_agents.networks.network import load_network, save_network
from sabacc_agents.resolving import saved as resolving
from sabacc_agents.resolving.agent import ITERATIONS
from sabacc_agents.resolving.last_phase import DEFAULT_RANGES
from sabacc_agents.saved_files import SUFFIX, formats_in
from sabacc_agents.zoo.model_card import ExploitabilityBound, FoldRate, Margin, ModelCard, Result

from sabacc_env.agent import agent_class, registered_agents
from sabacc_env.errors import SabaccError
from sabacc_env.observation import observation_version
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.text import differences
from sabacc_env.storage.files import make_folder, write_bytes, write_text
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.config.base import load_config, validated
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.evaluation.progress import MarginProgress
from sabacc_training.exploitability.config import ExploitabilityConfig
from sabacc_training.exploitability.fold_rates import fold_rates
from sabacc_training.exploitability.results import ProbeResult
from sabacc_training.runs.callback import AGENT, CHECKPOINT, CONFIG
from sabacc_training.runs.checkpoint import CHANGEABLE, load_checkpoint
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.tournaments.agent_files import file_digest
from sabacc_training.trainers import training_config

CONFIGS: Final = Path("configs", "zoo")
"""The folder of the members' configurations ``NAME.toml``, under the current directory."""

SEATS: Final = (2, 4, 6, 8)
"""The numbers of seats at which a network for several numbers is measured."""

SEARCHER: Final = "rollouts"
"""The one searching agent that members are measured against; it has its own number of deals."""

SEED: Final = 1
"""The seed of the deals of all results; evaluations during training use the deals of seed 0."""

FOLD_DEALS: Final = 2000
"""Deals for each fold rate, each played from both seats."""

REMEASURE_FACTOR: Final = 10
"""A result whose interval includes 0 is measured again over so many times as many deals, the first
ones among them. This selection biases the new result a little towards 0, never away from it."""


@dataclass(frozen=True)
class PlannedResult:
    """A result that is to be measured."""

    rules: RuleSet
    num_players: int
    opponent: str
    deals: int

    def matches(self, result: Result) -> bool:
        """Say whether a result is this one, with any number of deals."""
        measured = result.rules, result.num_players, result.opponent
        return measured == (rules_label(self.rules), self.num_players, self.opponent)

    @property
    def hands(self) -> int:
        """The number of hands: each deal is played from every seat."""
        return self.deals * self.num_players

    def remaining(self, card: ModelCard) -> PlannedResult | None:
        """Return what is left to measure; None where the card's result is enough."""
        longer = replace(self, deals=REMEASURE_FACTOR * self.deals)
        known = next((result.margin for result in card.results if self.matches(result)), None)
        if known is None or known.deals not in (self.deals, longer.deals):
            return self
        settled = (
            not known.includes_zero or known.deals == longer.deals or self.opponent == SEARCHER
        )
        return None if settled else longer


def plan_results(games: MadeFor, deals: int, rollouts: int) -> list[PlannedResult]:
    """Return the results to measure for a member, game by game.

    Args:
        games: its games. Each rule set is measured at 2, 4, 6 and 8 seats, as far as it plays at
            these numbers.
        deals: deals against each agent that does not search, in the first measurement.
        rollouts: deals against ``rollouts``, only at the fewest seats; 0 for none.
    """
    scripted = [name for name in registered_agents() if not _searches(name)]
    seats = [n for n in games.num_players if n in SEATS] or games.num_players
    planned = []
    for rules in games.rules:
        for opponent in scripted:
            planned += [PlannedResult(rules, n, opponent, deals) for n in seats]
        if rollouts:
            planned.append(PlannedResult(rules, seats[0], SEARCHER, rollouts))
    return planned


def _searches(name: str) -> bool:
    return getattr(agent_class(name), "wants", "observations") == "views"


def rules_label(rules: RuleSet) -> str:
    """Return the name of a rule set in results: its name, and its changes to the published one.

    >>> rules_label(load_rules("orsl", short_call="all_in"))
    'orsl, short_call all_in'
    """
    if rules.name not in rule_sets():
        return rules.name
    changes = differences(load_rules(rules.name), rules)
    return ", ".join([rules.name, *(f"{field} {value}" for field, _, value in changes)])


def measure(spec: str | Path, planned: PlannedResult, progress: MarginProgress) -> Result:
    """Measure a margin of a saved agent."""
    rules, num_players = planned.rules, planned.num_players
    label = rules_label(rules)
    progress.start(f"{planned.opponent}, {label}, {num_players} seats")
    bet_sizes = made_for(spec).bet_sizes
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


def measure_fold_rates(spec: str | Path) -> tuple[FoldRate, ...]:
    """Measure how often a saved agent folds at two seats, in each of its games with betting."""
    every, num_players, bet_sizes = made_for(spec)
    games = [rules for rules in every if betting_rounds(rules)] if 2 in num_players else []
    bets = sum(len(betting_rounds(rules)) for rules in games) * len(bet_sizes)
    found: list[FoldRate] = []
    with MarginProgress(2 * FOLD_DEALS * bets) as progress:
        for rules in games:
            label = rules_label(rules)
            progress.start(f"fold rates, {label}")
            agent = load(spec, rules, 2, bet_sizes)
            found += (
                FoldRate(
                    rules=label,
                    round=each.round,
                    bet_size=str(each.bet_size),
                    fold_rate=round(each.fold_rate, 4),
                    half_width=round(each.half_width, 4),
                    break_even=round(each.break_even, 4),
                    decisions=each.decisions,
                )
                for each in fold_rates(
                    rules, agent, FOLD_DEALS, SEED, bet_sizes, progress.add_hands
                )
            )
    return tuple(found)


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
            wrong name, or for a zoo that cannot be written into.
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise SabaccError(f"{name!r} is not a valid name of a member; use letters, digits, _ and -")
    make_folder(zoo.FOLDER)
    folder = run.parent if run.is_file() else run
    agent_file, draft = folder / f"{name}{SUFFIX}", folder / f"{name}.json"
    card = _card_maker(run)(name, run, agent_file)
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
    write_bytes(zoo.FOLDER / agent_file.name, agent_file.read_bytes())
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
            margin=_rounded(found.best.test, found.best.test.deals),
            command=command,
        )
        for depth, found in worst.items()
    ]
    others = [each for each in card.bounds if not any(map(each.has_game_of, bounds))]
    write_card(card.model_copy(update={"bounds": (*others, *bounds)}))


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


def _rounded(margin: Estimate, deals: int) -> Margin:
    """Return a margin rounded for a card."""
    return Margin(mean=round(margin.mean, 1), half_width=round(margin.half_width(), 1), deals=deals)


def write_card(card: ModelCard) -> None:
    """Write a member's card atomically."""
    write_text(zoo.FOLDER / f"{card.name}.json", card.text())


def _card_maker(run: Path) -> Callable[[str, Path, Path], ModelCard]:
    """Return what copies an agent and makes its card without results."""
    if not run.is_file():
        return _make_card
    return _make_resolving_card if resolving.FORMAT in formats_in(run) else _make_blueprint_card


def _make_card(name: str, run: Path, network_file: Path) -> ModelCard:
    """Write the network of a run in float16, and return its card without results.

    Raises:
        SabaccError: for a run that is not finished, or is not of the member's configuration.
    """
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


def _make_blueprint_card(name: str, file: Path, agent_file: Path) -> ModelCard:
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
    if agent_file != file:
        write_bytes(agent_file, file.read_bytes())
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


def _make_resolving_card(name: str, file: Path, agent_file: Path) -> ModelCard:
    """Copy a resolving agent, and return its card without results.

    Its costs are those of its blueprint.

    Raises:
        SabaccError: for a file that is no resolving agent, or one whose blueprint is no member.
    """
    settings, blueprint = resolving.load_resolving(file)
    base = zoo.read_card(member_name(settings.blueprint))
    if agent_file != file:
        write_bytes(agent_file, file.read_bytes())
    given = {"iterations": settings.iterations} | asdict(settings.ranges)
    defaults = {"iterations": ITERATIONS} | asdict(DEFAULT_RANGES)
    options = [
        f" --{key.replace('_', '-')} {value}"
        for key, value in given.items()
        if value != defaults[key]
    ]
    return ModelCard(
        name=name,
        weights=file_digest(agent_file),
        rules={rules_label(rules): rules.digest for rules in blueprint.all_rules},
        num_players=(NUM_PLAYERS,),
        observation_version=observation_version(),
        config=asdict(settings),
        seed=base.seed,
        decisions=base.decisions,
        hours=base.hours,
        retrain=f"sabacc resolving {settings.blueprint}{''.join(options)}",
        opponents=(),
    )


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
