"""Where an environment stands, as a value: kept, copied, written to a file, gone back to."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, Self

import numpy as np

from sabacc_env.actions import BetSize
from sabacc_env.arguments import check_int
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.rules import RuleSet
from sabacc_env.rules.space import RuleSpace
from sabacc_env.storage.checksums import (
    content_error,
    pack_with_checksum,
    seal_text,
    unpack_checked,
    unseal_text,
)
from sabacc_env.storage.plain_data import from_json_data, to_json_data
from sabacc_env.tables.saving import TablesState

FORMAT: Final = b"sabacc-state 1\n"
Types = Mapping[str, type | tuple[type, ...]]
"""The types of values by name."""

TEXT_FORMAT: Final = "sabacc-state-json 1"


class SavedState:
    """Where an environment stands; ``restore_state`` of one that is made alike goes on from there.

    ``save_state`` of an environment returns one. It never changes, and it can be copied, pickled,
    and restored any number of times.

    Attributes:
        kind: the class of the environment.
        made: the arguments that the environments must share, by name.
        values: what ``restore_state`` reads.
        is_loaded: whether it comes from bytes or text, so that the values must be checked.
    """

    __slots__ = ("is_loaded", "kind", "made", "values")

    def __init__(
        self, kind: str, made: dict[str, Any], values: dict[str, Any], *, is_loaded: bool = False
    ) -> None:
        self.kind, self.made, self.values = kind, made, values
        self.is_loaded = is_loaded

    def to_bytes(self) -> bytes:
        """Return the state as bytes.

        Raises:
            SabaccError: where an opponent remembers what is neither plain data nor an array.
        """
        return pack_with_checksum(FORMAT, self._content(), b"")

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the state whose ``to_bytes`` these are.

        Raises:
            SabaccError: for bytes of something else, of another version, damaged, or cut short.
        """
        content, _ = unpack_checked(FORMAT, data)
        return cls._loaded(content, lambda what: content_error(FORMAT, what))

    def to_json(self) -> str:
        """Return the state as JSON text, with a format version and a checksum.

        Raises:
            SabaccError: as ``to_bytes``.
        """
        return seal_text(TEXT_FORMAT, self._content())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the state whose ``to_json`` this is.

        Raises:
            SabaccError: for text of something else, of another version, changed, or cut short.
        """
        content = unseal_text(TEXT_FORMAT, text)
        return cls._loaded(
            content,
            lambda what: SabaccError(f"this text of the format {TEXT_FORMAT!r} holds {what}"),
        )

    def _content(self) -> dict[str, Any]:
        values = dict(self.values)
        game, tables = values.pop("game", None), values.get("tables")
        if isinstance(tables, TablesState):
            values["tables"] = tables.to_bytes()
        try:
            content = {"kind": self.kind, "made": self.made, "values": to_json_data(values)}
        except TypeError as error:
            raise SabaccError(f"state: it cannot be written: {error}") from None
        return content if game is None else content | {"game": json.loads(game.to_json())}

    @classmethod
    def _loaded(cls, content: dict[str, Any], error: Callable[[str], SabaccError]) -> Self:
        match content:
            case {"kind": str() as kind, "made": dict() as made, "values": dict() as data}:
                pass
            case _:
                raise error("an incomplete description of a state")
        try:
            values = from_json_data(data)
        except (ValueError, RecursionError) as wrong:
            raise error(str(wrong)) from None
        if not isinstance(values, dict):
            raise error("an incomplete description of a state")
        if "game" in content:
            values["game"] = Game.from_json(json.dumps(content["game"]))
        return cls(kind, made, values, is_loaded=True)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedState) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<SavedState of {self.kind}>"


def made_from(
    rules: RuleSet | RuleSpace, num_players: int, hands: int, bet_sizes: tuple[BetSize, ...]
) -> dict[str, Any]:
    """Return the arguments that environments must share to go on from each other's states."""
    described = rules.identity() if isinstance(rules, RuleSpace) else json.loads(rules.canonical())
    return {
        "rules": described,
        "num_players": num_players,
        "hands": hands,
        "bet_sizes": [size if isinstance(size, str) else float(size) for size in bet_sizes],
    }


def check_array(name: str, value: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """Refuse what is no array of this type and shape."""
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != shape:
        raise SabaccError(f"state: its {name} must be {np.dtype(dtype)} of shape {shape}")


def check_types(values: dict[str, Any], types: Types) -> None:
    """Refuse values of other names or types than these; a bool is no whole number."""
    if set(values) != set(types) or not all(
        isinstance(values[name], kind) and (kind is bool or not isinstance(values[name], bool))
        for name, kind in types.items()
    ):
        raise SabaccError("state: this is not what save_state returned")


def check_generator_state(rng: np.random.Generator, state: Any) -> None:
    """Refuse what a generator of this kind cannot be set to."""
    try:
        type(rng.bit_generator)().state = state
    except (KeyError, TypeError, ValueError, OverflowError):
        raise SabaccError("state: its rng is not a state of this kind of generator") from None


class StateKeeper:
    """Makes and takes the saved states of one environment, and keeps earlier ones for ``undo``.

    Args:
        kind: the class of the environment.
        made: the arguments that the environments must share, by name.
        undo_steps: how many steps can be taken back.

    Attributes:
        keeps_steps: whether any can.
    """

    def __init__(self, kind: str, made: dict[str, Any], undo_steps: int) -> None:
        self._kind, self._made = kind, made
        most = check_int("undo_steps", undo_steps, 0, 2**31)
        self.keeps_steps = most > 0
        self._earlier: deque[dict[str, Any]] = deque(maxlen=most)

    def save(self, values: dict[str, Any]) -> SavedState:
        """Return a state of these values."""
        return SavedState(self._kind, self._made, values)

    def values_of(
        self, state: SavedState, check: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        """Return the values of a state.

        Args:
            state: what the user gave.
            check: refuses values that the environment cannot have.

        Raises:
            SabaccError: if it is none, or of another kind, or of other arguments.
        """
        if not isinstance(state, SavedState):
            raise SabaccError(f"state: {short_repr(state)} is not what save_state returned")
        if state.kind != self._kind:
            raise SabaccError(
                f"state: it is of a {short_repr(state.kind)}, and this is a {self._kind!r}"
            )
        for name, own in self._made.items():
            its = state.made.get(name)
            if its != own and name == "rules":
                its = its.get("name") if isinstance(its, dict) else its
                raise SabaccError(
                    f"state: its rules, {short_repr(its)}, are not the rules of this environment"
                )
            if its != own:
                raise SabaccError(
                    f"state: it has {name} {short_repr(its)}, and this environment has {own}"
                )
        if state.is_loaded:
            check(state.values)
        return state.values

    def keep(self, values: dict[str, Any]) -> None:
        """Keep the values of before a step that was played."""
        self._earlier.append(values)

    def forget_steps(self) -> None:
        """Forget all of them: another episode begins."""
        self._earlier.clear()

    def before_last_step(self) -> dict[str, Any]:
        """Return the values of before the last step; ``forget_last_step`` forgets them.

        Raises:
            SabaccError: where there are none.
        """
        if not self.keeps_steps:
            raise SabaccError("undo: no steps are kept; make the environment with undo_steps=1")
        if not self._earlier:
            raise SabaccError("undo: no earlier step since the last reset is kept")
        return self._earlier[-1]

    def forget_last_step(self) -> None:
        """Forget the values of before the last step, which was taken back."""
        self._earlier.pop()
