"""What environments return as an observation: one piece, or a dict of pieces by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from sabacc_env.actions import BetSize, num_actions
from sabacc_env.engine.observation.blocks import LARGEST_FEATURE, OBSERVATION_SIZE
from sabacc_env.engine.observation.planes import PLANES_SHAPE
from sabacc_env.engine.observation.vocabulary import VOCABULARY_SIZE
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.observation import BLOCKS, blocks
from sabacc_env.rules.wording import did_you_mean
from sabacc_env.tables.settings import ARRAY_FORMS
from sabacc_env.text import MAX_TEXT_LENGTH, TEXT_CHARACTERS, observation_text

Observation = str | Mapping[str, str]
"""The name of a form, or a mapping from names of your own to pieces."""

BLOCK_PIECES: Final = {block.name: block.name for block in BLOCKS}
"""The blocks of the flat observation, each by its own name."""

MASKED: Final = {"observation": "flat", "action_mask": "action_mask"}
"""What a PettingZoo environment observes, for a single-agent environment."""

BESIDE_FLAT: Final = tuple(form for form in ARRAY_FORMS if form != "flat")
"""The pieces that tables write beside the flat observation."""


TEXTS: Final = {"text": True, "text_without_actions": False}
"""The pieces that are text, and whether they list the legal actions."""


class ObservationForm:
    """The form of an environment's observations, by name.

    A piece is ``"flat"``, the row of ``OBSERVATION_SIZE`` features; the name of a block of it;
    ``"planes"``, the cards as (place, suit, value); ``"tokens"``, all that a seat has been told of
    its hand, in order (docs/reference/observation.md describes them); ``"text"``, what it may know
    in plain words, its legal actions listed; ``"text_without_actions"``, which withholds them; or
    ``"action_mask"``. A form is one piece; or ``"dict"``; or a mapping from any names to pieces,
    which makes a dict of them.

    Args:
        observation: the form.
        bet_sizes: what the bet actions mean.
        max_tokens: the length of ``"tokens"``.
        pieces: what ``"dict"`` means in this environment.

    Raises:
        SabaccError: for an unknown form or piece.

    Attributes:
        pieces: the pieces by the names that users gave them; None where the form is one piece.
        names: the names of all pieces in it.
        max_tokens: as given.
        space: the space of one observation.
    """

    def __init__(
        self,
        observation: Observation,
        bet_sizes: Sequence[BetSize],
        max_tokens: int,
        pieces: Mapping[str, str],
    ) -> None:
        self.max_tokens = max_tokens
        self._bet_sizes = bet_sizes
        self._spaces = _piece_spaces(num_actions(bet_sizes), max_tokens)
        self.pieces: dict[str, str] | None = None
        if isinstance(observation, str) and observation == "dict":
            observation = pieces
        if isinstance(observation, Mapping):
            self.pieces = self._check_pieces(observation)
            self.names = set(self.pieces.values())
            self.space: spaces.Space[Any] = spaces.Dict(
                {name: self._spaces[piece] for name, piece in self.pieces.items()}
            )
        else:
            self._piece = self._check_piece(observation, ["dict"])
            self.names = {self._piece}
            self.space = self._spaces[self._piece]

    def _check_pieces(self, observation: Mapping[Any, Any]) -> dict[str, str]:
        if not observation or not all(isinstance(name, str) for name in observation):
            raise SabaccError(
                "observation: give a form, or a mapping from names to pieces such as "
                f"{dict(MASKED)}"
            )
        return {name: self._check_piece(piece) for name, piece in observation.items()}

    def _check_piece(self, piece: object, more: list[str] | None = None) -> str:
        known = [*(more or []), *self._spaces]
        if isinstance(piece, str) and piece in self._spaces:
            return piece
        raise SabaccError(
            f"observation: {short_repr(piece)} is unknown{did_you_mean(piece, known)}; use one of "
            f"{', '.join(known)}"
        )

    @property
    def is_flat(self) -> bool:
        """Whether an observation is the flat row and nothing else."""
        return self.pieces is None and self._piece == "flat"

    @property
    def needs_flat(self) -> bool:
        """Whether the flat observation is a piece, or one of its blocks is."""
        return not self.names <= {*BESIDE_FLAT, *TEXTS, "action_mask"}

    @property
    def array_form(self) -> str:
        """The form that tables have to write: flat, or one that it needs beside it.

        Raises:
            SabaccError: for both of them.
        """
        needed = self.names.intersection(BESIDE_FLAT)
        if len(needed) > 1:
            raise SabaccError("observation: many tables write planes or tokens, not both")
        return needed.pop() if needed else "flat"

    def build(self, arrays: Mapping[str, Any]) -> Any:
        """Return an observation, or a batch of them.

        Args:
            arrays: by name ``flat``, ``action_mask``, and each other piece that is no block.
        """
        if self.pieces is None:
            return _piece(self._piece, arrays)
        return {name: _piece(piece, arrays) for name, piece in self.pieces.items()}

    def of_game(
        self, game: Game, seat: int, flat: NDArray[np.float32], action_mask: NDArray[np.int8]
    ) -> Any:
        """Return what a seat observes of a game, whose flat observation and mask these are."""
        if self.is_flat:  # as it nearly always is
            return flat
        arrays: dict[str, Any] = {"flat": flat, "action_mask": action_mask}
        if "planes" in self.names:
            arrays["planes"] = game.planes(seat)
        if "tokens" in self.names:
            arrays["tokens"] = game.tokens(seat, self.max_tokens)
        return self.build(arrays | self.texts_of(game, seat))

    @property
    def texts(self) -> list[str]:
        """The names of the pieces that are text."""
        return [name for name in TEXTS if name in self.names]

    def texts_of(self, game: Game, seat: int) -> dict[str, str]:
        """Return the pieces that are text, of what a seat observes of a game, by name."""
        if not self.texts:
            return {}
        view = game.view(seat, events=True)
        return {
            name: observation_text(view, legal_moves=TEXTS[name], bet_sizes=self._bet_sizes)
            for name in self.texts
        }


def _piece(name: str, arrays: Mapping[str, Any]) -> Any:
    """Return a piece of one observation or of a batch: given as it is, or a block."""
    return arrays[name] if name in arrays else getattr(blocks(arrays["flat"]), name)


def _piece_spaces(num_actions: int, max_tokens: int) -> dict[str, spaces.Space[Any]]:
    """Return the space of each piece by its name."""

    def features(*shape: int) -> spaces.Box:
        return spaces.Box(-LARGEST_FEATURE, LARGEST_FEATURE, shape, np.float32)

    return {
        "flat": features(OBSERVATION_SIZE),
        "planes": spaces.Box(0, 1, PLANES_SHAPE, np.int8),
        "tokens": spaces.Box(0, VOCABULARY_SIZE - 1, (max_tokens,), np.int16),
        **{name: spaces.Text(MAX_TEXT_LENGTH, charset=TEXT_CHARACTERS) for name in TEXTS},
        "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
        **{block.name: features(*block.shape) for block in BLOCKS},
    }
