"""The model card of a network in the zoo: how it was trained, and how strong it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from sabacc_env.errors import SabaccError


class _FrozenModel(BaseModel):
    """Immutable plain data; unknown keys are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )


class Margin(_FrozenModel):
    """A margin: the mean over deals in mante/hand, with its 95 % interval."""

    mean: float
    """The hero's mean margin. Each deal is played from every seat."""

    half_width: float
    """Half the width of the 95 % interval."""

    deals: int
    """The number of deals."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def includes_zero(self) -> bool:
        """Whether the interval includes 0, so that the margin proves nobody stronger."""
        return abs(self.mean) <= self.half_width

    def __str__(self) -> str:
        """Return the mean with its interval.

        >>> print(Margin(mean=1234.5, half_width=67.2, deals=10_000))
        +1,234 ± 67
        """
        return f"{self.mean:+z,.0f} ± {self.half_width:,.0f}"


class Result(_FrozenModel):
    """A member's margin over copies of one agent in one game."""

    rules: str
    """The rule set, by its name in the card's ``rules``."""

    num_players: int
    """The number of seats. The member has one; copies of the opponent have the others."""

    opponent: str
    """The opponent's name."""

    margin: Margin
    """The member's margin over it."""


def deal_counts(margins: Iterable[Margin]) -> str:
    """Return the different numbers of deals that margins were measured on, in rising order.

    >>> deal_counts(Margin(mean=1, half_width=2, deals=deals) for deals in (30_000, 3000, 3000))
    '3,000, 30,000'
    """
    return ", ".join(f"{deals:,}" for deals in sorted({margin.deals for margin in margins}))


def describe_response_margin(num_players: int, margin: float) -> str:
    """Return what the margin of a trained best response says about exploitability.

    >>> describe_response_margin(2, 300.0)
    'a lower bound of its exploitability'
    >>> describe_response_margin(2, -300.0)
    'no bound of its exploitability, because it gains nothing'
    """
    if margin <= 0:
        return "no bound of its exploitability, because it gains nothing"
    if num_players == 2:
        return "a lower bound of its exploitability"
    return "the least that one seat can gain against copies of it"


class ExploitabilityBound(_FrozenModel):
    """A lower bound of exploitability: the margin of the strongest opponent found over a member."""

    rules: str
    """The rule set, by its name in the card's ``rules``."""

    num_players: int
    """The number of seats. The opponent has one; copies of the member have the others."""

    depth: float | None = None
    """The credits of every seat at the start of a hand, in antes; None for what the rules give."""

    opponent: str
    """The opponent: the kind of probe, and which of its opponents."""

    margin: Margin
    """Its margin over the member, on deals that nothing was chosen by."""

    command: str
    """The command that measures it again."""

    def has_game_of(self, other: ExploitabilityBound) -> bool:
        """Say whether another bound is of the same game and depth."""
        return (self.rules, self.num_players, self.depth) == (
            other.rules,
            other.num_players,
            other.depth,
        )

    @property
    def sentence(self) -> str:
        """The bound in one sentence."""
        meaning = describe_response_margin(self.num_players, self.margin.mean)
        depth = "" if self.depth is None else f", {self.depth:g} antes deep"
        return (
            f"{self.rules}, {self.num_players} seats{depth}: the strongest opponent found, "
            f"{self.opponent}, wins {self.margin} mante/hand on {self.margin.deals:,} fresh deals, "
            f"{meaning}."
        )


