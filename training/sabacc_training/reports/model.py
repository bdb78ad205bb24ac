"""What a report shows, as plain validated data, wherever it comes from.

Figures are in mante/hand (thousandths of an ante a hand) and half widths those of 95 % intervals,
where no field says otherwise. Names of agents are text that anyone may have written: nothing here
trusts them.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import Field, model_validator

from sabacc_env.errors import SabaccError
from sabacc_env.storage.strict_model import StrictModel

VERSION: Final = 1
"""The version of ``report.json``; it rises when a field changes its meaning or goes away."""

Phase = Literal["cards", "dice", "betting"]


class Part(StrictModel):
    """Base of every part of a report."""


class Interval(Part):
    """A mean and half the width of its 95 % interval.

    >>> Interval(mean=120.0, half_width=30.0).tells_from_zero
    True
    """

    mean: float
    half_width: float = Field(ge=0)

    @property
    def tells_from_zero(self) -> bool:
        """Whether the interval excludes zero."""
        return abs(self.mean) > self.half_width


class Figure(Part):
    """One figure twice: as it was played, and with the luck that can be computed taken out."""

    raw: Interval
    """From the net credits alone."""

    reduced: Interval | None = None
    """With control variates for chance; None where the tournament was played without them."""

    @property
    def best(self) -> Interval:
        """The reduced figure, or else the raw one."""
        return self.reduced or self.raw


class Game(Part):
    """The game that was played."""

    rules: str
    """The name of the rule set."""

    rules_digest: str
    """A hash of the rule set, which tells house rules of one name apart."""

    hands_of_episode: int = Field(1, ge=1)
    """Hands played from one deal: 1, or the most hands of a match."""

    bet_sizes: tuple[str, ...]
    """What the bet actions mean."""

    ante_unit: int = Field(ge=1)
    """Credits in one ante of the unit: hand ante + Sabacc ante; points for a game of points."""


class Entry(Part):
    """An agent that took part."""

    name: str
    """Its name in this report."""

    spec: str
    """What ``sabacc_agents.load`` takes to build it."""

    digest: str = ""
    """SHA-256 of the file that it is made of; "" for a registered agent."""


class Standing(Part):
    """The standing of one agent in a format."""

    agent: str

    margin: Figure
    """What it wins more than its opponents, averaged over all of them."""

    hands: int = Field(ge=1)
    """The hands that it played."""

    hand_sd: float = Field(ge=0)
    """Standard deviation of its margin in one hand; of matches, as if their hands were
    independent."""

    luck_taken_out: float | None = Field(None, le=1)
    """The share of a deal's variance that control variates take out: below 0, they add some."""

    met_in_training: bool = False
    """Whether it met an opponent, or an opponent met it, in training."""

    mean_place: float | None = None
    """Of matches: its place on average; 1 is the first."""


class Pair(Part):
    """The margin of one agent over another."""

    agent: str
    opponent: str
    margin: Figure
    met_in_training: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """The names of both."""
        return self.agent, self.opponent


class FormatResults(Part):
    """What was won in one format of tables."""

    name: str
    """``pairs``, ``copies-4``, ``mixed-6``."""

    kind: Literal["pairs", "copies", "mixed"]
    """Two agents; one against copies of another; tables of different agents."""

    seats: int = Field(ge=2, le=8)

    deals: int = Field(ge=0)
    """The deals of each table of agents; every one is played in each rotation of the seats."""

    hands: int = Field(ge=0)
    """All hands of all tables."""

    standings: tuple[Standing, ...]
    """Best first."""

    pairs: tuple[Pair, ...] = ()
    """Of ``pairs`` each pair once. Of ``copies`` each ordered pair: one agent over copies of the
    other. Empty for mixed tables."""

    all_pairs_factor: float | None = None
    """What to multiply a pair's ± by, so that all pairs hold together with 95 %."""


class MoveCount(Part):
    """How often an agent made one kind of move in one situation."""

    agent: str

    phase: Phase

    round: str
    """Such as "round 1"."""

    total: int = Field(ge=0)
    """How far the total of its hand was from zero; far ones count as one."""

    move: str
    """The kind of move, as in ``sabacc_env.moves.Move.kind``."""

    count: int = Field(ge=1)


class HandMoveCount(Part):
    """How often an agent made one kind of move with one kind of hand."""

    agent: str

    phase: Phase

    hand: str
    """The name of its hand."""

    move: str
    count: int = Field(ge=1)


class HandCount(Part):
    """How often an agent held one kind of hand at a reveal."""

    agent: str

    hand: str
    """The name of the hand."""

    shown: int = Field(ge=0)

    won: int = Field(ge=0)
    """How often it won the main pot with it."""


