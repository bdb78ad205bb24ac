"""A state of OpenSpiel as bytes or JSON text, and back.

Both hold the game with its rules in full, the history, what a sampled hand drew, and the table that
this led to. Whoever reads them plays the history again, and checks that it leads there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import pyspiel

from sabacc_env.adapters.openspiel.hands import SampledHand
from sabacc_env.adapters.openspiel.settings import NAME, PARAMETERS, text_of_rules
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.storage.checksums import (
    content_error,
    pack_with_checksum,
    seal_text,
    unpack_checked,
    unseal_text,
)

if TYPE_CHECKING:
    from sabacc_env.adapters.openspiel.game import SabaccState

FORMAT: Final = b"sabacc-openspiel-state 1\n"
TEXT_FORMAT: Final = "sabacc-openspiel-state-json 1"


def state_to_bytes(state: SabaccState) -> bytes:
    """Return a state as bytes."""
    return pack_with_checksum(FORMAT, _content(state), b"")


def state_from_bytes(data: bytes) -> SabaccState:
    """Return the state that ``state_to_bytes`` wrote.

    Raises:
        SabaccError: for bytes of something else, of another version, damaged, or cut short, and
            for a state that its history does not lead to.
    """
    content, _ = unpack_checked(FORMAT, data)
    return _restored(content, lambda what: content_error(FORMAT, what))


def state_to_text(state: SabaccState) -> str:
    """Return a state as JSON text."""
    return seal_text(TEXT_FORMAT, _content(state))


def state_from_text(text: str) -> SabaccState:
    """Return the state that ``state_to_text`` wrote.

    Raises:
        SabaccError: as ``state_from_bytes``.
    """
    return _restored(
        unseal_text(TEXT_FORMAT, text),
        lambda what: SabaccError(f"this text of the format {TEXT_FORMAT!r} holds {what}"),
    )


def _content(state: SabaccState) -> dict[str, Any]:
    game, hand = state.get_game(), state.hand
    rules = json.loads(game.settings.rules.canonical())
    return {
        "game": PARAMETERS | game.get_parameters() | {"rules": rules},
        "history": state.history(),
        "drawn": hand.drawn if isinstance(hand, SampledHand) else None,
        "table": _table(state),
    }


def _table(state: SabaccState) -> dict[str, Any] | None:
    game = state.hand.game
    return None if game is None else game.to_dict()["state"]


def _restored(content: dict[str, Any], error: Callable[[str], SabaccError]) -> SabaccState:
    match content:
        case {"game": {"rules": dict() as rules, **others}, "history": list() as history}:
            rule_set = RuleSet.from_canonical(json.dumps(rules))
        case _:
            raise error("an incomplete description of a state")
    parameters = {**others, "rules": text_of_rules(rule_set)}
    if _types(parameters) != _types(PARAMETERS):
        raise error("no parameters of a game")
    if not all(type(event) is int and 0 <= event < 2**31 for event in history):
        raise error("a history that no hand can have")
    state: SabaccState = pyspiel.load_game(NAME, parameters).new_initial_state()
    if isinstance(state.hand, SampledHand):
        state.hand = state.hand.begun_with(**_checked_draw(content.get("drawn"), error))
    try:
        for event in history:
            state.apply_action(event)
    except IllegalMove as illegal:
        raise error(f"a history that cannot be played: {illegal}") from None
    if _table(state) != content.get("table"):
        raise error("a table that its history does not lead to")
    return state


def _types(parameters: Mapping[Any, Any]) -> dict[Any, type]:
    return {name: type(value) for name, value in parameters.items()}


def _checked_draw(drawn: Any, error: Callable[[str], SabaccError]) -> dict[str, Any]:
    """Return the arguments of ``Game`` that a sampled hand drew; ``Game`` checks most of them."""
    match drawn:
        case {"seed": int()} if len(drawn) == 1:
            return dict(drawn)
        case {"deck": list(), "dice": list() | None, "key": int()} if len(drawn) == 3:
            return dict(drawn)
    raise error("no seed of a hand")
