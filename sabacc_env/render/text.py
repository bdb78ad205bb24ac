"""Writes one table as plain text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sabacc_env.render import point_of_view

if TYPE_CHECKING:
    from sabacc_env.game.game import Game


def render_text(game: Game, seat: int | None = None) -> str:
    """Return the table as text: everything, or only what one seat may know.

    >>> from sabacc_env import Game
    >>> print(render_text(Game("casino", 2, seed=3, dealer=0), seat=1))
    casino · round 1 · cards · pot 4 · Sabacc pot 4
    dice: none rolled · draw pile 57 · discard -6c
      player_0  D  196 credits  bet 0  ?? ??
    > player_1     196 credits  bet 0  -6s -4t = -10 (Nulrhek)
    """
    seat = point_of_view.checked_seat(game, seat)
    seats = range(game.num_players)
    rolled = " ".join(f"{first}-{second}" for first, second in game.dice) or "none rolled"
    top = game.discard_pile[-1] if game.discard_pile else "empty"
    pot = sum(amount for amount, _ in game.pots)
    phase = f"{game.rules.name} · round {game.round} · {game.phase}"
    lines = [
        f"{phase} · pot {pot} · Sabacc pot {game.sabacc_pot}",
        f"dice: {rolled} · draw pile {game.draw_pile_size} · discard {top}",
    ]
    lines += [_seat_line(game, other, shown=seat in (None, other)) for other in seats]
    if game.net_credits is not None:
        won = ", ".join(f"player_{other} {game.net_credits[other]:+d}" for other in seats)
        lines.append(f"net credits: {won}")
    return "\n".join(lines)


def _seat_line(game: Game, seat: int, *, shown: bool) -> str:
    marker = ">" if seat == game.seat_to_act else " "
    dealer = "D" if seat == game.dealer else " "
    credits = game.credits[seat]
    money = "" if credits is None else f"{credits} credits  bet {game.bets[seat]}  "
    return f"{marker} player_{seat}  {dealer}  {money}{_hand(game, seat, shown=shown)}".rstrip()


def _hand(game: Game, seat: int, *, shown: bool) -> str:
    hand, spike = game.hands[seat], game.spike_cards[seat]
    if not hand:
        return "junked" if game.credits[seat] is None or seat in game.seated else "out"
    beside = "" if spike is None else f" | {spike}"
    if not shown and not (game.revealed and seat in game.remaining):
        known = game.known_cards(
            seat
        )  # first: their slots in the sorted hand would reveal the others
        faces = [*map(str, known), *["??"] * (len(hand) - len(known))]
        return " ".join(faces) + beside
    rank = game.rank(seat)
    assert rank is not None
    drawn = game.drawn_card
    looking = f" looking at {drawn}" if drawn is not None and seat == game.seat_to_act else ""
    return f"{' '.join(map(str, hand))}{beside} = {rank.total:+d} ({rank.name}){looking}"
