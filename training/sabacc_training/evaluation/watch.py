"""Watching one hand, in play or recorded: each move with its alternatives, and the reveal, as text.

The watcher sees every card. The agents see only what the rules let them see.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_env.game import Game
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_histories import HandHistory, Told
from sabacc_env.moves import Move
from sabacc_env.render.text import render_rich
from sabacc_env.text.course import pot_name
from sabacc_training.evaluation.telling import told_at, told_shares


@dataclass(frozen=True)
class Step:
    """One move of a hand.

    Attributes:
        seat: the seat that moved.
        move: its move.
        told: what the agent told of it; None for one that does not tell.
        before, after: the game before and after the move.
    """

    seat: int
    move: Move
    told: Told | None
    before: Game
    after: Game


def play_hand(
    game: Game, agents: Sequence[Agent], bet_sizes: Sequence[BetSize], seed: int
) -> Iterator[Step]:
    """Let agents play a hand to its end, one step at a time; ``game`` itself stays as it is.

    Args:
        game: a hand in play.
        agents: one for each seat, separate objects, built for this game and these bet sizes.
        bet_sizes: what the bet actions mean.
        seed: seeds the agents' random numbers.

    Raises:
        SabaccError: for an agent that fails or returns an illegal action.
    """
    buffers = TurnBuffers(game.rules, encode_bet_sizes(bet_sizes))
    rngs = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(len(agents))]
    agent_calls.reset(agents, 1)
    while (seat := game.seat_to_act) is not None:
        agent = agents[seat]
        game.write_turn(buffers)
        observations = agent_calls.agent_input(game, agent, buffers.observation.copy())
        mask = buffers.mask[None].copy()
        told = told_at(game, agent, bet_sizes, buffers)
        (action,) = agent_calls.actions(
            agent, observations, mask, rngs[seat], np.zeros(1, np.int64)
        )
        before, game = game, _after(game, int(action), buffers)
        yield Step(seat, game.history[-1].move, told, before, game)


def narrate(game: Game, steps: Iterator[Step], names: Sequence[str]) -> Iterator[RenderableType]:
    """Yield the text of a hand: the deal, then each move with all that followed from it.

    Args:
        game: the hand as it was dealt.
        steps: its steps, from ``play_hand`` or ``recorded_steps``.
        names: the name of each seat's agent.
    """
    players = [f"player_{seat} {name}" for seat, name in enumerate(names)]
    yield _position(game, players, _heading(game))
    for step in steps:
        pieces = [_move_text(step, players)]
        if (step.after.round, step.after.phase) != (step.before.round, step.before.phase):
            pieces.append(_heading(step.after))
        yield _position(step.after, players, *pieces)


def check_speed(speed: float | None) -> None:
    """Refuse a speed that is none."""
    if speed is not None and not speed > 0:
        raise SabaccError(f"--speed: {speed} is out of range; give moves per second, above 0")


def show(console: Console, pieces: Iterator[RenderableType], speed: float | None) -> None:
    """Print the pieces of ``narrate``, so many a second, or at once."""
    for piece in pieces:
        console.print(piece)
        time.sleep(0 if speed is None else 1 / speed)


def recorded_steps(hand: HandHistory) -> Iterator[Step]:
    """Yield the steps of a recorded hand, with what its agents told.

    Raises:
        SabaccError: as ``HandHistory.replay``.
    """
    told = hand.told or [None] * len(hand.moves)
    for (before, after), said in zip(itertools.pairwise(hand.positions()), told, strict=True):
        yield Step(*after.history[-1], said, before, after)


# Playing.


def _after(game: Game, action: int, buffers: TurnBuffers) -> Game:
    twin = game.clone()
    twin.play_action(buffers, action)
    return twin


# Text.


def _position(game: Game, players: Sequence[str], *pieces: RenderableType) -> RenderableType:
    """Return the text of a position: these pieces, and the ending of a hand that is over."""
    return Group(*pieces, *([] if game.seat_to_act is not None else [_ending(game, players)]))


def _heading(game: Game) -> RenderableType:
    """Return the name of a new phase and the whole table."""
    if game.seat_to_act is None:
        return Text("")
    title = f"round {game.round}: {game.phase}" if game.round else f"opening {game.phase}"
    return Group(Text(""), Rule(title, align="left"), render_rich(game), Text(""))


def _move_text(step: Step, players: Sequence[str]) -> RenderableType:
    """Return one move: the player, the move and its alternatives, the table after it."""
    told = step.told or Told()
    own, others = told_shares(told, str(step.move))
    lines = [Text(f"{step.move}" if own is None else f"{step.move}  ({own:.0%})", "bold")]
    if others:
        lines.append(Text(f"or {' · '.join(others)}", "yellow"))
    if told.value is not None:
        lines.append(Text(f"expects to win {told.value:+.1f}", "yellow"))
    lines.append(Text(_table_after(step), "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold cyan", width=max(map(len, players)))
    grid.add_column()
    grid.add_row(players[step.seat], Group(*lines))
    return grid


def _table_after(step: Step) -> str:
    """Return what the move changed for its seat, and the cards and credits on the table."""
    game, seat = step.after, step.seat
    parts = []
    if step.before.phase == "betting":
        if not game.rules.points:
            parts.append(f"{game.credits[seat]} credits left")
    else:
        parts.append(_hand_text(game, seat))
    if game.seat_to_act is not None:
        parts.append(f"pot {sum(amount for amount, _ in game.pots)}")
        if game.discard_pile:
            parts.append(f"discard {game.discard_pile[-1]}")
    return " · ".join(parts)


def _hand_text(game: Game, seat: int) -> str:
    """Return a seat's cards and the name of its hand."""
    rank = game.rank(seat)
    return "junked" if rank is None else f"{_cards(game, seat)} = {rank.total:+d} ({rank.name})"


def _cards(game: Game, seat: int) -> str:
    spike = game.spike_cards[seat]
    return " ".join(map(str, game.hands[seat])) + ("" if spike is None else f" | {spike}")


def _ending(game: Game, players: Sequence[str]) -> RenderableType:
    """Return the end: each player's hand and net credits, and the winner of each pot."""
    assert game.net_credits is not None
    assert game.winners is not None
    table = Table(box=None, pad_edge=False)
    for heading in ("player", "cards", "total", "hand"):
        table.add_column(heading)
    table.add_column("net points" if game.rules.points else "net credits", justify="right")
    for seat, player in enumerate(players):
        rank = game.rank(seat)
        total, name = ("", "junked") if rank is None else (f"{rank.total:+d}", rank.name)
        table.add_row(player, _cards(game, seat), total, name, f"{game.net_credits[seat]:+d}")
    won = [
        f"{players[winner]} wins {pot_name(number)} of {amount}"
        for number, ((amount, _), winner) in enumerate(zip(game.pots, game.winners, strict=True))
    ]
    if game.rules.sabacc_ante:
        won.append(f"the Sabacc pot holds {game.sabacc_pot} for the next hand")
    title = "the reveal" if game.revealed else "the end, without a reveal"
    return Group(Rule(title, align="left"), table, Text(""), Text("; ".join(won) + ".", "bold"))
