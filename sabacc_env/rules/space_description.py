"""The validated description of a space of rule sets, as its file has it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from pydantic import ConfigDict, Field, ValidationError, create_model, model_validator

from sabacc_env.errors import RulesError, short_repr
from sabacc_env.rules import load_rules
from sabacc_env.rules.limits import MAX_CREDITS
from sabacc_env.rules.model import LABELS, RuleSet
from sabacc_env.rules.wording import (
    did_you_mean,
    quoted_choices,
    toml_repr,
    validation_message,
)
from sabacc_env.storage.strict_model import StrictModel

NAMED_SPACES: Final = ("house", "small")

_TYPES: Final[dict[str, Any]] = {
    name: (field.annotation, field) for name, field in RuleSet.model_fields.items()
}
FieldTypes: Final = create_model("FieldTypes", __config__=ConfigDict(strict=True), **_TYPES)
"""The fields of a rule set, each checked alone."""

Fields = dict[str, Any]
"""Fields of a rule set, each with a value as a rules file has it, or a ``Range``."""


class Range(StrictModel):
    """Whole numbers from ``least`` to ``most``; ``{least = 1, most = 10}`` in a file."""

    least: int = Field(ge=0, le=MAX_CREDITS)
    """The smallest."""

    most: int = Field(ge=0, le=MAX_CREDITS)
    """The largest."""

    step: int = Field(1, ge=1, le=MAX_CREDITS)
    """From one to the next."""

    @property
    def numbers(self) -> range:
        """The numbers."""
        return range(self.least, self.most + 1, self.step)


class Axis(StrictModel):
    """Something that varies: some fields of the rules, and the values that they take together."""

    probability: float = Field(0.5, gt=0, le=1)
    """How often one of the values takes the place of the base's own. Each is equally likely."""

    values: tuple[Any, ...] = ()
    """Values of the field that the axis is named after; or, where it has a name of its own, tables
    of fields. A value is as in a rules file, or a range of whole numbers, ``{least = 1, most =
    10}``; credits may also be given in hand antes, as ``"2 antes"``."""

    far: tuple[Any, ...] = ()
    """Values that are for ``test_far`` alone."""

    bases: tuple[str, ...] = ()
    """The bases that vary in this way; left out: all."""


