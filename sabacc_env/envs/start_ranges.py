"""What episodes start from where it is drawn: credits and Sabacc pots, from ranges in antes."""

from __future__ import annotations

import numpy as np

from sabacc_env.arguments import check_number, check_sequence
from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import UNLIMITED
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet

Range = tuple[float, float]
"""The least and the most of something, in antes."""


class StartRanges:
    """What the seats start an episode with, where it is drawn rather than as the rules say.

    Args:
        rules: the rules to be played.
        num_players: seats at a table.
        stacks: least and most credits of a seat, in antes, drawn evenly; None is as the rules say.
        equal_stacks: the share of episodes, from 0 to 1, whose seats start with the same credits.
        sabacc_pots: least and most credits in the Sabacc pot, in antes; None is none.

    Raises:
        SabaccError: for anything that is not a range, or what these rules do not have.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        stacks: Range | None,
        equal_stacks: float,
        sabacc_pots: Range | None,
    ) -> None:
        self._rules = rules
        self._num_players = num_players
        self._equal = check_number("equal_stacks", equal_stacks)
        if not 0 <= self._equal <= 1:
            raise SabaccError(f"equal_stacks: {self._equal} is not a share from 0 to 1")
        self._set(stacks, sabacc_pots)

    def change(self, stacks: Range | None, sabacc_pots: Range | None) -> None:
        """Draw from these ranges from now on.

        Raises:
            SabaccError: as the class, and for None in place of a range or the other way round.
        """
        for name, before, given in (
            ("stacks", self._stacks, stacks),
            ("sabacc_pots", self._pots, sabacc_pots),
        ):
            if (before is None) != (given is None):
                raise SabaccError(f"{name}: a range cannot become None, nor None a range")
        self._set(stacks, sabacc_pots)

    def _set(self, stacks: Range | None, sabacc_pots: Range | None) -> None:
        if stacks is not None and self._rules.points:
            raise SabaccError(f"stacks: the rules {self._rules.name!r} are played for points")
        if sabacc_pots is not None and not self._rules.sabacc_ante:
            raise SabaccError(f"sabacc_pots: the rules {self._rules.name!r} have no Sabacc pot")
        unit = self._rules.ante_unit
        ranges = _credits("stacks", stacks, 1, unit), _credits("sabacc_pots", sabacc_pots, 0, unit)
        self._stacks, self._pots = ranges

    @property
    def are_given(self) -> bool:
        """Whether there is a range, so that something is drawn."""
        return self._stacks is not None or self._pots is not None

    def draw(self, count: int, rng: np.random.Generator) -> dict[str, Ints]:
        """Draw for so many tables what is not as the rules say.

        Returns:
            ``credits`` (count, num_players) and ``sabacc_pots`` (count,), where there is a range.
        """
        drawn = {}
        if self._stacks is not None:
            size = count, self._num_players
            if self._equal == 1:
                stacks = rng.integers(*self._stacks, (count, 1), endpoint=True)
                drawn["credits"] = np.broadcast_to(stacks, size).copy()
            else:
                drawn["credits"] = rng.integers(*self._stacks, size, endpoint=True)
            if 0 < self._equal < 1:
                alike = rng.random(count) < self._equal
                drawn["credits"][alike] = drawn["credits"][alike, :1]
        if self._pots is not None:
            drawn["sabacc_pots"] = rng.integers(*self._pots, count, endpoint=True)
        return drawn


def _credits(
    name: str, antes: Range | None, smallest: int, ante_unit: int
) -> tuple[int, int] | None:
    """Return the least and most whole credits of a range in antes."""
    if antes is None:
        return None
    ends = check_sequence(name, antes)
    if len(ends) != 2:
        raise SabaccError(f"{name}: give two numbers of antes, least and most")
    least, most = (check_number(name, end) for end in ends)
    largest = UNLIMITED // ante_unit
    if not smallest <= least <= most <= largest:
        raise SabaccError(
            f"{name}: {least} to {most} is not a range of antes from {smallest} to {largest}"
        )
    return round(least * ante_unit), round(most * ante_unit)
