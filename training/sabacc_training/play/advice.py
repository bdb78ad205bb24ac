"""Advice to people: what the moves are worth now, and what their moves of a hand have cost.

All of it is computed from what the seat may know, with one strong agent: how often it would play
each move, and the mean net credits after each move if everyone played on as it does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.agent import Agent
from sabacc_env.game import Game
from sabacc_env.game.replay import positions
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.game.view import GameView
from sabacc_env.hand_ranks import rank_hand
from sabacc_env.moves import Move
from sabacc_env.render.drawing import signed
from sabacc_env.text.course import cards_text, phase_name
from sabacc_training.play.action_values import ActionValues
from sabacc_training.play.words import label
from sabacc_training.statistics.estimate import Estimate


@dataclass(frozen=True)
class Choice:
    """One of the moves that a seat has.

    Attributes:
        move: the move, with the amount of one bet size.
        share: how often the agent would play it, 0 to 1; None where it does not tell.
        value: the mean net credits of the hand after it.
        loss: what it wins less than the agent's favourite move, in net credits, by the same deals.
    """

    move: Move
    share: float | None
    value: float
    loss: Estimate


class Adviser:
    """Advises the seats of one game.

    Args:
        agent: an agent that tells its probabilities; its name is said.
        name: what it is called.
        game: a hand of the game.
        bet_sizes: what its bet actions mean.
    """

    def __init__(self, agent: Agent, name: str, game: Game, bet_sizes: Sequence[BetSize]) -> None:
        self._agent, self._name = agent, name
        self._bet_sizes = bet_sizes
        self._values = ActionValues(agent, game.view(0), bet_sizes)
        self._buffers = TurnBuffers(game.rules, encode_bet_sizes(bet_sizes))

    def choices(self, game: Game) -> list[Choice]:
        """Return the moves of the seat to act, the agent's favourite first, then by value."""
        assert game.seat_to_act is not None
        view = game.view(game.seat_to_act)
        moves = view.legal_actions(self._bet_sizes)
        actions = np.array(list(moves))
        net = self._values.of(view, actions, np.random.default_rng(len(game.history)))
        shares = self._shares(game)
        preference = net.mean(axis=0) if shares is None else shares[actions]
        favourite = int(preference.argmax())
        found = [
            Choice(
                move,
                None if shares is None else float(shares[action]),
                float(net[:, place].mean()),
                Estimate.from_values(net[:, favourite] - net[:, place]),
            )
            for place, (action, move) in enumerate(moves.items())
        ]
        first = found.pop(favourite)
        return [first, *sorted(found, key=lambda choice: choice.loss.mean)]

    def _shares(self, game: Game) -> NDArray[np.float64] | None:
        game.write_turn(self._buffers)
        shown = agent_calls.agent_input(game, self._agent, self._buffers.observation.copy())
        told = agent_calls.probabilities(self._agent, shown, self._buffers.mask[None].copy())
        return None if told is None else told[0]

    def hints(self, game: Game) -> dict[str, Any]:
        """Return what the moves of the seat to act are worth, as a message."""
        assert game.seat_to_act is not None
        view = game.view(game.seat_to_act)
        rank = view.rank
        sentences = [] if rank is None else [f"You hold {rank.name}, total {signed(rank.total)}."]
        tables = [
            {
                "columns": [
                    "move",
                    f"{self._name} plays it",
                    f"net {_unit(game)}",
                    "below its favourite",
                ],
                "rows": [
                    [
                        label(each.move, view),
                        _percent(each.share),
                        signed(each.value, 1),
                        _loss_text(each.loss) if number else "",
                    ]
                    for number, each in enumerate(self.choices(game))
                ],
            }
        ]
        if chances := draw_chances(view):
            tables.append(
                {
                    "columns": ["total after a draw", "chance", "hands"],
                    "rows": [
                        [signed(total), _percent(share), hands] for total, share, hands in chances
                    ],
                }
            )
        return {"type": "advice", "title": "Hints", "sentences": sentences, "tables": tables}

    def review(self, game: Game, seat: int) -> dict[str, Any]:
        """Return what a seat's moves in a hand have cost by the estimate, as a message."""
        rows, losses = [], []
        for before, turn in zip(positions(game), game.history, strict=False):
            if turn.seat != seat:
                continue
            choices, view = self.choices(before), before.view(seat)
            loss = nearest(choices, turn.move).loss
            losses.append(loss)
            often = "" if choices[0].share is None else f" ({_percent(choices[0].share)})"
            rows.append(
                [
                    f"{phase_name(before.round, before.phase)}: {cards_text(view.hand)}",
                    label(turn.move, view),
                    f"{label(choices[0].move, view)}{often}",
                    _loss_text(loss),
                ]
            )
        lost = sum(loss.mean for loss in losses)
        half_width = math.hypot(*(loss.half_width() for loss in losses))
        cost = f"{signed(lost, 1)} ± {half_width:.1f}"
        sentences = [
            f"Your moves cost {cost} {_unit(game)} more than the favourites of {self._name}.",
            f"This is the mean over deals that fit what you saw, if all play on as {self._name}.",
            "Luck does not count. Below 0 your moves were better.",
        ]
        columns = ["when", "you", f"{self._name} (how often)", "cost"]
        tables = [{"columns": columns, "rows": rows}]
        return {"type": "advice", "title": "The coach", "sentences": sentences, "tables": tables}


def nearest(choices: Sequence[Choice], move: Move) -> Choice:
    """Return the choice that a move is; for a raise to another amount the nearest raise."""
    alike = [
        each for each in choices if each.move.kind == move.kind and each.move.card == move.card
    ]
    return min(alike, key=lambda each: abs((each.move.amount or 0) - (move.amount or 0)))


def draw_chances(view: GameView) -> list[tuple[int, float, str]]:
    """Return the totals that a draw can lead to, each with its chance and the hands' names.

    Every card that the seat has not seen is as likely as any other. What the others' moves say
    about their cards is left out. It is empty where the seat cannot draw.
    """
    if not any(move.kind == "draw" for move in view.legal_moves):
        return []
    unseen = [card for card in view.rules.deck if card not in view.seen_cards]
    spike = view.spike_cards[view.seat]
    held = [*view.hand, *([] if spike is None else [spike])]
    ranks = [rank_hand([*held, card], ranking=view.rules.ranking) for card in unseen]
    totals = Counter(rank.total for rank in ranks)
    names = {total: sorted({r.name for r in ranks if r.total == total}) for total in totals}
    nearest_first = sorted(totals, key=lambda total: (abs(total), -total))
    return [
        (total, totals[total] / len(unseen), ", ".join(names[total])) for total in nearest_first
    ]


def _unit(game: Game) -> str:
    return "points" if game.rules.points else "credits"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _loss_text(loss: Estimate) -> str:
    return f"{signed(loss.mean, 1)} ± {loss.half_width():.1f}"
