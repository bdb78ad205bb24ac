"""The rules as data: six published rule sets, and any other as a file (RULES.md section 8)."""

from __future__ import annotations

import functools
import os
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, Final

from sabacc_env.errors import RulesError
from sabacc_env.rules.fees import Fees
from sabacc_env.rules.model import RuleSet
from sabacc_env.rules.wording import did_you_mean, quoted_choices, toml_repr

__all__ = ["Fees", "RuleSet", "load_rules", "rule_sets"]

_PUBLISHED: Final = ("casino", "black_spire", "orsl", "three_en", "yarith_bespin", "spacers")


def rule_sets() -> tuple[str, ...]:
    """Return the names of the six published rule sets, in the order of RULES.md."""
    return _PUBLISHED


def load_rules(rules: str | Path | RuleSet, **overrides: Any) -> RuleSet:
    """Return a rule set by name, from a TOML file or another rule set, with some fields changed.

    A field that RULES.md gives in hand antes follows ``hand_ante`` unless it is set itself
    (section 2).

    Args:
        rules: a published name (``rule_sets()``); a path to a rules file (a ``Path``, or text that
            ends in ``.toml`` or contains a path separator); or a ``RuleSet``. Fields that a file
            leaves out have the values of ``casino``. Its name is the file's unless it has one.
        **overrides: fields of ``RuleSet`` to change.

    Raises:
        RulesError: if a name is unknown, a file cannot be read, or the rules cannot be played.
            The message is one sentence that starts with the file or the field at fault.

    >>> load_rules("spacers", hand_ante=4).min_bet
    4
    """
    if isinstance(rules, RuleSet):
        base = rules
    elif isinstance(rules, Path) or (isinstance(rules, str) and _is_path(rules)):
        base = _from_file(Path(rules))
    elif isinstance(rules, str) and rules in _PUBLISHED:
        base = _published(rules)
    else:
        raise RulesError(
            f"rules: {toml_repr(rules)} is not a rule set; use {quoted_choices(_PUBLISHED)}, or "
            f"a path to a rules file, which ends in .toml{did_you_mean(rules, _PUBLISHED)}"
        )
    return base.replace(**overrides) if overrides else base


@functools.cache
def _published(name: str) -> RuleSet:
    data = resources.files(__name__).joinpath("data", f"{name}.toml")
    return RuleSet(**tomllib.loads(data.read_text(encoding="utf-8")))


def _from_file(path: Path) -> RuleSet:
    try:
        with path.open("rb") as file:
            description = tomllib.load(file)
    except OSError as error:
        raise RulesError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{path}: is not a valid TOML file ({error})") from None
    if not description:
        raise RulesError(f"{path}: is empty; give at least one field of the rules")
    try:
        return RuleSet(**{"name": path.stem, **description})
    except RulesError as error:
        raise RulesError(f"{error} (in {path})") from None


def _is_path(text: str) -> bool:
    return text.endswith(".toml") or any(
        separator in text for separator in (os.sep, os.altsep) if separator
    )
