"""How networks trained on a rule space play rules that they have never met (docs/results).

The networks are trained on a split of a space, from several seeds. Then they play fixed rule sets
of each split and, where the space varies the published ones, those too. A figure of a group is the
mean over its rule sets; its interval is over training seeds. Under some rule sets a specialist,
which was trained on them alone, stands beside the networks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from sabacc_agents.loading import load

from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.space import SPLITS, RuleSpace
from sabacc_training.config.base import validated
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.evaluation.rows import Mean
from sabacc_training.jobs.partial_results import PartialResults
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.solved_games.agent_policy import nash_conv
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import Rung, rung_of
from sabacc_training.statistics.estimate import MILLI, Estimate
from sabacc_training.trainers import train_on

PUBLISHED: Final = "published"
"""The group of the published rule sets."""

DEALS_SEED: Final = 26


@dataclass(frozen=True)
class Plan:
    """What is trained and measured.

    Attributes:
        config: how networks are trained, on a split of a space.
        seeds: networks, one for each seed from that of ``config`` on; at least two.
        rule_sets: of each split.
        specialists: how many of them have a specialist.
        specialist_steps: decisions in the training of one.
        exact: whether figures are NashConv in milli-antes; else they are margins over ``opponent``
            in mante/hand.
        opponent: an agent by spec.
        deals: of a margin.
    """

    config: PPOConfig
    seeds: int
    rule_sets: int
    specialists: int
    specialist_steps: int
    exact: bool
    opponent: str
    deals: int

    @property
    def space(self) -> RuleSpace:
        """The whole space."""
        assert self.config.rule_space is not None
        return RuleSpace(self.config.rule_space.space)

    def groups(self) -> Iterator[tuple[str, list[RuleSet], int]]:
        """Yield each group: its name, its rule sets, and how many of these have a specialist."""
        for split in SPLITS:
            yield split, self._drawn(split), self.specialists
        named = [load_rules(name) for name in rule_sets()]
        if any(map(self.space.contains, named)):
            yield PUBLISHED, named, 0

    def _drawn(self, split: str) -> list[RuleSet]:
        """Return the first distinct rule sets of a split, by the keys from 0 on."""
        part, found = self.space.split(split), dict[str, RuleSet]()
        key = 0
        while len(found) < self.rule_sets:
            rules = part.sample(key, self.config.num_players)
            found.setdefault(rules.digest, rules)
            key += 1
        return list(found.values())

    @property
    def work(self) -> dict[str, Any]:
        """Plain data that identifies the work."""
        keys = "seeds", "rule_sets", "specialists", "specialist_steps", "exact", "opponent", "deals"
        return {key: getattr(self, key) for key in keys} | {
            "config": self.config.model_dump(mode="json"),
            "space": self.space.digest,
        }


class RulesResult(BaseModel):
    """The figures of one rule set.

    Attributes:
        group: the group that it is in.
        rules: its name.
        networks: the figure of each network.
        specialist: that of the specialist; None where there is none.
        over_specialist: the margin of each network over it, in mante/hand; None likewise, and where
            figures are NashConv.
    """

    group: str
    rules: str
    networks: list[float]
    specialist: float | None = None
    over_specialist: list[float] | None = None


def measure_all(
    plan: Plan, folder: Path, partial: PartialResults, on_part: Callable[[str], None]
) -> list[RulesResult]:
    """Train and measure all that a plan says; go on where an earlier run stopped.

    Args:
        plan: what.
        folder: for the training runs.
        partial: the rule sets that are measured; new ones are saved there.
        on_part: called when a part begins.

    Raises:
        StoppedBySignal: after a signal in training; everything is saved.
    """
    networks = []
    for place in range(plan.seeds):
        on_part(f"network {place + 1} of {plan.seeds}")
        seed = plan.config.seed + place
        config = plan.config.model_copy(update={"seed": seed})
        networks.append(train_on(config, folder / f"network-{seed}"))
    results = []
    for group, drawn, specialists in plan.groups():
        for place, rules in enumerate(drawn):
            name = f"{group} {rules.name}"
            on_part(name)
            if name not in partial.parts:
                trained = None
                if place < specialists:
                    trained = train_on(
                        _specialist(plan, rules), folder / f"specialist-{rules.name}"
                    )
                partial.add(name, _measure(plan, group, rules, networks, trained).model_dump())
            results.append(RulesResult(**partial.parts[name]))
    return results


def number_of_parts(plan: Plan) -> int:
    """Return how often ``measure_all`` calls ``on_part``."""
    return plan.seeds + sum(len(drawn) for _, drawn, _ in plan.groups())


def _specialist(plan: Plan, rules: RuleSet) -> PPOConfig:
    """Return the training on one rule set, with the settings of the networks."""
    config = plan.config
    game = _rung(plan, rules).model_dump(mode="json")
    kept = config.model_dump(mode="json", exclude={"rule_space", "evaluation", *game})
    steps = {"steps": plan.specialist_steps, "evaluation": {"every": plan.specialist_steps}}
    return validated(PPOConfig, kept | game | steps)


def _rung(plan: Plan, rules: RuleSet) -> Rung:
    return rung_of(rules, plan.config.num_players, plan.config.bet_sizes)


def _measure(
    plan: Plan, group: str, rules: RuleSet, networks: Sequence[Path], specialist: Path | None
) -> RulesResult:
    players, bet_sizes = plan.config.num_players, plan.config.bet_sizes
    trained = [*networks, *([] if specialist is None else [specialist])]
    agents = [load(path, rules, players, bet_sizes) for path in trained]
    found = RulesResult(group=group, rules=rules.name, networks=[])
    if plan.exact:
        tree = flatten(_rung(plan, rules))
        figures = [MILLI * nash_conv(tree, agent) for agent in agents]
    else:
        opponent = load(plan.opponent, rules, players, bet_sizes)
        figures = [_margin(plan, rules, agent, opponent) for agent in agents]
    found.networks = [round(each, 2) for each in figures[: len(networks)]]
    if specialist is not None:
        found.specialist = round(figures[-1], 2)
        if not plan.exact:
            over = [_margin(plan, rules, agent, agents[-1]) for agent in agents[:-1]]
            found.over_specialist = [round(each, 2) for each in over]
    return found


def _margin(plan: Plan, rules: RuleSet, hero: Any, opponent: Any) -> float:
    players, bet_sizes = plan.config.num_players, plan.config.bet_sizes
    return hero_margin(rules, hero, opponent, players, plan.deals, DEALS_SEED, bet_sizes).mean


# The table.


class GroupResult(BaseModel):
    """The figures of a group.

    Attributes:
        group: its name.
        rule_sets: how many rule sets it has.
        networks: the figure of the networks, the mean over its rule sets.
        gap: that less the figure of ``train``; None for ``train`` itself.
        beside: the figure of the networks under the rule sets that have a specialist.
        specialists: the mean figure of these specialists.
        over_specialists: the margin of the networks over them.
    """

    group: str
    rule_sets: int
    networks: Mean
    gap: Mean | None = None
    beside: Mean | None = None
    specialists: float | None = None
    over_specialists: Mean | None = None


def _over_seeds(values: NDArray[np.float64]) -> Mean:
    """Return the mean of one value for each training seed, (seeds,)."""
    return Mean.of(Estimate.from_values(values))


def summarise(results: Sequence[RulesResult]) -> list[GroupResult]:
    """Return the figures of each group, in their order."""
    found = []
    of_train: NDArray[np.float64] | None = None
    for group in dict.fromkeys(result.group for result in results):
        rows = [result for result in results if result.group == group]
        scores = np.mean([row.networks for row in rows], axis=0)
        summary = GroupResult(group=group, rule_sets=len(rows), networks=_over_seeds(scores))
        if of_train is None:
            of_train = scores
        else:
            summary.gap = _over_seeds(scores - of_train)
        if special := [row for row in rows if row.specialist is not None]:
            summary.beside = _over_seeds(np.mean([row.networks for row in special], axis=0))
            summary.specialists = round(float(np.mean([row.specialist for row in special])), 1)
            if all(row.over_specialist is not None for row in special):
                over = np.mean([row.over_specialist or [] for row in special], axis=0)
                summary.over_specialists = _over_seeds(over)
        found.append(summary)
    return found


HEAD: Final = "split", "rules", "networks", "gap", "networks there", "specialists", "over these"
"""Group, rule sets, figure of the networks, less that of train; then, under the rule sets that have
a specialist, figures of the networks and of the specialists, and margins over these."""


def table_rows(groups: Sequence[GroupResult]) -> list[list[str]]:
    """Return the rows of the table with ``HEAD``."""

    def text(value: object) -> str:
        return "-" if value is None else str(value)

    return [
        [
            each.group,
            str(each.rule_sets),
            text(each.networks),
            text(each.gap),
            text(each.beside),
            "-" if each.specialists is None else f"{each.specialists:,.0f}",
            text(each.over_specialists),
        ]
        for each in groups
    ]
