"""Spaces of rule sets: distributions to draw house rules from, with fixed splits."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from sabacc_env.cards import as_int
from sabacc_env.errors import RulesError, short_repr
from sabacc_env.rules import load_rules
from sabacc_env.rules.fees import Fees
from sabacc_env.rules.model import LABELS, RuleSet
from sabacc_env.rules.space_description import (
    Choices,
    Fields,
    Range,
    SpaceDescription,
    in_credits,
    load_description,
)
from sabacc_env.rules.wording import did_you_mean, quoted_choices, toml_repr

SPLITS: Final = ("train", "test_near", "test_far")

MAX_RULE_SETS: Final = 1_000_000

T = TypeVar("T")

MAX_DRAWS: Final = 1000
"""Draws of one sample before a space is said to have no such rule set."""


class RuleSpace:
    """A described distribution over house rules, to study how agents generalise.

    A rule set of the space is one of its bases, the published ones for instance, in which some
    axes change some fields. The description is data, as rule sets are
    (docs/reference/rule-spaces.md).

    Args:
        space: "house", the variations of the six published rule sets; "small", two-seat games that
            are solved exactly in seconds; or a path to a file of one's own, which ends in .toml.
        num_rule_sets: how many rule sets ``Tables`` and environments draw from: those of the keys
            from 0 on. Which of them an episode plays is decided by the key of its first hand.

    Attributes:
        description: what its file says.
        num_rule_sets: as given.

    Raises:
        RulesError: for an unknown name, or a file that cannot be read or describes no space.

    >>> from sabacc_env import load_rules
    >>> space = RuleSpace("house")
    >>> rules = space.sample(7)
    >>> rules.name, rules.rounds, rules.ranking, space.contains(rules)
    ('house-71d51274', 3, 'alta_three_en', True)
    >>> [name for name in SPLITS if space.split(name).contains(load_rules("casino"))]
    ['test_near']
    """

    def __init__(self, space: str | Path = "house", *, num_rule_sets: int = 1024) -> None:
        self.num_rule_sets = as_int(num_rule_sets) or 0
        if not 1 <= self.num_rule_sets <= MAX_RULE_SETS:
            raise RulesError(
                f"num_rule_sets: {short_repr(num_rule_sets)} is not a whole number from 1 to "
                f"{MAX_RULE_SETS:,}"
            )
        self.description: SpaceDescription = load_description(space)
        self._bases = {
            base: load_rules(base, **self.description.common) for base in self.description.all_bases
        }
        self._axes = {base: self.description.axes(base) for base in self._bases}
        self._split: str | None = None

    def split(self, name: str) -> Self:
        """Return a part of this space. The three are disjoint, and together the whole space.

        Args:
            name: "train"; "test_near", new combinations of values that all occur in train: one
                rule set in eight, by its digest, and the bases as they are; or "test_far", rule
                sets with a value or a base that never occurs in train.

        Raises:
            RulesError: for another name, a part of a part, or "test_far" of a space without far
                values.
        """
        if name not in SPLITS:
            raise RulesError(
                f"split: {toml_repr(name)} is not one of {quoted_choices(SPLITS)}"
                f"{did_you_mean(name, SPLITS)}"
            )
        if self._split is not None:
            raise RulesError(f"split: {self.name} is a split already; split the whole space")
        described = self.description
        if name == "test_far" and not (
            described.far_bases or any(axis.far for axis in described.vary.values())
        ):
            raise RulesError(f"split: the space {self.name} has no far values")
        part = copy.copy(self)
        part._split = name
        return part

    @property
    def name(self) -> str:
        """Its name, with that of the split."""
        own = self.description.name
        return own if self._split is None else f"{own}/{self._split}"

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hex, of all that decides which rule sets the whole space has."""
        bases = {base: rules.digest for base, rules in self._bases.items()}
        text = json.dumps([self.description.model_dump(), bases], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def identity(self) -> dict[str, Any]:
        """Return what tells this space from others, as plain data."""
        return {"name": self.name, "digest": self.digest, "num_rule_sets": self.num_rule_sets}

    def sample(self, key: int, num_players: int | None = None) -> RuleSet:
        """Return the rule set that a key decides, the same on all machines.

        Args:
            key: a 64-bit number.
            num_players: seats that the rules must allow; None is any number.

        Raises:
            RulesError: for a key out of range, or if 1,000 draws gave no rule set of the space.
        """
        number = as_int(key)
        if number is None or not 0 <= number < 2**64:
            raise RulesError(f"key: {short_repr(key)} is not a whole number from 0 to 2**64 - 1")
        draws, refusals = Draws(number), list[RulesError]()
        for _ in range(MAX_DRAWS):
            try:
                rules = self._draw(draws)
            except RulesError as error:
                refusals.append(error)
                continue
            allowed = num_players is None or rules.seats[0] <= num_players <= rules.seats[1]
            if allowed and self._is_of_split(rules):
                return rules.replace(
                    name=f"{self.description.name}-{rules.digest[:8]}", title="", source=""
                )
        seats = "" if num_players is None else f" for {num_players} seats"
        nobody = len(refusals) == MAX_DRAWS
        refusal = f"; the last was refused: {refusals[-1]}" if nobody else ""
        raise RulesError(
            f"space: {MAX_DRAWS:,} draws from {self.name} gave no rules{seats}{refusal}"
        )

    def rule_sets(self, num_players: int) -> tuple[RuleSet, ...]:
        """Return the rule sets that episodes with so many seats draw from.

        They are those of the keys from 0 to ``num_rule_sets`` - 1. Some may be the same.

        Raises:
            RulesError: as ``sample``.
        """
        return tuple(_sampled(self, key, num_players) for key in range(self.num_rule_sets))

    def episode_rules(self, number: int, num_players: int) -> RuleSet:
        """Return the rule set of a number from 0 to ``num_rule_sets`` - 1, as ``rule_sets`` has it.

        Raises:
            RulesError: as ``sample``.
        """
        return _sampled(self, number, num_players)

    def contains(self, rules: RuleSet) -> bool:
        """Return whether these are rules of the space; names and other labels do not count."""
        if not isinstance(rules, RuleSet):
            raise RulesError(f"rules: {short_repr(rules)} is not a RuleSet")
        return self._derives(rules, far=self._with_far) and self._is_of_split(rules)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSpace) and self.identity() == other.identity()

    def __hash__(self) -> int:
        return hash((self.digest, self.name, self.num_rule_sets))

    def __repr__(self) -> str:
        split = "" if self._split is None else f".split({self._split!r})"
        return f"{type(self).__name__}({self.description.name!r}){split}"

    # Splits.

    @property
    def _with_far(self) -> bool:
        """Whether rules with far values may be of this part."""
        return self._split in (None, "test_far")

    def _is_of_split(self, rules: RuleSet) -> bool:
        """Return whether rules that the bases and values of this part derive belong to it."""
        if self._split is None:
            return True
        if self._split == "test_far":
            return not self._derives(rules, far=False)
        digest = rules.digest
        one_in = self.description.test_near_one_in
        held_out = int(digest[:8], 16) % one_in == 0 or digest in self._digests_of_bases
        return held_out == (self._split == "test_near")

    @cached_property
    def _digests_of_bases(self) -> frozenset[str]:
        return frozenset(rules.digest for rules in self._bases.values())

    # Drawing.

    def _draw(self, draws: Draws) -> RuleSet:
        """Draw rules, for this part or another; a RulesError for what nobody can play."""
        described = self.description
        bases = described.all_bases if self._with_far else described.bases
        base = draws.weighted(bases)
        forced: Choices | None = None
        if self._split == "test_far" and base in described.bases:
            forced = draws.one_of([axis for axis in self._axes[base] if axis.far] or [None])
        fields: Fields = {}
        for axis in self._axes[base]:
            options = axis.near + axis.far if self._with_far else axis.near
            if axis is forced:
                fields |= draws.one_of(axis.far)
            elif options and draws.happens(axis.probability):
                fields |= draws.one_of(options)
        for field, value in fields.items():
            if isinstance(value, Range):
                fields[field] = draws.one_of(value.numbers)
        ante = fields.get("hand_ante", self._bases[base].hand_ante)
        return self._bases[base].replace(**in_credits(fields, ante))

    # Membership.

    def _derives(self, rules: RuleSet, *, far: bool) -> bool:
        """Return whether the values of the axes, with the far ones or without, make these rules."""
        bases = self.description.all_bases if far else self.description.bases
        return any(self._derives_from(base, rules, far) for base in bases)

    def _derives_from(self, base: str, rules: RuleSet, far: bool) -> bool:
        differing = _differing_fields(self._bases[base], rules)
        for axis in self._axes[base]:
            options = axis.near + axis.far if far else axis.near
            changed = differing & axis.fields
            kept = not changed and (axis.probability < 1 or not options)
            if not kept and not any(
                changed <= option.keys() and _has_values(rules, option) for option in options
            ):
                return False
            differing -= axis.fields
        return not differing


