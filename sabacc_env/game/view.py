"""What one seat may know of a hand in play, as plain immutable data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.cards import Card
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.events import Event, events_of
from sabacc_env.game.legal_actions import legal_actions
from sabacc_env.hand_ranks import HandRank
from sabacc_env.moves import Move, Turn
from sabacc_env.rules import RuleSet

if TYPE_CHECKING:
    from sabacc_env.game.game import Game


@dataclass(frozen=True, slots=True)
class GameView:
    """Exactly what ``seat`` may know, and nothing else: ``Game.view(seat)``.

    Attributes:
        seat: whose view this is.
        rules: the rule set in play.
        num_players, dealer, seat_to_act, phase, round, remaining, dice, episode_position: as of
            ``Game``.
        hand: the seat's own cards in slot order.
        rank: what that hand would rank now, None without one.
        drawn_card: the card being decided on, if the decision is this seat's.
        hand_sizes: how many cards each seat holds.
        known_cards: for each seat the cards that everyone knows it holds (taken face up).
        spike_cards: each seat's face-up Spike Card, or None.
        discard_pile: the face-up discards, top last.
        draw_pile_size, num_junked: how many cards lie face down in either place.
        seen_cards: the cards this seat has seen and that were not shuffled away since, by id.
        credits, bets, bets_of_hand, pots, sabacc_pot: as of ``Game``, in credits.
        credits_before: each seat's credits before the antes; None for points.
        legal_moves: this seat's legal moves; empty when it is not to act.
        history: the moves so far.
        taken_discards: the card that each of them took off the discard pile; None for most.
        net_credits, winners, revealed: as of ``Game``.
        revealed_hands: after a reveal, the hands of the seats that remained, by seat.
        events: with ``Game.view(seat, events=True)``, all that the seat saw happen since the deal,
            its own draws included. None without, and where it is not known: in views that agents
            are given, which have the history, and of games copied from tables without histories.
    """

    seat: int
    rules: RuleSet
    num_players: int
    dealer: int
    seat_to_act: int | None
    phase: str
    round: int
    remaining: tuple[int, ...]
    dice: tuple[tuple[int, int], ...]
    episode_position: tuple[int, int]
    hand: tuple[Card, ...]
    rank: HandRank | None
    drawn_card: Card | None
    hand_sizes: tuple[int, ...]
    known_cards: tuple[tuple[Card, ...], ...]
    spike_cards: tuple[Card | None, ...]
    discard_pile: tuple[Card, ...]
    draw_pile_size: int
    num_junked: int
    seen_cards: tuple[Card, ...]
    credits: tuple[int | None, ...]
    bets: tuple[int, ...]
    bets_of_hand: tuple[int, ...]
    pots: tuple[tuple[int, tuple[int, ...]], ...]
    sabacc_pot: int
    credits_before: tuple[int | None, ...]
    legal_moves: tuple[Move, ...]
    history: tuple[Turn, ...]
    taken_discards: tuple[Card | None, ...]
    net_credits: tuple[int, ...] | None
    winners: tuple[int, ...] | None
    revealed: bool
    revealed_hands: dict[int, tuple[Card, ...]]
    events: tuple[Event, ...] | None = None

    def legal_actions(self, bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES) -> dict[int, Move]:
        """Return the legal discrete actions in ascending order, and the move that each makes.

        Args:
            bet_sizes: what the bet actions mean; those of the environment.

        >>> from sabacc_env import Game
        >>> actions = Game("casino", num_players=2, seed=7).view(0).legal_actions()
        >>> print(*(f"{action}: {move}" for action, move in actions.items()), sep=", ")
        0: stand, 1: draw, 9: discard_draw +5s, 10: discard_draw +8t, 14: swap +5s, 15: swap +8t
        """
        return legal_actions(self, bet_sizes)

    @classmethod
    def of(cls, game: Game, seat: int, *, events: bool = False) -> GameView:
        """Take from a game what a seat may know."""
        to_act = game.seat_to_act == seat
        net, winners = game.net_credits, game.winners
        return cls(
            seat=seat,
            rules=game.rules,
            num_players=game.num_players,
            dealer=game.dealer,
            seat_to_act=game.seat_to_act,
            phase=game.phase,
            round=game.round,
            remaining=game.remaining,
            dice=tuple(game.dice),
            episode_position=game.episode_position,
            hand=tuple(game.hands[seat]),
            rank=game.rank(seat),
            drawn_card=game.drawn_card if to_act else None,
            hand_sizes=tuple(len(hand) for hand in game.hands),
            known_cards=tuple(tuple(game.known_cards(s)) for s in range(game.num_players)),
            spike_cards=tuple(game.spike_cards),
            discard_pile=tuple(game.discard_pile),
            draw_pile_size=game.draw_pile_size,
            num_junked=len(game.junked_cards),
            seen_cards=tuple(game.seen_cards(seat)),
            credits=tuple(game.credits),
            bets=tuple(game.bets),
            bets_of_hand=tuple(game.bets_of_hand),
            pots=tuple(game.pots),
            sabacc_pot=game.sabacc_pot,
            credits_before=tuple(game.credits_before),
            legal_moves=tuple(game.legal_moves()) if to_act else (),
            history=game.history,
            taken_discards=game.taken_discards,
            net_credits=None if net is None else tuple(net),
            winners=None if winners is None else tuple(winners),
            revealed=game.revealed,
            revealed_hands={s: tuple(game.hands[s]) for s in game.remaining}
            if game.revealed
            else {},
            events=events_of(game, seat) if events else None,
        )


def check_view(view: object) -> None:
    """Refuse what is no view, in one sentence."""
    if not isinstance(view, GameView):
        raise SabaccError(f"view: {short_repr(view)} is not a view; give what Game.view returns")
