"""The validated, immutable description of the rules that the engine plays (RULES.md section 8).

Each field's docstring gives its meaning, its unit and its section of RULES.md. The reference page
shows it, and it is the field's ``description`` at run time.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Self, get_args

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from sabacc_env.cards import HIGHEST_VALUE, NUM_SUITS, SYLOPS, Card, deck
from sabacc_env.errors import RulesError, short_repr
from sabacc_env.rules import checks, wording
from sabacc_env.rules.choices import CardAction, JunkTime, Phase, Ranking, Redraw, ShortCall
from sabacc_env.rules.fees import Fees
from sabacc_env.rules.limits import MAX_CREDITS, MAX_HAND, MAX_ROUNDS, MAX_SEATS

_Seats = Annotated[int, Field(ge=2, le=MAX_SEATS)]
_Credits = Annotated[int, Field(ge=0, le=MAX_CREDITS)]

LABELS: Final = ("name", "title", "source")
"""The fields that describe a rule set and have no effect on play."""


def _sort_actions(actions: tuple[CardAction, ...]) -> tuple[CardAction, ...]:
    """Sort card actions, because their order in a description has no meaning."""
    return tuple(sorted(actions, key=get_args(CardAction).index))


class RuleSet(BaseModel):
    """Everything that decides how a hand is played, resolved to what the engine needs.

    Fields left out have the values of ``casino``. Three kinds of amount may follow ``hand_ante``
    instead of being fixed: ``starting_credits`` left out is 100 hand antes, and ``bet_step`` and
    each fee may be given as the word ``"ante"``; ``min_bet`` and ``min_raise`` left out are one
    ``bet_step``. The attributes hold the numbers that result; ``replace`` derives them anew.

    Rule sets compare and hash by the values of their fields, and can be copied and pickled.

    Raises:
        RulesError: if the rules cannot be played (RULES.md section 8). The message is one
            sentence that starts with the field at fault.

    >>> rules = RuleSet(bet_step="ante", hand_ante=5)
    >>> rules.bet_step, rules.min_bet, rules.starting_credits
    (5, 5, 500)
    >>> RuleSet(rounds=0)
    Traceback (most recent call last):
    sabacc_env.errors.RulesError: rounds: 0 is too small; use 1 to 8
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )

    name: str = "house"
    """The rule set's short name, one line of text; a label without effect on play."""

    title: str = ""
    """Its full name for readers; a label without effect on play."""

    source: str = ""
    """Where the rules come from; a label without effect on play."""

    seats: tuple[_Seats, _Seats] = (2, MAX_SEATS)
    """The least and the most seats at a table, 2 to 8 (RULES.md section 1)."""

    highest_value: int = Field(HIGHEST_VALUE, ge=1, le=HIGHEST_VALUE)
    """The highest card value: each suit has +1 to +this and -1 to -this (RULES.md section 1)."""

    suits: int = Field(NUM_SUITS, ge=1, le=NUM_SUITS)
    """Suits in the deck: triangle, square, circle, in that order (RULES.md section 1)."""

    sylops: int = Field(len(SYLOPS), ge=0, le=len(SYLOPS))
    """Sylops in the deck, cards of value 0 without a suit (RULES.md section 1)."""

    rounds: int = Field(3, ge=1, le=MAX_ROUNDS)
    """Rounds in a hand (RULES.md section 2)."""

    cards_dealt: int = Field(2, ge=1, le=MAX_HAND)
    """Cards dealt to each seat before round 1, a Spike Card not counted (RULES.md section 1)."""

    hand_ante: int = Field(2, ge=1, le=MAX_CREDITS)
    """Credits each seat pays into the hand pot; "ante" in rules means this (RULES.md section 2)."""

    sabacc_ante: int = Field(2, ge=0, le=MAX_CREDITS)
    """Credits each seat pays into the Sabacc pot; 0 = no Sabacc pot (RULES.md section 2)."""

    starting_credits: _Credits | tuple[_Credits, ...] | None = None
    """Credits at the start of a match: one number for all, or one for each seat, seat 0 first
    (a list then also limits the most seats). None = points: no credits, a hand is played for one
    point a seat; written ``"points"`` in a file. Left out: 100 hand antes (RULES.md section 2)."""

    phases: tuple[Phase, ...] = ("cards", "dice", "betting")
    """The phases of each round in order: "cards", "dice", "betting", each at most once
    (RULES.md section 2)."""

    opening_bet: bool = False
    """Whether a betting phase comes before round 1 (RULES.md section 2)."""

    card_actions: Annotated[tuple[CardAction, ...], AfterValidator(_sort_actions)] = (
        "stand",
        "draw",
        "discard_draw",
        "swap",
    )
    """The moves of a card phase: "stand" (always), "draw" (gain, buy from the deck),
    "buy_discard", "discard_draw", "swap"; and what may be decided on a drawn card after it is
    seen: "replace" a hand card, "replace_spike", "discard_drawn" (RULES.md section 3)."""

    fees: Fees = Fees()
    """Credits into the hand pot for "draw", "buy_discard", "discard_draw" or "swap"; an action
    not listed is free, and ``"ante"`` means one hand ante (RULES.md section 3)."""

    look_then_discard: bool = False
    """Whether a card just drawn may be discarded after it is seen (RULES.md section 3, D19)."""

    doubles: Redraw = "redraw_one"
    """What doubles that are not Spikes do to each remaining seat: "none", "redraw_one" (discard
    a card of its choice and draw one), "redraw_all" (the whole hand) (RULES.md section 4)."""

    double_spike: Redraw = "redraw_all"
    """What a double Spike does: as ``doubles``, and "redraw_all" takes the Spike Card along where
    there is one (RULES.md section 4)."""

    junk_when: JunkTime = "facing_bet"
    """When a seat may junk: at a betting turn facing a bet, at any betting turn, or in the card
    phase (RULES.md section 5)."""

    junk_penalty: int = Field(0, ge=0, le=MAX_CREDITS)
    """Credits a junking seat pays into the pot, or what it has left if less (RULES.md section 5,
    D20)."""

    junk_face_up: bool = False
    """Whether junked cards go face up on the discard pile, not unseen under it (RULES.md
    section 5)."""

    short_call: ShortCall = "all_in"
    """What a seat that cannot pay a call does: call with what it has left, or junk (RULES.md
    section 5, D6)."""

    bet_step: int = Field(1, ge=1, le=MAX_CREDITS)
    """Credits that every bet and raise is a multiple of; ``"ante"`` means one hand ante (RULES.md
    section 5)."""

    min_bet: int = Field(1, ge=1, le=MAX_CREDITS)
    """Credits of the smallest first bet of a phase. Left out: one ``bet_step`` (RULES.md
    section 5)."""

    max_bet: int | None = Field(None, ge=1, le=MAX_CREDITS)
    """Credits of the largest first bet of a phase; None = no limit (RULES.md section 5)."""

    min_raise: int = Field(1, ge=1, le=MAX_CREDITS)
    """Credits of the smallest raise above the highest bet. Left out: one ``bet_step`` (RULES.md
    section 5)."""

    max_raise: int | None = Field(None, ge=1, le=MAX_CREDITS)
    """Credits of the largest raise above the highest bet; None = no limit (RULES.md section 5)."""

    max_raises: int | None = Field(None, ge=0, le=MAX_CREDITS)
    """Most raises in a betting phase, the first bet not counted; None = no limit (RULES.md
    section 5)."""

    spike_card: bool = False
    """Whether each remaining seat gets a face-up Spike Card before round 1, which counts at the
    reveal (RULES.md sections 2 and 6.3)."""

    ranking: Ranking = "casino"
    """The list that hands are ranked by (RULES.md section 6)."""

    _description: dict[str, Any] = PrivateAttr(default_factory=dict)

    def __init__(self, **description: Any) -> None:
        try:
            super().__init__(**_resolve(description))
        except ValidationError as error:
            raise RulesError(wording.validation_message(error, type(self).model_fields)) from None
        checks.refuse_impossible(self)
        self._description = copy.deepcopy(description)

    def replace(self, **fields: Any) -> RuleSet:
        """Return these rules with some fields changed; fields that follow ``hand_ante`` still do.

        >>> RuleSet().replace(hand_ante=4).starting_credits
        400
        """
        return RuleSet(**{**self._description, **fields})

    def unchecked(self, **fields: Any) -> dict[str, Any]:
        """Return the fields that ``replace(**fields)`` would have, without checking them."""
        return dict(self) | _resolve({**self._description, **fields})

    def canonical(self) -> str:
        """Return the canonical JSON text: every field with its resolved value, keys sorted."""
        return _json(self.model_dump())

    @classmethod
    def from_canonical(cls, text: str) -> Self:
        """Return the rule set whose ``canonical()`` is this text.

        Every field is set explicitly, so no field of the result follows ``hand_ante``.

        Raises:
            RulesError: if the text is not JSON, or the rules cannot be played.
        """
        if not isinstance(text, str):
            raise RulesError(f"canonical rules: {short_repr(text)} is not text")
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RulesError(f"canonical rules: not JSON ({error})") from None
        if not isinstance(fields, dict):
            raise RulesError("canonical rules: not a JSON object with the fields of a rule set")
        return cls(**fields)

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of the fields that decide play: all but ``LABELS``."""
        return hashlib.sha256(_json(self.model_dump(exclude=set(LABELS))).encode()).hexdigest()

    @property
    def points(self) -> bool:
        """Whether a hand is played for one point a seat instead of credits (D3)."""
        return self.starting_credits is None

    @property
    def ante_unit(self) -> int:
        """Credits that each seat stakes before the deal: hand ante and Sabacc ante together."""
        return self.hand_ante + self.sabacc_ante

    @property
    def largest_hand(self) -> int:
        """The most cards that one seat can hold, its Spike Card counted (RULES.md section 8)."""
        adds = "buy_discard" in self.card_actions or (
            "draw" in self.card_actions
            and not {"replace", "replace_spike"}.intersection(self.card_actions)
        )
        added = self.rounds if adds and "cards" in self.phases else 0
        return self.cards_dealt + added + self.spike_card

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards of the deck by id; a small deck keeps the ids of the full one."""
        return tuple(deck(self.highest_value, self.suits, self.sylops))

    @property
    def turns_up_card(self) -> bool:
        """Whether the deal turns up a card: when an action takes from the discard pile."""
        return "swap" in self.card_actions or "buy_discard" in self.card_actions

    # Every game looks up its compiled rules, so these are computed once.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSet) and self._values == other._values

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._values)

    @cached_property
    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, field) for field in type(self).model_fields)

    def __getstate__(self) -> dict[Any, Any]:
        """Return what a pickle has: the fields, and no hash, which other processes compute anew."""
        state = super().__getstate__()
        fields = type(self).model_fields
        kept = {name: value for name, value in state["__dict__"].items() if name in fields}
        return {**state, "__dict__": kept}