class Rating(Part):
    """The value of one agent in a second view of the results."""

    agent: str
    value: float

    low: float | None = None
    """The lower end of its 95 % interval; None for a view that has none."""

    high: float | None = None
    """The upper end."""


class SecondView(Part):
    """The same results by another measure, such as a rating."""

    name: str

    meaning: str
    """One or two sentences: what the values are, and their unit."""

    ratings: tuple[Rating, ...] = ()
    """Best first."""


class Failure(Part):
    """What an agent did wrong: the default was played in its place."""

    agent: str

    kind: str
    """What went wrong, such as "illegal action"."""

    count: int = Field(ge=1)

    decisions: int = Field(ge=1)
    """All its decisions."""

    restarts: int = Field(0, ge=0)
    """How often its process was started again, by whatever failure."""

    example: str = ""
    """The first such error, in words."""


class ModelUsage(Part):
    """What a language model was asked, and what that used up."""

    agent: str

    decisions: int = Field(ge=1)
    """All its decisions."""

    requests: int = Field(ge=0)
    """Requests that were sent, those after an error included."""

    refused: int = Field(ge=0)
    """Answers that were no legal move, or could not be read."""

    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)

    uncounted: int = Field(ge=0)
    """Answers whose tokens the endpoint did not tell."""

    cost: float = Field(ge=0)
    """What the tokens cost at the prices of its spec; 0 where it has none."""


class CostlyHand(Part):
    """A hand in which an agent won much less than its cards were worth, move by move.

    Of a match it is the hand in which the agent lost most.
    """

    agents: tuple[str, ...]
    """Who sat where, by seat."""

    seat: int = Field(ge=0)
    """The seat of that agent."""

    cost: float
    """What it won less than all agents of the table did on average with the same cards, from the
    same seat of the same deal, in credits; of a match in the whole match."""

    deal: int = Field(ge=0)
    """The number of the deal in the tournament."""

    net_credits: tuple[int, ...]
    """What each seat won or lost."""

    history: dict[str, Any]
    """The hand as ``Game.to_dict`` describes it and ``sabacc_env.game.replay`` plays it again."""

    @property
    def opponents(self) -> list[str]:
        """The other agents, each once."""
        others = [name for seat, name in enumerate(self.agents) if seat != self.seat]
        return list(dict.fromkeys(others))


class InputFile(Part):
    """A file that the report was made from."""

    name: str
    sha256: str


class Origin(Part):
    """How the results were made, and how to make them again."""

    command: str
    """The command, to be run in the folder of the tournament."""

    config: str
    """The whole configuration, as the JSON of ``config.json``."""

    seed: int

    versions: dict[str, str]
    """Versions of what played: sabacc-env, Python, NumPy, ..."""

    files: tuple[InputFile, ...]

    hours: float | None = Field(None, ge=0)
    """Processor hours of all tasks together; None where the folder does not say."""


class Report(Part):
    """A whole report.

    The sections that a tournament has no data for are empty, and the page says so.
    """

    version: Literal[1] = VERSION

    title: str
    game: Game

    agents: tuple[Entry, ...]
    """As the configuration lists them."""

    formats: tuple[FormatResults, ...] = ()

    moves: tuple[MoveCount, ...] = ()
    """How the agents play, over all formats."""

    moves_by_hand: tuple[HandMoveCount, ...] = ()

    shown_hands: tuple[HandCount, ...] = ()

    hand_names: tuple[str, ...] = ()
    """The names of the hands in the order of their rank, best first."""

    views: tuple[SecondView, ...] = ()

    failures: tuple[Failure, ...] = ()

    usage: tuple[ModelUsage, ...] = ()
    """Of the agents that are language models."""

    costly_hands: tuple[CostlyHand, ...] = ()
    """The costliest first."""

    origin: Origin

    missing: tuple[str, ...] = ()
    """Sentences about what the folder lacks: deals, undamaged files, the agents that played."""

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [entry.name for entry in self.agents]
        for name in names:
            if names.count(name) > 1:
                raise SabaccError(f"agents: two have the name {name!r}")
        mentioned = [
            *(row.agent for each in self.formats for row in each.standings),
            *(name for each in self.formats for row in each.pairs for name in row.names),
            *(count.agent for count in self.moves),
            *(count.agent for count in self.moves_by_hand),
            *(count.agent for count in self.shown_hands),
            *(failure.agent for failure in self.failures),
            *(usage.agent for usage in self.usage),
            *(rating.agent for view in self.views for rating in view.ratings),
            *(name for hand in self.costly_hands for name in hand.agents),
        ]
        for name in dict.fromkeys(mentioned):
            if name not in names:
                raise SabaccError(f"{name!r}: is in a result, but not among the agents")
        return self
