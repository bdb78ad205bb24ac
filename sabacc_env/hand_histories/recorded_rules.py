"""The rules in a recorded hand: a published rule set, the fields that differ, and the hash."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet, load_rules, rule_sets


class RecordedRules(BaseModel):
    """Which rules a hand was played by.

    >>> RecordedRules.of(load_rules("spacers", name="ours", hand_ante=4)).changed["hand_ante"]
    4
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )

    published: str
    """The published rule set that they are nearest to, by name."""

    changed: dict[str, Any] = {}
    """The fields that differ from it, with their values in these rules."""

    sha256: str
    """``RuleSet.digest``: the hash of all fields that decide play."""

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """Return what is recorded of a rule set."""
        published, changed = _difference(rules)
        return cls(published=published, changed=json.loads(changed), sha256=rules.digest)

    @property
    def rule_set(self) -> RuleSet:
        """The rules.

        Raises:
            SabaccError: for a published rule set that is not known here, for fields that make no
                rules, and where the rules are not those of the hash.
        """
        return _rule_set(self.published, json.dumps(self.changed, sort_keys=True), self.sha256)


@lru_cache(maxsize=256)
def _difference(rules: RuleSet) -> tuple[str, str]:
    """Return the nearest published rule set, and the fields that differ from it as JSON."""
    own = _fields(rules)
    differences = {
        name: {field: own[field] for field in own if own[field] != published[field]}
        for name in rule_sets()
        for published in [_fields(load_rules(name))]
    }
    nearest = min(differences, key=lambda name: len(differences[name]))
    return nearest, json.dumps(differences[nearest])


@lru_cache(maxsize=256)
def _rule_set(published: str, changed: str, sha256: str) -> RuleSet:
    if published not in rule_sets():
        raise SabaccError(
            f"rules: {short_repr(published)} is not a rule set that this version publishes"
        )
    rules = RuleSet(**_fields(load_rules(published)) | json.loads(changed))
    if rules.digest != sha256:
        raise SabaccError(
            f"rules: the hand was played by other rules than {published!r} with these changes is "
            "in this version; their hashes differ"
        )
    return rules


def _fields(rules: RuleSet) -> dict[str, Any]:
    """Return all fields of rules as plain data."""
    fields: dict[str, Any] = json.loads(rules.canonical())
    return fields
