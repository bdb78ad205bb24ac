"""The card of a member of the zoo: how it was made, and how strong it was found to be."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from sabacc_env.errors import SabaccError


class _Plain(BaseModel):
    """Plain data: frozen, typed strictly, nothing unknown in it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )


class Margin(_Plain):
    """A mean over deals, in mante/hand: thousandths of hand ante + Sabacc ante, a hand."""

    mean: float
    """The hero's margin; each deal is played from every seat."""

    half_width: float
    """Half the width of its 95 % interval."""

    deals: int
    """How many deals it is the mean of."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def open(self) -> bool:
        """Whether the interval includes 0: nobody was shown to be ahead."""
        return abs(self.mean) <= self.half_width

    def __str__(self) -> str:
        """Return the mean with its interval.

        >>> print(Margin(mean=1234.5, half_width=67.2, deals=10_000))
        +1,234 ± 67
        """
        return f"{self.mean:+z,.0f} ± {self.half_width:,.0f}"


class Result(_Plain):
    """What a member won from others: its margin over copies of one agent, in one game."""

    rules: str
    """The game, as the card's ``rules`` call it."""

    num_players: int
    """Seats: one for the member, all others for copies of the opponent."""

    opponent: str
    """The opponent's name."""

    margin: Margin
    """The member's margin over it."""


def deals_of(margins: Iterable[Margin]) -> str:
    """Return over how many deals margins were measured, the fewest first.

    >>> deals_of(Margin(mean=1, half_width=2, deals=deals) for deals in (30_000, 3000, 3000))
    '3,000, 30,000'
    """
    return ", ".join(f"{deals:,}" for deals in sorted({margin.deals for margin in margins}))


def what_a_response_gains(num_players: int, margin: float) -> str:
    """Return what the margin of a trained best response means at so many seats.

    >>> what_a_response_gains(2, 300.0)
    'a lower bound of its exploitability'
    >>> what_a_response_gains(2, -300.0)
    'no bound of its exploitability, for it gains nothing'
    """
    if margin <= 0:
        return "no bound of its exploitability, for it gains nothing"
    if num_players == 2:
        return "a lower bound of its exploitability"
    return "what one seat gains against copies of it, at least"


class Bound(_Plain):
    """A lower bound of exploitability: what a best response wins that was trained against it."""

    rules: str
    """The game, as the card's ``rules`` call it."""

    num_players: int
    """Seats: one for the best response, all others for copies of the member."""

    decisions: int
    """The budget: decisions that each best response was trained for."""

    seeds: tuple[int, ...]
    """A best response was trained from each; ``margin`` is the best one's, on fresh deals."""

    margin: Margin
    """The best response's margin over the member."""

    command: str
    """The command that trains and measures it again."""

    def is_of(self, other: Bound) -> bool:
        """Say whether another one is of the same game."""
        return (self.rules, self.num_players) == (other.rules, other.num_players)

    @property
    def sentence(self) -> str:
        """What it says."""
        meaning = what_a_response_gains(self.num_players, self.margin.mean)
        return (
            f"{self.rules}, {self.num_players} seats: the best of {len(self.seeds)} responses "
            f"trained against it for {self.decisions:,} decisions each wins "
            f"{self.margin} mante/hand on {self.margin.deals:,} fresh deals, {meaning}."
        )


class Card(_Plain):
    """A member of the zoo in plain data."""

    name: str
    """The member's name."""

    weights: str
    """SHA-256 of the file of its network, in hex."""

    rules: dict[str, str]
    """The rule sets that it plays, the first its own: the digest of each by what results call it
    (``RuleSet.digest``)."""

    num_players: tuple[int, ...]
    """The numbers of seats that it plays at."""

    observation_version: str
    """What the numbers mean that it observes (``sabacc_env.observation.observation_version``)."""

    config: dict[str, Any]
    """The configuration that it was trained by."""

    seed: int
    """The seed that it was trained from."""

    decisions: int
    """How many decisions it learnt from."""

    hours: float
    """How long that took, by the clock."""

    retrain: str
    """The command that trains it again."""

    opponents: tuple[str, ...]
    """Whom it met in training, beside itself."""

    results: tuple[Result, ...] = ()
    """What it won from whom."""

    bounds: tuple[Bound, ...] = ()
    """What best responses won from it."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the card in a file.

        Raises:
            SabaccError: for a file that cannot be read, or is no card.
        """
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise SabaccError(f"{path}: cannot be read ({error.strerror})") from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the whole"
            raise SabaccError(f"{path}: is no card of the zoo ({where}: {first['msg']})") from None

    def text(self) -> str:
        """Return the card as the text of its file."""
        return self.model_dump_json(indent=2) + "\n"

    def margins(self, rules: str) -> dict[str, dict[int, Margin]]:
        """Return the margins in one of its games, by the opponent's name, then by seats."""
        found: dict[str, dict[int, Margin]] = {}
        for result in self.results:
            if result.rules == rules:
                found.setdefault(result.opponent, {})[result.num_players] = result.margin
        return found

    @property
    def least(self) -> Result | None:
        """The result whose interval reaches lowest; None where there are no results."""
        return min(self.results, key=lambda result: result.margin.low, default=None)

    @property
    def teachers(self) -> tuple[str, ...]:
        """The networks that it was drawn to in training, each once."""
        return tuple(dict.fromkeys(self.config.get("ppo", {}).get("teachers", ())))

    @property
    def plays(self) -> str:
        """The games that it plays, in words."""
        fewest, most = self.num_players[0], self.num_players[-1]
        seats = str(most) if fewest == most else f"{fewest} to {most}"
        return f"{'; '.join(self.rules)}: {seats} players"
