"""The messages of the line protocol: one JSON object a line, UTF-8 (docs/your-own-agent.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.external.line_process import ProcessFailedError
from sabacc_agents.saved_files import bet_sizes_as_json
from sabacc_env.actions import FIRST_BET, BetSize, action_names
from sabacc_env.cards import Card
from sabacc_env.errors import short_repr
from sabacc_env.game.view import GameView
from sabacc_env.rules import RuleSet

PROTOCOL: Final = 1
"""The version of the protocol, which rises when a process of before could not follow."""

MAX_NAME: Final = 100
"""The most characters of a name."""


def line_of(message: dict[str, Any]) -> bytes:
    r"""Return a message as the line that is sent.

    >>> line_of({"type": "restart", "tables": [3]})
    b'{"type":"restart","tables":[3]}\n'
    """
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def hello(rules: RuleSet, num_players: int, bet_sizes: Sequence[BetSize]) -> dict[str, Any]:
    """Return the first message: which game is played."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "rules": json.loads(rules.canonical()),
        "rules_digest": rules.digest,
        "num_players": num_players,
        "bet_sizes": bet_sizes_as_json(bet_sizes),
        "actions": action_names(bet_sizes),
    }


def situation(
    view: GameView,
    action_mask: NDArray[np.int8],
    bet_sizes: Sequence[BetSize],
    names: Sequence[str],
) -> dict[str, Any]:
    """Return what the seat to act may know and do, as plain data; docs/your-own-agent.md says what.

    Args:
        view: the view of the seat to act.
        action_mask: (num_actions,), its legal actions.
        bet_sizes: what the bet actions mean.
        names: ``action_names`` of them.
    """
    legal = np.flatnonzero(action_mask).tolist()
    moves = view.legal_actions(bet_sizes) if legal[-1] >= FIRST_BET else {}
    return {
        "seat": view.seat,
        "dealer": view.dealer,
        "round": view.round,
        "phase": view.phase,
        "hand": _texts(view.hand),
        "total": view.rank.total if view.rank else None,
        "hand_name": view.rank.name if view.rank else None,
        "drawn_card": _text(view.drawn_card),
        "spike_cards": list(map(_text, view.spike_cards)),
        "discard_pile": _texts(view.discard_pile),
        "draw_pile_size": view.draw_pile_size,
        "num_junked": view.num_junked,
        "seen_cards": _texts(view.seen_cards),
        "hand_sizes": view.hand_sizes,
        "known_cards": list(map(_texts, view.known_cards)),
        "remaining": view.remaining,
        "dice": view.dice,
        "credits": view.credits,
        "credits_before": view.credits_before,
        "bets": view.bets,
        "bets_of_hand": view.bets_of_hand,
        "pots": view.pots,
        "sabacc_pot": view.sabacc_pot,
        "hand_number": view.episode_position[0],
        "hands": view.episode_position[1],
        "history": [[seat, str(move)] for seat, move in view.history],
        "taken_discards": list(map(_text, view.taken_discards)),
        "legal": [names[action] for action in legal],
        "raise_to": {names[a]: moves[a].amount for a in legal if a >= FIRST_BET},
    }


def _text(card: Card | None) -> str | None:
    return None if card is None else str(card)


def _texts(cards: Iterable[Card]) -> list[str]:
    return list(map(str, cards))


# What a process answers.


def read_line(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line.

    Raises:
        ProcessFailedError: for anything else.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = short_repr(line[:60].decode(errors="replace"))
        raise ProcessFailedError("unreadable", f"it wrote {shown}, which is not a JSON object")
    return found


def read_hello(answer: dict[str, Any]) -> tuple[str, bool]:
    """Return the name that a process gives itself, and whether it tells its probabilities.

    Raises:
        ProcessFailedError: for an answer that is not in this protocol.
    """
    name, told = answer.get("name"), answer.get("probabilities", False)
    if answer.get("type") != "hello" or answer.get("protocol") != PROTOCOL:
        raise ProcessFailedError(
            "unreadable",
            f'it must first write {{"type": "hello", "protocol": {PROTOCOL}, "name": ...}}, not '
            f"{short_repr(answer)}",
        )
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise ProcessFailedError(
            "unreadable",
            f"its name is {short_repr(name)}; use 1 to {MAX_NAME} printable characters",
        )
    if not isinstance(told, bool):
        raise ProcessFailedError(
            "unreadable", f'it answers "probabilities": {short_repr(told)}; use true or false'
        )
    return name, told


def read_id(answer: dict[str, Any]) -> int | None:
    """Return the number of the request that an answer belongs to; 3.0 is 3."""
    number = answer.get("id")
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def read_action(action: object, names: Sequence[str]) -> int | None:
    """Return the number of an action, legal or not, given by name or number; None for no action.

    >>> read_action("draw", ["stand", "draw"]), read_action(0, ["stand", "draw"])
    (1, 0)
    """
    if isinstance(action, str) and action in names:
        return names.index(action)
    if isinstance(action, int) and not isinstance(action, bool) and 0 <= action < len(names):
        return action
    return None


def read_probabilities(shares: object, names: Sequence[str]) -> NDArray[np.float64] | None:
    """Return (num_actions,) numbers given by name, the others 0; None for anything else.

    >>> read_probabilities({"draw": 1}, ["stand", "draw"])
    array([0., 1.])
    """
    if not isinstance(shares, dict) or not shares.keys() <= set(names):
        return None
    numbers = [shares.get(name, 0) for name in names]
    if not all(isinstance(each, int | float) and abs(each) <= 1 for each in numbers):
        return None
    return np.array(numbers, dtype=np.float64)