class SpaceDescription(StrictModel):
    """A distribution over rule sets: one of the bases, in which some axes change some fields.

    Values that no rule set can have together are drawn again.
    """

    name: str
    """The short name of the space, with which the names of its rule sets begin."""

    title: str = ""
    """What the space is, in a line."""

    bases: dict[str, int]
    """Rule sets by name or path, with their weights."""

    far_bases: dict[str, int] = Field(default_factory=dict)
    """Bases that are for ``test_far`` alone."""

    common: dict[str, Any] = Field(default_factory=dict)
    """Fields that take the place of those of all bases; axes may change them."""

    vary: dict[str, Axis] = Field(default_factory=dict)
    """What varies, each on its own, by name."""

    test_near_one_in: int = Field(8, ge=2, le=1000)
    """Of the rule sets without a far value, one in so many is held out of ``train``."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.name.isidentifier():
            raise RulesError(f"name: {toml_repr(self.name)} is not one word, as in my_space")
        if not self.bases:
            raise RulesError('bases: is empty; give at least one rule set, as in {"casino" = 1}')
        for base, weight in self.all_bases.items():
            if isinstance(load_rules(base, **self.common).starting_credits, tuple):
                raise RulesError(f"bases: {base} has starting_credits by seat; use one number")
            if not 1 <= weight <= MAX_CREDITS:
                raise RulesError(f"bases: the weight of {base}, {weight}, is not a positive number")
        for base in self.bases.keys() & self.far_bases.keys():
            raise RulesError(f"far_bases: {base} is one of the bases, too; name it once")
        _refuse_unknown_fields("common", self.common)
        for name in self.vary:
            self._check_axis(name)
        for base in self.all_bases:
            _refuse_repeated_fields(base, self.axes(base))
        return self

    def _check_axis(self, name: str) -> None:
        axis, where = self.vary[name], f"vary.{name}"
        if not axis.values and not axis.far:
            raise RulesError(f"{where}: give it values")
        for value in axis.far:
            if value in axis.values:
                raise RulesError(
                    f"{where}: {toml_repr(value)} is one of the values, and far, too; name it once"
                )
        for base in axis.bases:
            if base not in self.all_bases:
                raise RulesError(
                    f"{where}: {toml_repr(base)} is not one of the bases "
                    f"{quoted_choices(self.all_bases)}{did_you_mean(base, self.all_bases)}"
                )
        for value in (*axis.values, *axis.far):
            if name not in RuleSet.model_fields and not isinstance(value, dict):
                raise RulesError(
                    f"{where}: {toml_repr(name)} is not a field of the rules, so each of its "
                    f"values is a table of fields, not {toml_repr(value)}"
                    f"{did_you_mean(name, RuleSet.model_fields)}"
                )
            _check_fields(where, _as_fields(name, value))

    @property
    def all_bases(self) -> dict[str, int]:
        """The bases, the far ones too, with their weights."""
        return self.bases | self.far_bases

    def axes(self, base: str) -> tuple[Choices, ...]:
        """Return the axes along which a base varies, in their order."""
        return tuple(
            Choices.of(name, axis)
            for name, axis in self.vary.items()
            if not axis.bases or base in axis.bases
        )


class Choices(NamedTuple):
    """An axis with its values as fields of the rules."""

    name: str
    probability: float
    near: tuple[Fields, ...]
    far: tuple[Fields, ...]

    @classmethod
    def of(cls, name: str, axis: Axis) -> Self:
        """Return the choices of the axis of this name."""
        near, far = (
            tuple(_as_fields(name, value) for value in values) for values in (axis.values, axis.far)
        )
        return cls(name, axis.probability, near, far)

    @property
    def fields(self) -> frozenset[str]:
        """All fields that it can change."""
        return frozenset(field for option in self.near + self.far for field in option)


def load_description(space: str | Path) -> SpaceDescription:
    """Return the description of a named space, or of a file.

    Raises:
        RulesError: for an unknown name, or a file that cannot be read or describes no space.
    """
    if isinstance(space, str) and space in NAMED_SPACES:
        file = resources.files("sabacc_env.rules").joinpath("spaces", f"{space}.toml")
        return _validated(tomllib.loads(file.read_text(encoding="utf-8")))
    if not isinstance(space, Path) and not (isinstance(space, str) and space.endswith(".toml")):
        raise RulesError(
            f"space: {toml_repr(space)} is not a rule space; use {quoted_choices(NAMED_SPACES)}, "
            f"or a path to a file, which ends in .toml{did_you_mean(space, NAMED_SPACES)}"
        )
    path = Path(space)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RulesError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{path}: is not a valid TOML file ({error})") from None
    try:
        return _validated({"name": path.stem, **data})
    except RulesError as error:
        raise RulesError(f"{error} (in {path})") from None


def _validated(data: dict[str, Any]) -> SpaceDescription:
    try:
        return SpaceDescription.model_validate(_tuples(data))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in found["loc"])
        if found["type"] == "value_error":
            raise RulesError(str(found["ctx"]["error"])) from None
        if found["type"] == "extra_forbidden":
            known = Axis.model_fields if key.startswith("vary.") else SpaceDescription.model_fields
            hint = did_you_mean(key.rpartition(".")[2], known)
            raise RulesError(f"{key}: there is no such key in a rule space{hint}") from None
        if found["type"] == "missing":
            raise RulesError(f"{key}: is missing") from None
        message = found["msg"][:1].lower() + found["msg"][1:]
        raise RulesError(f"{key}: {toml_repr(found['input'])} is not allowed: {message}") from None


def _tuples(value: Any) -> Any:
    """Return TOML data with tuples for lists, which strict models want."""
    if isinstance(value, dict):
        return {key: _tuples(part) for key, part in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


# Values.


def _as_fields(name: str, value: Any) -> Fields:
    """Return a value of an axis as fields of the rules."""
    fields = {name: value} if name in RuleSet.model_fields else value
    return {field: _as_range(field, given) for field, given in fields.items()}


def _as_range(field: str, value: Any) -> Any:
    if not isinstance(value, dict) or not {"least", "most"}.intersection(value):
        return value
    try:
        found = Range(**value)
    except ValidationError as error:
        raise RulesError(
            f"{field}: {short_repr(value)} is not a range such as {{least = 1, most = 10}}; "
            f"{validation_message(error, Range.model_fields)}"
        ) from None
    if not found.numbers:
        raise RulesError(f"{field}: least, {found.least}, is more than most, {found.most}")
    return found


def in_credits(value: Any, ante: int) -> Any:
    """Return a value of a field with hand antes changed to credits, inside a table too.

    >>> in_credits("2 antes", 5), in_credits({"draw": "ante"}, 5), in_credits("cards", 5)
    (10, {'draw': 5}, 'cards')
    """
    if isinstance(value, Mapping):
        return {key: in_credits(amount, ante) for key, amount in value.items()}
    if isinstance(value, str):
        number, _, unit = value.partition(" ")
        if value == "ante":
            return ante
        if unit == "antes" and number.isascii() and number.isdecimal():
            return int(number) * ante
    return value


def _ends(value: Any) -> Iterator[Any]:
    """Yield a value, or the least and the most of a range."""
    if isinstance(value, Range):
        yield from (value.numbers[0], value.numbers[-1])
    else:
        yield value


# Checks.


def _check_fields(where: str, fields: Fields) -> None:
    """Refuse fields and values that no rules have; whether they fit together is not asked."""
    _refuse_unknown_fields(where, fields)
    for field, value in fields.items():
        for end in _ends(value):
            if field == "starting_credits" and isinstance(end, tuple):
                raise RulesError(f"{where}: starting_credits is one number for all seats here")
            credits = end if field == "hand_ante" else in_credits(end, 1)
            resolved = RuleSet().unchecked(**{field: credits})[field]
            try:
                FieldTypes(**{field: resolved})
            except ValidationError as error:
                message = validation_message(error, RuleSet.model_fields)
                raise RulesError(f"{where}: {message}") from None


def _refuse_unknown_fields(where: str, fields: Fields) -> None:
    for field in fields:
        if field in LABELS:
            raise RulesError(f"{where}: {field} is a label, which does not decide play")
        if field not in RuleSet.model_fields:
            raise RulesError(
                f"{where}: {toml_repr(field)} is not a field of the rules"
                f"{did_you_mean(field, RuleSet.model_fields)}"
            )


def _refuse_repeated_fields(base: str, axes: Iterable[Choices]) -> None:
    """Refuse two axes that vary the same field of a base."""
    axis_of: dict[str, str] = {}
    for axis in axes:
        for field in sorted(axis.fields):
            if field in axis_of:
                raise RulesError(
                    f"vary.{axis.name}: {field} already varies in vary.{axis_of[field]}, "
                    f"for the base {toml_repr(base)} too"
                )
            axis_of[field] = axis.name
