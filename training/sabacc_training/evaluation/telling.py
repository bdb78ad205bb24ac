"""What agents tell of their moves: the probabilities that they draw from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.agent import Agent
from sabacc_env.errors import printable
from sabacc_env.game import Game
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_histories import HandHistory, Told

MAX_ALTERNATIVES: Final = 4
"""How many of the likeliest moves that an agent did not make are shown."""
LEAST_SHARE: Final = 0.005
"""The probability from which on they are: less is shown as 0%."""


def told_at(
    game: Game, agent: Agent, bet_sizes: Sequence[BetSize], buffers: TurnBuffers
) -> Told | None:
    """Return what an agent tells where it is to act; None for one that does not tell.

    Args:
        game: a hand in play.
        agent: built for this game and these bet sizes.
        bet_sizes: what the bet actions mean.
        buffers: of the same rules and bet sizes; they are written to.

    Raises:
        SabaccError: for an agent that fails, or tells what is no distribution.
    """
    assert game.seat_to_act is not None
    game.write_turn(buffers)
    shown = agent_calls.agent_input(game, agent, buffers.observation.copy())
    probabilities = agent_calls.probabilities(agent, shown, buffers.mask[None].copy())
    if probabilities is None:
        return None
    moves = game.view(game.seat_to_act).legal_actions(bet_sizes)
    shares = {str(move): float(probabilities[0, action]) for action, move in moves.items()}
    likeliest = sorted(shares.items(), key=lambda share: -share[1])
    return Told(probabilities={move: share for move, share in likeliest if share})


def with_told(
    hand: HandHistory, agents: Sequence[Agent | None], bet_sizes: Sequence[BetSize]
) -> HandHistory:
    """Return a recorded hand with what agents tell of its moves: they are asked again.

    Args:
        hand: the hand, as far as it was played.
        agents: one for each seat, built for this game and these bet sizes; None for a person.
        bet_sizes: what the bet actions mean.

    Raises:
        SabaccError: as ``told_at``.
    """
    buffers = TurnBuffers(hand.rule_set, encode_bet_sizes(bet_sizes))
    told: list[Told | None] = []
    for position, (seat, _) in zip(hand.positions(), hand.moves, strict=False):
        agent = agents[seat]
        told.append(None if agent is None else told_at(position, agent, bet_sizes, buffers))
    return hand.model_copy(update={"told": tuple(told) if any(told) else ()})


def told_shares(told: Told, move: str) -> tuple[float | None, list[str]]:
    """Return the probability of the move that was made, and the alternatives in words.

    >>> told = Told(probabilities={"junk": 0.3, "call": 0.62, "raise 8": 0.078, "raise 9": 0.002})
    >>> told_shares(told, "call")
    (0.62, ['30% junk', '8% raise 8', '1 more'])
    """
    shares = dict(told.probabilities or {})
    own = shares.pop(move, None)
    likeliest = sorted(shares.items(), key=lambda share: -share[1])
    shown = [(other, p) for other, p in likeliest[:MAX_ALTERNATIVES] if p >= LEAST_SHARE]
    others = [f"{p:.0%} {printable(other)}" for other, p in shown]
    more = len(likeliest) - len(others)
    return own, [*others, f"{more} more"] if more else others


def told_words(told: Told | None, move: str) -> str:
    """Return what an agent told of its move in words; "" for nothing.

    >>> told_words(Told(probabilities={"junk": 0.25, "call": 0.75}, value=1.2), "call")
    'Plays: 75% call, 25% junk. Expects +1.2.'
    """
    if told is None:
        return ""
    own, others = told_shares(told, move)
    shares = [*([] if own is None else [f"{own:.0%} {move}"]), *others]
    plays = [f"Plays: {', '.join(shares)}."] if shares else []
    expects = [] if told.value is None else [f"Expects {told.value:+.1f}."]
    return " ".join([*plays, *expects])
