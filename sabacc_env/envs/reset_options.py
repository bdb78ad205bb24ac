"""The options of the environments' ``reset``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from sabacc_env.errors import SabaccError, short_repr

TABLE_OPTIONS: Final = ("dealer", "credits", "sabacc_pot", "deck", "dice")
"""The options of one table, as ``sabacc_env.Game`` takes them."""

OPTIONS: Final = (*TABLE_OPTIONS, "seat", "reset_mask")
"""The options of all environments here."""


def select_options(options: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, Any]:
    """Keep the options of these names.

    Others are ignored, as PettingZoo's API asks. But one that looks misspelt is an error, and so is
    one that only another of the environments here obeys, misspelt or not.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise SabaccError(f"options: {short_repr(options)} is not a dict")
    for name in options:
        near = get_close_matches(str(name), OPTIONS, n=1)  # a name itself is its closest match
        if near and name not in names:
            hint = f"this environment has {', '.join(names)}"
            if near[0] in names:
                hint = f"did you mean {near[0]!r}?"
            raise SabaccError(f"unknown option {short_repr(name)}; {hint}")
    return {name: value for name, value in options.items() if name in names}