@lru_cache(maxsize=8192)
def _sampled(space: RuleSpace, key: int, num_players: int) -> RuleSet:
    return space.sample(key, num_players)


class Draws:
    """Random choices that follow from a key: SHA-256 of the key and a count, in turn."""

    def __init__(self, key: int) -> None:
        self._key, self._count = key.to_bytes(8, "little"), 0

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit - 1, each equally likely but for limit / 2**64."""
        block = hashlib.sha256(self._key + self._count.to_bytes(8, "little")).digest()
        self._count += 1
        return int.from_bytes(block[:8], "little") * limit >> 64

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of them, each equally likely."""
        return choices[self.below(len(choices))]

    def weighted(self, weights: Mapping[str, int]) -> str:
        """Return one of the keys, each as likely as its weight says."""
        place = self.below(sum(weights.values()))
        totals = itertools.accumulate(weights.values())
        return next(key for key, total in zip(weights, totals, strict=True) if place < total)

    def happens(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.below(2**53) < probability * 2**53


_LEADING: Final = ("hand_ante", "bet_step", "starting_credits")
"""The fields that others follow."""


def _differing_fields(base: RuleSet, rules: RuleSet) -> set[str]:
    """Return the fields in which a base with the same hand ante, bet step and so on differs."""
    own = base.unchecked(hand_ante=rules.hand_ante)
    leading = {field: getattr(rules, field) for field in _LEADING}
    following = base.unchecked(**leading)
    expected = following | {field: own[field] for field in _LEADING}
    expected["hand_ante"] = base.hand_ante
    return {
        field
        for field in RuleSet.model_fields
        if field not in LABELS and not _same(field, expected[field], getattr(rules, field))
    }


def _has_values(rules: RuleSet, option: Fields) -> bool:
    """Return whether rules have these values."""
    return all(
        getattr(rules, field) in value.numbers
        if isinstance(value, Range)
        else _same(field, in_credits(value, rules.hand_ante), getattr(rules, field))
        for field, value in option.items()
    )


def _same(field: str, value: Any, own: Any) -> bool:
    """Return whether a field has this value, written as in a rules file."""
    match field:
        case "fees":
            return bool(Fees(value) == own)
        case "card_actions":
            return sorted(value) == sorted(own)
        case "starting_credits" if value == "points":
            return own is None
    return bool(value == own)