def _json(fields: dict[str, object]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def _resolve(description: dict[str, Any]) -> dict[str, Any]:
    """Replace "ante" by numbers and add the fields that follow others; keep wrong types."""
    fields = {field: _to_python(value) for field, value in description.items()}
    ante = _int_or(fields.get("hand_ante"), RuleSet.model_fields["hand_ante"].default)
    if fields.setdefault("starting_credits", 100 * ante) == "points":
        fields["starting_credits"] = None
    if fields.get("bet_step") == "ante":
        fields["bet_step"] = ante
    step = _int_or(fields.get("bet_step"), 1)
    fields.setdefault("min_bet", step)
    fields.setdefault("min_raise", step)
    fees = fields.get("fees")
    if isinstance(fees, Mapping):
        fields["fees"] = {kind: ante if fee == "ante" else fee for kind, fee in fees.items()}
    seats = fields.get("seats", RuleSet.model_fields["seats"].default)
    fields["seats"] = _limit_seats(seats, fields["starting_credits"])
    return fields


def _to_python(value: object) -> object:
    """Return lists and arrays as tuples, and NumPy scalars as Python values."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(part.item() if isinstance(part, np.generic) else part for part in value)
    return value


def _limit_seats(seats: object, starting_credits: object) -> object:
    """Limit the greatest number of seats to the length of a list of starting credits."""
    match seats, starting_credits:
        case (int() as least, int() as most), tuple() as stacks if least <= len(stacks) < most:
            return least, len(stacks)
    return seats


def _int_or(value: object, default: int) -> int:
    return value if isinstance(value, int) else default
