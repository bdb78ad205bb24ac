"""The settings that environments with one learner's seat share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.arguments import check_keywords, check_max_tokens
from sabacc_env.envs.observation_forms import MASKED, Observation, ObservationForm
from sabacc_env.envs.opponents import AnyOpponents, Opponents
from sabacc_env.envs.start_ranges import Range, StartRanges
from sabacc_env.errors import SabaccError
from sabacc_env.hand_histories import HandRecorder
from sabacc_env.rules import RuleSet
from sabacc_env.rules.space import RuleSpace


class EpisodeKeywords(TypedDict, total=False):
    """The fields of ``EpisodeSettings`` as keywords of an environment, each optional."""

    opponents: AnyOpponents
    weights: Sequence[float] | None
    hands: int
    bet_sizes: Sequence[BetSize]
    stacks: Range | None
    equal_stacks: float
    sabacc_pots: Range | None
    observation: Observation
    max_tokens: int | None
    record_hands: str | Path | None
    record_every: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeSettings:
    """Against whom a learner plays, for how long, from what start, and what it observes.

    ``Sabacc-v0``, its vector form and ``SabaccVecEnv`` take these as keywords.

    Attributes:
        opponents: who plays the other seats: an agent as an object, or by the name that it is
            registered under, or several; each seat draws its own when an episode starts.
        weights: how often each of them is drawn, in proportion; None is equally often.
        hands: hands in an episode (see ``Tables``).
        bet_sizes: what the bet actions mean (docs/reference/actions.md).
        stacks: least and most credits of a seat at the start of an episode, in antes, drawn
            evenly; None is what the rules say.
        equal_stacks: the share of episodes, from 0 to 1, whose seats start with the same credits.
        sabacc_pots: least and most credits in the Sabacc pot then, in antes; None is none.
        observation: the form of observations: ``"flat"``; ``"planes"``; ``"tokens"``; ``"text"``;
            ``"dict"``, which is ``observation``, flat, and ``action_mask``; the name of a block of
            the flat observation; or a mapping from names of your own to such pieces, of which
            ``"action_mask"`` is one (``ObservationForm``).
        max_tokens: the length of ``"tokens"``; None is one that nearly all hands fit into.
        record_hands: a file to which hands are added as they end (``sabacc_env.hand_histories``);
            None is none.
        record_every: 1 for all hands, 2 for every second one, and so on.
    """

    opponents: AnyOpponents = "random"
    weights: Sequence[float] | None = None
    hands: int = 1
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES
    stacks: Range | None = None
    equal_stacks: float = 0.0
    sabacc_pots: Range | None = None
    observation: Observation = "flat"
    max_tokens: int | None = None
    record_hands: str | Path | None = None
    record_every: int = 1

    def make_opponents(
        self, rules: RuleSet | RuleSpace, num_tables: int, num_players: int
    ) -> Opponents:
        """Return the agents that play the other seats of so many tables."""
        return Opponents(
            rules, num_tables, num_players, self.bet_sizes, self.opponents, self.weights
        )

    def make_observation_form(self, num_players: int) -> ObservationForm:
        """Return the form of the learner's observations at tables with so many seats."""
        encode_bet_sizes(self.bet_sizes)  # refuses what is not a bet size
        length = check_max_tokens(self.max_tokens, num_players)
        return ObservationForm(self.observation, self.bet_sizes, length, MASKED)

    def make_recorder(self) -> HandRecorder | None:
        """Return what records hands; None where none are to be recorded."""
        return HandRecorder.of(self.record_hands, self.record_every, self.bet_sizes)

    def make_start_ranges(self, rules: RuleSet | RuleSpace, num_players: int) -> StartRanges:
        """Return what episodes start from."""
        if isinstance(rules, RuleSpace):
            for name in ("stacks", "sabacc_pots"):
                if getattr(self, name) is not None:
                    raise SabaccError(
                        f"{name}: episodes that draw their rules start with what the rules say"
                    )
            rules = rules.episode_rules(0, num_players)
        return StartRanges(rules, num_players, self.stacks, self.equal_stacks, self.sabacc_pots)


def episode_settings(
    environment: type[object], **keywords: Unpack[EpisodeKeywords]
) -> EpisodeSettings:
    """Return the settings that an environment was given as keywords.

    Raises:
        TypeError: for an unknown keyword; names it and the environment.
    """
    check_keywords(environment, keywords, EpisodeKeywords.__annotations__)
    return EpisodeSettings(**keywords)
