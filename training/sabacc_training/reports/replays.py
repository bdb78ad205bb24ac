"""Hands played again: a picture of the table and a sentence for every step.

The pictures are those of ``sabacc_env.render.svg``. Two steps of a hand differ in little, so what
they have in common is kept once: a page with twenty hands, each from every point of view, stays
small.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_env.game import Game, positions, replay
from sabacc_env.hand_histories import Told
from sabacc_env.render.svg import render_svg
from sabacc_env.text.course import cards_text, move_words, phase_name
from sabacc_training.evaluation.telling import told_words
from sabacc_training.reports.model import CostlyHand

EDGES: Final = re.compile(r"(?=<(?:g|title)[ >])|(?<=</g>)|(?<=</title>)")
"""Where a ``<g>`` or ``<title>`` element begins or ends."""
OPENS_GROUP: Final = re.compile(r"<g[^>]*(?<!/)>")
"""The start tag of a ``<g>`` element that holds something."""

Node = str | tuple[int, ...]
"""Text of a picture, or the numbers of the nodes that make up a group or a picture."""


@dataclass
class SharedPictures:
    """Pictures whose equal parts are kept once.

    Attributes:
        nodes: every different piece of text, group and picture; ``picture`` puts them together.

    >>> pictures = SharedPictures()
    >>> one = pictures.add("<svg><g><a/></g><g><b/></g></svg>")
    >>> two = pictures.add("<svg><g><b/></g></svg>")
    >>> pictures.nodes
    ['<svg>', '<g><a/></g>', (1,), '<g><b/></g>', (3,), '</svg>', (0, 2, 4, 5), (0, 4, 5)]
    >>> pictures.picture(one)
    '<svg><g><a/></g><g><b/></g></svg>'
    """

    nodes: list[Node] = field(default_factory=list)
    _numbers: dict[Node, int] = field(default_factory=dict)

    def add(self, svg: str) -> int:
        """Keep a picture; return the number of its node."""
        open_groups: list[list[int]] = [[]]
        for piece in filter(None, EDGES.split(svg)):
            if OPENS_GROUP.match(piece):
                open_groups.append([])
            open_groups[-1].append(self._number(piece))
            if piece.endswith("</g>"):
                group = open_groups.pop()
                open_groups[-1].append(self._number(tuple(group)))
        return self._number(tuple(open_groups[0]))

    def picture(self, number: int) -> str:
        """Return a picture again; the page's script does the same."""
        node = self.nodes[number]
        return node if isinstance(node, str) else "".join(map(self.picture, node))

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self._numbers[node]


@dataclass(frozen=True)
class Step:
    """One step of a hand.

    Attributes:
        number: its number, 0 for the deal.
        phase: the round and the phase.
        agent: who moved, with the seat where copies play; "" for the deal.
        words: what was done, and what it led to.
        after: the seat's cards after the move, or nothing in betting.
        told: what its agent told of the move; "" for nothing.
    """

    number: int
    phase: str
    agent: str
    words: str
    after: str
    told: str


@dataclass(frozen=True)
class Replay:
    """A hand, ready to be shown.

    Attributes:
        agents: who sat where, by seat.
        phases: the phases in order, each with its steps: the deal is the first, then each move.
        pictures: for each point of view, the picture after each step: first that of somebody who
            sees everything, then each seat's.
        result: how it ended.
    """

    agents: tuple[str, ...]
    phases: tuple[tuple[str, tuple[Step, ...]], ...]
    pictures: tuple[tuple[int, ...], ...]
    result: str

    @property
    def moves(self) -> int:
        """The number of moves."""
        return len(self.pictures[0]) - 1


def costly_replay(hand: CostlyHand, shared: SharedPictures) -> Replay:
    """Play a costly hand again, step by step.

    Raises:
        SabaccError: for a history that cannot be played, or of another hand than its figures say.
    """
    final = replay(hand.history)
    if final.net_credits != list(hand.net_credits) or final.num_players != len(hand.agents):
        raise SabaccError(f"deal {hand.deal}: the history is not that of this costly hand")
    return replay_of(positions(final), hand.agents, shared)


def replay_of(
    games: Sequence[Game],
    agents: Sequence[str],
    shared: SharedPictures,
    told: Sequence[Told | None] = (),
) -> Replay:
    """Return a hand step by step.

    Args:
        games: the hand as it was dealt and after each move.
        agents: who sat where, by seat.
        shared: keeps the pictures.
        told: what agents told, one for each move, or nothing.
    """
    points_of_view = [None, *range(games[0].num_players)]
    names = _names(agents)
    return Replay(
        tuple(agents),
        tuple(
            (phase, tuple(steps))
            for phase, steps in itertools.groupby(
                _steps(games, names, told), lambda step: step.phase
            )
        ),
        tuple(
            tuple(shared.add(render_svg(game, seat)) for game in games) for seat in points_of_view
        ),
        _result(games[-1], names),
    )


def _names(agents: Sequence[str]) -> list[str]:
    """Return what the steps call each seat: its agent, and the seat where copies play."""
    return [
        f"{agent} (seat {seat})" if agents.count(agent) > 1 else agent
        for seat, agent in enumerate(agents)
    ]


def _steps(
    games: Sequence[Game], agents: Sequence[str], told: Sequence[Told | None]
) -> Iterator[Step]:
    dealt = games[0]
    hands = [f"{agents[seat]} has {_hand(dealt, seat)}" for seat in dealt.seated]
    yield Step(
        0, phase_name(dealt.round, dealt.phase), "", f"The deal: {'; '.join(hands)}.", "", ""
    )
    for number, (before, after) in enumerate(itertools.pairwise(games), start=1):
        seat, move = after.history[-1]
        rolled = after.dice[len(before.dice) :]
        dice = "".join(f" The dice show {first}-{second}." for first, second in rolled)
        yield Step(
            number,
            phase_name(before.round, before.phase),
            agents[seat],
            f"{move_words(move)}.{dice}",
            "" if before.phase == "betting" and not rolled else _hand(after, seat),
            told_words(told[number - 1] if told else None, str(move)),
        )


def _hand(game: Game, seat: int) -> str:
    """Return a seat's cards and the name of its hand."""
    rank = game.rank(seat)
    if rank is None:
        return "no cards"
    spike = game.spike_cards[seat]
    cards = cards_text([*game.hands[seat], *([] if spike is None else [spike])])
    return f"{cards} ({rank.name}, total {f'{rank.total:+d}' if rank.total else 0})"


def _result(game: Game, agents: Sequence[str]) -> str:
    if game.net_credits is None:
        return "The hand was not played to its end."
    unit = "points" if game.rules.points else "credits"
    how = "At the reveal" if game.revealed else "Without a reveal, because all others junked"
    net = ", ".join(
        f"{agent} {net:+,d}" for agent, net in zip(agents, game.net_credits, strict=True)
    )
    return f"{how}, in {unit}: {net}."
