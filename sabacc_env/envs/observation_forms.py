"""What environments return as an observation: one piece, or a dict of pieces by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from sabacc_env.engine.observation.blocks import LARGEST_FEATURE, OBSERVATION_SIZE
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.observation import BLOCKS, blocks
from sabacc_env.rules.wording import did_you_mean

Observation = str | Mapping[str, str]
"""The name of a form, or a mapping from names of your own to pieces."""

BLOCK_PIECES: Final = {block.name: block.name for block in BLOCKS}
"""The blocks of the flat observation, each by its own name."""

MASKED: Final = {"observation": "flat", "action_mask": "action_mask"}
"""What a PettingZoo environment observes, for a single-agent environment."""


class ObservationForm:
    """The form of an environment's observations, by name.

    A piece is ``"flat"``, the row of ``OBSERVATION_SIZE`` features; the name of a block of it
    (docs/reference/observation.md); or ``"action_mask"``. A form is one piece; or ``"dict"``; or a
    mapping from any names to pieces, which makes a dict of them.

    Args:
        observation: the form.
        num_actions: the length of an action mask.
        pieces: what ``"dict"`` means in this environment.

    Raises:
        SabaccError: for an unknown form or piece.

    Attributes:
        pieces: the pieces by the names that users gave them; None where the form is one piece.
        space: the space of one observation.
    """

    def __init__(
        self, observation: Observation, num_actions: int, pieces: Mapping[str, str]
    ) -> None:
        self._spaces = _piece_spaces(num_actions)
        self.pieces: dict[str, str] | None = None
        if isinstance(observation, str) and observation == "dict":
            observation = pieces
        if isinstance(observation, Mapping):
            self.pieces = self._check_pieces(observation)
            self.space: spaces.Space[Any] = spaces.Dict(
                {name: self._spaces[piece] for name, piece in self.pieces.items()}
            )
        else:
            self._piece = self._check_piece(observation, ["dict"])
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

    def build(self, piece: Callable[[str], Any]) -> Any:
        """Return an observation, or a batch of them.

        Args:
            piece: returns a piece by its name.
        """
        if self.pieces is None:
            return piece(self._piece)
        return {name: piece(its) for name, its in self.pieces.items()}


def _piece_spaces(num_actions: int) -> dict[str, spaces.Space[Any]]:
    """Return the space of each piece by its name."""

    def features(*shape: int) -> spaces.Box:
        return spaces.Box(-LARGEST_FEATURE, LARGEST_FEATURE, shape, np.float32)

    return {
        "flat": features(OBSERVATION_SIZE),
        "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
        **{block.name: features(*block.shape) for block in BLOCKS},
    }


def get_piece(name: str, flat: Any, action_mask: Any) -> Any:
    """Return a piece of one observation or of a batch, out of the rows and masks given."""
    if name == "action_mask":
        return action_mask
    return flat if name == "flat" else getattr(blocks(flat), name)
