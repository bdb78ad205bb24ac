"""What a member of the zoo is measured by: margins over scripted agents, and fold rates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sabacc_agents.expectation.betting_pattern import betting_rounds
from sabacc_agents.loading import MadeFor, load, made_for
from sabacc_agents.zoo.model_card import FoldRate, Margin, ModelCard, Result

from sabacc_env.agent import agent_class, registered_agents
from sabacc_env.rules import RuleSet
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.evaluation.progress import MarginProgress
from sabacc_training.experiments.member_cards import rules_label
from sabacc_training.exploitability.fold_rates import fold_rates
from sabacc_training.statistics.estimate import Estimate

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
        margin=rounded_margin(estimate, planned.deals),
    )


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


def rounded_margin(margin: Estimate, deals: int) -> Margin:
    """Return a margin rounded for a card."""
    return Margin(mean=round(margin.mean, 1), half_width=round(margin.half_width(), 1), deals=deals)