class FoldRate(_FrozenModel):
    """How often a member folds at two seats to an opponent that bets blind."""

    rules: str
    """The rule set, by its name in the card's ``rules``."""

    round: int
    """The round of the bet: 0 the opening bet; 4 the fourth round or a later one."""

    bet_size: str
    """The bet size."""

    fold_rate: float
    """The share of its decisions at which it junks."""

    half_width: float
    """Half the width of the 95 % interval of the fold rate."""

    break_even: float
    """The fold rate at which the bet breaks even at once, even if it loses whenever it is called:
    what the bet risks, over that and the pot that it wins."""

    decisions: int
    """The number of decisions."""

    def __str__(self) -> str:
        """Return the fold rate in percent beside the break-even rate.

        Between them stands on which side of it the whole interval lies, or else ≈.

        >>> common = dict(rules="casino", round=3, bet_size="1", decisions=3000)
        >>> print(FoldRate(**common, fold_rate=0.523, half_width=0.016, break_even=0.5))
        52 ± 2 > 50
        """
        difference = self.fold_rate - self.break_even
        sign = "≈" if abs(difference) <= self.half_width else "<>"[difference > 0]
        rates = (self.fold_rate, self.half_width, self.break_even)
        fold_rate, half_width, break_even = (f"{100 * rate:.0f}" for rate in rates)
        return f"{fold_rate} ± {half_width} {sign} {break_even}"


class ModelCard(_FrozenModel):
    """What is known about a member of the zoo. A card is kept as JSON beside the network."""

    name: str
    """The member's name."""

    weights: str
    """The SHA-256 of the network's file, in hex."""

    rules: dict[str, str]
    """The rule sets that it plays: each one's ``RuleSet.digest`` by the name that results use."""

    num_players: tuple[int, ...]
    """The numbers of seats that it plays at."""

    observation_version: str
    """The ``sabacc_env.observation.observation_version()`` that it was trained on."""

    config: dict[str, Any]
    """The training configuration."""

    seed: int
    """The training seed."""

    decisions: int
    """The number of decisions that it learnt from; of a blueprint, of the walks of its solver; of a
    resolving agent, of those of its blueprint."""

    hours: float
    """The wall-clock hours that training took."""

    retrain: str
    """The command that trains it again."""

    opponents: tuple[str, ...]
    """The agents that it met in training, beside itself."""

    results: tuple[Result, ...] = ()
    """Its margins over other agents."""

    bounds: tuple[ExploitabilityBound, ...] = ()
    """The margins of the strongest opponents found over it."""

    fold_rates: tuple[FoldRate, ...] = ()
    """How often it folds at two seats, in each of its games with betting."""

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the card in a file.

        Raises:
            SabaccError: for a file that cannot be read, or is not a model card.
        """
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError as error:
            raise SabaccError(f"{path}: cannot be read ({error.strerror})") from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the whole"
            raise SabaccError(f"{path}: is not a model card ({where}: {first['msg']})") from None

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

    def folds(self, rules: str) -> dict[int, dict[str, FoldRate]]:
        """Return the fold rates in one of its games, by round, then by bet size."""
        found: dict[int, dict[str, FoldRate]] = {}
        for each in self.fold_rates:
            if each.rules == rules:
                found.setdefault(each.round, {})[each.bet_size] = each
        return found

    @property
    def lowest_result(self) -> Result | None:
        """The result whose interval has the lowest end, or None if there are no results."""
        return min(self.results, key=lambda result: result.margin.low, default=None)

    @property
    def teachers(self) -> tuple[str, ...]:
        """The networks that served as its teachers in training, each once."""
        return tuple(dict.fromkeys(self.config.get("ppo", {}).get("teachers", ())))

    @property
    def learnt_from(self) -> str:
        """What it learnt from, in words."""
        unit = "walks of Monte Carlo CFR" if self._has_blueprint else "decisions"
        return f"{self.decisions:,} {unit}"

    @property
    def sole_opponent(self) -> str:
        """Whom it met in training where it has no ``opponents``, in words."""
        return "the adversary of its abstract game" if self._has_blueprint else "only itself"

    @property
    def _has_blueprint(self) -> bool:
        return not {"walks", "blueprint"}.isdisjoint(self.config)

    @property
    def games_text(self) -> str:
        """The games that it plays, in words."""
        fewest, most = self.num_players[0], self.num_players[-1]
        seats = str(most) if fewest == most else f"{fewest} to {most}"
        return f"{'; '.join(self.rules)}: {seats} players"
