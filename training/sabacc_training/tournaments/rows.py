"""The rows of a tournament's results: what ``results.json`` and the CSV files hold."""

from __future__ import annotations

from typing import Any, Final

from sabacc_env.engine.layout import KINDS
from sabacc_training.evaluation.rows import MarginRow, PairRow, Row
from sabacc_training.tournaments.play_statistics import MAX_TOTAL, ROUNDS
from sabacc_training.tournaments.ratings import Measure

UNIT: Final = "mante/hand: thousandths of hand ante + Sabacc ante, a hand"


class AgentRow(Row):
    """An agent that took part."""

    agent: str
    spec: str
    """What ``sabacc_agents.load`` takes to build it."""

    sha256: str
    """Of the file that it is made of, as it was when the results were computed: a saved agent, the
    source of a class, the program or script of a process. Empty for a registered agent."""


class StandingRow(MarginRow):
    """The standing of an agent in a format, in mante/hand.

    The margin is that over its opponents, averaged over all its tables deal by deal. All tables
    play the same deals, so the interval over deals accounts for what they have in common.
    """

    half_width_all: float
    """Half the width of a 95 % interval that holds together with those of all other agents."""

    p_value: float
    """Against the margin 0, corrected for all agents."""

    hands: int
    """How many hands it played."""

    rank: float | None
    """Of matches, its mean place, 1 for the first; None for single hands."""

    rank_half_width: float | None

    failures: int
    """How often a default was played in its place."""

    seen_in_training: bool
    """Whether it met an opponent, or an opponent met it, in training."""


class RatingRow(Row):
    """The value of an agent by another measure than its margin; margins come first."""

    about = "format", "measure", "agent"

    format: str

    measure: Measure
    """``bradley_terry`` (pairs) and ``plackett_luce`` (mixed tables): a rating on Elo's scale;
    ``nash_weight`` and ``nash_margin``, in mante/hand: Nash averaging of pairs; ``alpha_rank``."""

    agent: str
    value: float

    low: float | None
    """The lower end of the 95 % interval; None where there is none."""

    high: float | None


class PlaceRow(MarginRow):
    """The margin of one place of a table over the mean of the others, in mante/hand."""

    about = "format", "table", "place", "agent"

    table: int
    """The number of the table in its format."""

    place: int

    single_sd: float
    saving: float | None
    """As of ``PairRow``."""

    rank: float | None
    rank_half_width: float | None

    rank_counts: tuple[int, ...]
    """Of matches, how often it came first, second, ...; a shared rank counts as the better."""

    hands: int
    """The hands of this table, in all rotations."""


class FailureRow(Row):
    """How often an agent failed in one way; the default was played in its place."""

    agent: str
    kind: str
    count: int
    decisions: int
    """All its decisions."""

    restarts: int
    """How often its process was started again, by whatever failure."""

    example: str
    """The first message of this kind."""


class UsageRow(Row):
    """What a language model was asked, and what that used up."""

    agent: str

    decisions: int
    """All its decisions."""

    requests: int
    """Requests that were sent, those after an error included."""

    refused: int
    """Answers that were no legal move, or could not be read."""

    prompt_tokens: int
    completion_tokens: int

    uncounted: int
    """Answers whose tokens the endpoint did not tell."""

    cost: float
    """What the tokens cost at the prices of its spec; 0 where it has none."""


class Play(Row):
    """How an agent played, at all its tables of one format."""

    format: str
    agent: str

    moves: tuple[tuple[tuple[int, ...], ...], ...]
    """Counts by round, by the total of its hand without the sign, by kind of move."""

    moves_by_hand: tuple[tuple[int, ...], ...]
    """Counts by what its hand would have ranked, by kind of move."""

    reveals: tuple[tuple[int, int], ...]
    """Of each kind of hand: how often it was revealed, how often it won the main pot."""


class CostlyHand(Row):
    """A hand in which an agent won less than all did with the same cards; of a match its worst."""

    format: str
    lineup: tuple[str, ...]
    deal: int
    rotation: int

    place: int
    """The place in the lineup that lost."""

    cost: float
    """What it won less than the mean of all places on the same seat of this deal, in credits; of a
    match in the whole match."""

    hand: dict[str, Any]
    """What ``Game.to_dict`` describes, without the rules."""


class Results(Row):
    """The results of a tournament."""

    unit: str = UNIT
    config: dict[str, Any]

    version: str
    """The version of sabacc-env that played."""

    rules_digest: str
    """A hash of the rule set, which tells house rules of one name apart."""

    agents: tuple[AgentRow, ...]
    """As the configuration lists them."""

    value_function: str
    """SHA-256 of the value function of control variates; "" where there was none."""

    deals: int
    """The deals of every table."""

    pairs: tuple[PairRow, ...]
    ranking: tuple[StandingRow, ...]
    """By format, best first."""

    ratings: tuple[RatingRow, ...]
    """By format and measure, best first; of a hundred deals or more."""

    places: tuple[PlaceRow, ...]
    failures: tuple[FailureRow, ...]

    usage: tuple[UsageRow, ...]
    """Of each agent that is a language model."""

    rounds: tuple[str, ...] = ROUNDS
    totals: tuple[int, ...] = tuple(range(MAX_TOTAL + 1))
    kinds: tuple[str, ...] = KINDS
    hand_names: tuple[str, ...]
    """The names of the axes of counts in ``play``."""

    play: tuple[Play, ...]
    costly_hands: tuple[CostlyHand, ...]
    """Of each table, the worst first."""

    @property
    def lacks_empirical_game(self) -> bool:
        """Whether pairs of some format are rated, but not by Nash averaging and α-rank.

        Of two agents there is nothing to average; of more, OpenSpiel was not there, or failed.
        """
        rated = [(row.format, row.measure) for row in self.ratings]
        return any(
            rated.count((row.format, "bradley_terry")) > 2
            and (row.format, "nash_weight") not in rated
            for row in self.ratings
        )
