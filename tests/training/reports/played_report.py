"""A report of a small tournament that is really played, hand by hand, without a folder."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from sabacc_agents import load
from sabacc_training.evaluation.watch import play_hand
from sabacc_training.reports.model import (
    CostlyHand,
    Entry,
    Failure,
    Figure,
    FormatResults,
    Game,
    HandCount,
    HandMoveCount,
    Interval,
    MoveCount,
    Origin,
    Pair,
    Rating,
    Report,
    SecondView,
    Standing,
)
from sabacc_training.statistics.estimate import MILLI, Estimate

import sabacc_env
from sabacc_env.actions import DEFAULT_BET_SIZES
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.rules import load_rules

HOSTILE = "<script>window.hacked = 1</script>"
"""A name that is harmless only as text."""
LONG = "an_agent_with_a_name_that_is_much_longer_than_any_column_of_a_table_should_ever_be"


def interval(values: Sequence[float] | np.ndarray) -> Interval:
    estimate = Estimate.from_values(np.asarray(values, float))
    return Interval(mean=estimate.mean, half_width=estimate.half_width())


def played_report(
    agents: dict[str, str],
    deals: int = 6,
    costly: int = 3,
    rules_name: str = "casino",
    *,
    reduced: bool = False,
) -> Report:
    """Play all pairs and report them.

    Args:
        agents: each agent's spec by its name.
        deals: the deals of each pair.
        costly: how many costly hands are kept.
        rules_name: the rule set.
        reduced: whether to add reduced figures: of each deal, the mean over its two seatings.
    """
    rules = load_rules(rules_name)
    moves: Counter[tuple[Any, ...]] = Counter()
    by_hand: Counter[tuple[Any, ...]] = Counter()
    shown: Counter[tuple[str, str]] = Counter()
    won: Counter[tuple[str, str]] = Counter()
    margins: dict[tuple[str, str], np.ndarray] = {}
    hands: list[CostlyHand] = []
    for first, second in itertools.combinations(agents, 2):
        players = {name: load(agents[name], rules, 2) for name in (first, second)}
        of_pair = np.zeros((deals, 2))
        for deal, seating in itertools.product(range(deals), range(2)):
            names = (first, second) if seating == 0 else (second, first)
            game = sabacc_env.Game(rules, 2, seed=deal)
            seated = [players[name] for name in names]
            for step in play_hand(game, seated, DEFAULT_BET_SIZES, seed=deal):
                before = step.before
                rank = before.rank(step.seat)
                assert rank is not None
                name, kind = names[step.seat], step.move.kind
                moves[name, before.phase, f"round {before.round}", abs(rank.total), kind] += 1
                by_hand[name, before.phase, rank.name, kind] += 1
                game = step.after
            assert game.net_credits is not None
            assert game.winners is not None
            if game.revealed:
                for seat in game.remaining:
                    rank = game.rank(seat)
                    assert rank is not None
                    shown[names[seat], rank.name] += 1
                    won[names[seat], rank.name] += game.winners[0] == seat
            net = game.net_credits
            of_pair[deal, seating] = (net[0] - net[1]) * (-1) ** seating
            hands.append(
                CostlyHand(
                    agents=names,
                    seat=net.index(min(net)),
                    cost=-min(net),
                    deal=deal,
                    net_credits=tuple(net),
                    history=game.to_dict(),
                )
            )
        margins[first, second] = of_pair * MILLI / (2 * rules.ante_unit)
    return Report(
        title=f"{rules_name}, 2 seats: {len(agents)} agents",
        game=Game(
            rules=rules.name,
            rules_digest=rules.digest,
            bet_sizes=tuple(map(str, DEFAULT_BET_SIZES)),
            ante_unit=rules.ante_unit,
        ),
        agents=tuple(Entry(name=name, spec=spec) for name, spec in agents.items()),
        formats=(
            FormatResults(
                name="pairs",
                kind="pairs",
                seats=2,
                deals=deals,
                hands=len(hands),
                standings=_standings(agents, margins, reduced=reduced),
                pairs=tuple(
                    Pair(agent=first, opponent=second, margin=_figure(values, reduced))
                    for (first, second), values in margins.items()
                ),
                all_pairs_factor=1.5,
            ),
        ),
        moves=tuple(
            MoveCount(agent=agent, phase=phase, round=number, total=total, move=move, count=count)
            for (agent, phase, number, total, move), count in sorted(moves.items())
        ),
        moves_by_hand=tuple(
            HandMoveCount(agent=agent, phase=phase, hand=hand, move=move, count=count)
            for (agent, phase, hand, move), count in sorted(by_hand.items())
        ),
        shown_hands=tuple(
            HandCount(agent=agent, hand=hand, shown=count, won=won[agent, hand])
            for (agent, hand), count in sorted(shown.items())
        ),
        hand_names=tuple(name for name, _ in HAND_NAMES[rules.ranking]),
        views=(
            SecondView(
                name="Places",
                meaning="One less than the number of agents, less the place.",
                ratings=tuple(Rating(agent=name, value=1.5 * n) for n, name in enumerate(agents)),
            ),
        ),
        failures=(
            Failure(
                agent=next(iter(agents)),
                kind="illegal action",
                count=2,
                decisions=100,
                example="action 99 is not legal <b>here</b>",
            ),
        ),
        costly_hands=tuple(sorted(hands, key=lambda hand: -hand.cost)[:costly]),
        origin=Origin(
            command="sabacc tournament config.json --output again",
            config='{"deals": 6}',
            seed=0,
            versions={"sabacc-env": "0.1.0"},
            files=(),
            hours=0.25,
        ),
    )


def _figure(values: np.ndarray, reduced: bool) -> Figure:
    return Figure(
        raw=interval(values[:, 0]), reduced=interval(values.mean(axis=1)) if reduced else None
    )


def _standings(
    agents: dict[str, str], margins: dict[tuple[str, str], np.ndarray], *, reduced: bool
) -> tuple[Standing, ...]:
    own = defaultdict(list)
    for (first, second), values in margins.items():
        own[first].append(values)
        own[second].append(-values)
    rows = []
    for name in agents:
        values = np.mean(own[name], axis=0)
        every = np.concatenate(own[name])
        rows.append(
            Standing(
                agent=name,
                margin=_figure(values, reduced),
                hands=every.size,
                hand_sd=float(every.std(ddof=1)),
                luck_taken_out=0.75 if reduced else None,
            )
        )
    return tuple(sorted(rows, key=lambda row: -row.margin.best.mean))
