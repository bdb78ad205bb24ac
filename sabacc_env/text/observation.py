"""What one seat may know of a hand, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.arguments import check_bool
from sabacc_env.game.move_codes import move_text
from sabacc_env.game.view import GameView, check_view
from sabacc_env.hand_ranks import rank_hand
from sabacc_env.rules import RuleSet
from sabacc_env.rules.text import page
from sabacc_env.text.course import cards_text, course_lines, move_words, phase_name, player

TEXT_CHARACTERS: Final = "\n" + "".join(map(chr, range(ord(" "), ord("~") + 1)))
"""The characters that a text may have: printable ASCII and the end of a line."""

MAX_TEXT_LENGTH: Final = 16_384
"""The most characters of a text. The course of a hand gets what the rest leaves, and the rest is
less than half of it under any rules."""

_BEFORE_PLAY: Final = ("Antes", "Order of play", "Reveal")
_OF_PHASE: Final = {
    "cards": "Card phase",
    "dice": "Dice phase",
    "betting": "Betting phase",
}
"""The sections of the page of a rule set on how a hand goes, and the one on each phase."""

_CARDS: Final = (
    "Cards are written as sign, value and suit: +3c is plus three of circles, -10t minus ten of "
    "triangles, +1s plus one of squares; 0a and 0b are the Sylops, worth 0. The total closest to 0 "
    "is best; of the hands that total 0, those with a name of their own go first."
)


def observation_text(
    view: GameView,
    *,
    legal_moves: bool = True,
    bet_sizes: Sequence[BetSize] | None = DEFAULT_BET_SIZES,
) -> str:
    """Return what a seat may know, in plain words.

    It says the rules in short, the cards, piles and credits in sight, what has happened (from
    ``view.events``; only the moves, from a view without), and whose turn it is. It has at most
    ``MAX_TEXT_LENGTH`` characters, all in ``TEXT_CHARACTERS``: of a very long hand it leaves out
    what happened first, and says so.

    Args:
        view: the view of the seat, with its events.
        legal_moves: whether to list the seat's legal moves, each with the number of its action,
            and how to answer.
        bet_sizes: what the bet actions mean, those of the environment. None lists the moves of
            ``Game.play`` instead, without numbers and with all totals that a raise may go to.

    Raises:
        SabaccError: for an argument of another kind; names it.

    >>> from sabacc_env import Game
    >>> game = Game("casino", num_players=2, seed=7)
    >>> game.play("draw")
    >>> text = observation_text(game.view(0, events=True))
    >>> print(text[text.index("What has happened") :])
    What has happened:
    You are dealt +5s +8t.
    -5t is turned up on the discard pile.
    Round 1, cards:
    player_0 (you): draw, gets -4t.
    <BLANKLINE>
    Now: round 1, cards. player_1 is to act.
    Your hand: -4t +5s +8t; total +9, Nulrhek.
    Discard pile, the top card last: -5t.
    Draw pile: 56 cards.
    Pot: 4 credits. Sabacc pot: 4.
    player_0 (you): 3 cards, 196 credits (200 before the antes), bet 0 in this phase, 0 in all.
    player_1: dealer, 2 cards, 196 credits (200 before the antes), bet 0 in this phase, 0 in all.
    """
    check_view(view)
    legal_moves = check_bool("legal_moves", legal_moves)
    if bet_sizes is not None:
        encode_bet_sizes(bet_sizes)  # refuses what is not a bet size
    before = "\n".join(_opening(view))
    after = "\n".join([*_position(view), *(_choices(view, bet_sizes) if legal_moves else ())])
    lines = _latest(course_lines(view), MAX_TEXT_LENGTH - len(before) - len(after) - 2)
    return "\n".join([before, *lines, after])


def _latest(lines: list[str], room: int) -> list[str]:
    """Return the last lines that fit into so many characters, and say what was left out."""
    if sum(len(line) + 1 for line in lines) <= room:
        return lines
    note = "What happened (the earliest part is left out):"
    room -= len(note) + 1
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        kept.insert(0, line)
    return [note, *kept]


def _opening(view: GameView) -> Iterator[str]:
    """Yield who plays what."""
    others = "1 other" if view.num_players == 2 else f"{view.num_players - 1} others"
    yield f"You are player_{view.seat} in a hand of Corellian Spike Sabacc with {others}."
    hand, hands = view.episode_position
    if hands > 1:
        yield f"It is hand {hand + 1} of at most {hands}."
    yield " ".join(_sentences(view.rules, *_BEFORE_PLAY))
    yield _CARDS
    yield ""


@lru_cache(maxsize=64)
def _sentences(rules: RuleSet, *titles: str) -> tuple[str, ...]:
    """Return the sentences under some headings of the page of a rule set."""
    return tuple(
        line for section in page(rules) if section.title in titles for line in section.sentences
    )


def _position(view: GameView) -> Iterator[str]:
    """Yield what lies on the table."""
    yield ""
    yield f"Now: {_now(view)}"
    if view.hand:
        yield f"Your hand: {_own_hand(view)}."
    if view.drawn_card is not None:
        yield f"You have drawn {view.drawn_card} and are to say what becomes of it."
    yield f"Discard pile, the top card last: {cards_text(view.discard_pile) or 'empty'}."
    junked = f" {view.num_junked} junked cards lie face down." if view.num_junked else ""
    yield f"Draw pile: {view.draw_pile_size} cards.{junked}"
    if not view.rules.points:
        pots = " + ".join(str(amount) for amount, _ in view.pots)
        sabacc_pot = f" Sabacc pot: {view.sabacc_pot}." if view.rules.sabacc_ante else ""
        yield f"Pot: {pots} credits.{sabacc_pot}"
    for seat in range(view.num_players):
        yield f"{player(view, seat)}: {_seat(view, seat)}."
    if view.net_credits is not None:
        yield from _result(view)


def _now(view: GameView) -> str:
    if view.seat_to_act is None:
        return "the hand is over."
    phase = phase_name(view.round, view.phase)
    phase = phase[0].lower() + phase[1:]
    if view.seat_to_act != view.seat:
        return f"{phase}. {player(view, view.seat_to_act)} is to act."
    cost = min(max(view.bets) - view.bets[view.seat], view.credits[view.seat] or 0)
    call = any(move.kind == "call" for move in view.legal_moves)
    return f"{phase}. You are to act." + (f" To call costs {cost} credits." if call else "")


def _own_hand(view: GameView) -> str:
    assert view.rank is not None
    spike = view.spike_cards[view.seat]
    beside = "" if spike is None else f" with the Spike Card {spike}"
    return f"{cards_text(view.hand)}{beside}; total {view.rank.total:+d}, {view.rank.name}"


def _seat(view: GameView, seat: int) -> str:
    """Say what everyone knows of a seat."""
    facts = ["dealer"] if seat == view.dealer else []
    before, credits = view.credits_before[seat], view.credits[seat]
    if before is not None and before < view.rules.ante_unit:
        facts.append("sits out, unable to pay the antes")
    elif not view.hand_sizes[seat]:
        facts.append("junked")
    else:
        facts.append(f"{view.hand_sizes[seat]} cards")
        if known := view.known_cards[seat]:
            facts.append(f"everyone knows {cards_text(known)}")
        if (spike := view.spike_cards[seat]) is not None:
            facts.append(f"Spike Card {spike}")
    if credits is not None:
        facts.append(f"{credits} credits ({before} before the antes)")
        facts.append(f"bet {view.bets[seat]} in this phase, {view.bets_of_hand[seat]} in all")
    return ", ".join(facts)


def _result(view: GameView) -> Iterator[str]:
    """Yield how the hand ended."""
    assert view.net_credits is not None
    assert view.winners is not None
    for seat, hand in view.revealed_hands.items():
        spike = view.spike_cards[seat]
        cards = [*hand, *([] if spike is None else [spike])]
        rank = rank_hand(cards, ranking=view.rules.ranking)
        yield f"{player(view, seat)} reveals {cards_text(cards)}: {rank.total:+d}, {rank.name}."
    for (amount, _), winner in zip(view.pots, view.winners, strict=True):
        yield f"{player(view, winner)} wins a pot of {amount}."
    unit = "points" if view.rules.points else "credits"
    net = ", ".join(f"player_{seat} {won:+d}" for seat, won in enumerate(view.net_credits))
    yield f"Won and lost in {unit}: {net}."


def _choices(view: GameView, bet_sizes: Sequence[BetSize] | None) -> Iterator[str]:
    """Yield how the phase goes, the legal moves, and how to answer."""
    if not view.legal_moves:
        return
    yield ""
    junking = ["Junking"] if any(move.kind == "junk" for move in view.legal_moves) else []
    rules = _sentences(view.rules, _OF_PHASE[view.phase], *junking)
    yield " ".join(["How this phase goes:", *rules])
    if bet_sizes is None:
        yield "Your legal moves:"
        yield from map(move_text, view.legal_moves)
        yield f'Answer with one of them, such as "{move_words(view.legal_moves[0])}".'
        return
    yield "Your legal moves, each with its number:"
    for action, move in view.legal_actions(bet_sizes).items():
        yield f"{action}: {move_words(move)}"
    yield f'Answer with one of them, such as "{move_words(view.legal_moves[0])}", or its number.'
