"""What agents tell of their moves: the probabilities that they draw from."""

from __future__ import annotations

from collections.abc import Sequence

from sabacc_env import agent_calls
from sabacc_env.actions import BetSize, encode_bet_sizes
from sabacc_env.agent import Agent
from sabacc_env.game import Game
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_histories import HandHistory, Told


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
