"""Recording hands as they end: every hand of a table, or every n-th."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from sabacc_env.actions import BetSize
from sabacc_env.arguments import check_int
from sabacc_env.game import Game
from sabacc_env.hand_histories.files import HandHistoryWriter
from sabacc_env.hand_histories.history import HandHistory


class HandRecorder:
    """Writes every n-th of the hands that end to a file, the first one included.

    Args:
        path: the file, to which hands are added.
        every: 1 for every hand, 2 for every second one, and so on.
        bet_sizes: what the players can bet, where they choose from bet sizes.

    Attributes:
        hands: how many hands have ended.

    Raises:
        SabaccError: for a file that hands cannot be added to.

    >>> import tempfile
    >>> from sabacc_env.hand_histories import read_hand_histories
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     recorder = HandRecorder(f"{folder}/hands.jsonl", every=2)
    ...     for seed in range(3):
    ...         game = Game("casino", num_players=2, seed=seed)
    ...         while game.seat_to_act is not None:
    ...             game.play(game.legal_moves()[0])
    ...         recorder.hand_ended(game, seed=seed)
    ...     [hand.origin["seed"] for hand in read_hand_histories(f"{folder}/hands.jsonl")]
    [0, 2]
    """

    def __init__(
        self, path: str | Path, every: int = 1, bet_sizes: Sequence[BetSize] | None = None
    ) -> None:
        self.every = check_int("record_every", every, 1, 2**62)
        self.hands = 0
        self._bet_sizes = bet_sizes
        self._writer = HandHistoryWriter(path)

    @classmethod
    def of(
        cls, path: str | Path | None, every: int, bet_sizes: Sequence[BetSize] | None = None
    ) -> Self | None:
        """Return a recorder, or None where there is no path; a wrong ``every`` is refused then."""
        check_int("record_every", every, 1, 2**62)
        return None if path is None else cls(path, every, bet_sizes)

    def hand_ended(self, game: Game, names: Sequence[str] | None = None, **origin: Any) -> None:
        """Count a hand that has ended, and write it if it is due; arguments as of ``write``."""
        if self.due(1):
            self.write(game, names, **origin)

    def due(self, count: int) -> range:
        """Count so many hands that have ended; return which of them are due, from 0."""
        first = -self.hands % self.every
        self.hands += count
        return range(first, count, self.every)

    def write(self, game: Game, names: Sequence[str] | None = None, **origin: Any) -> None:
        """Write a hand.

        Args:
            game: the hand, which is over.
            names: the name of each seat; by default ``player_0`` and so on.
            origin: where it was played, for readers: numbers and texts by name.

        Raises:
            SabaccError: as ``HandHistory.from_game``, and where the file cannot be written.
        """
        self._writer.write(
            HandHistory.from_game(game, names, bet_sizes=self._bet_sizes, origin=origin)
        )
