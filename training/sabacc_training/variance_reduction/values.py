"""The value function of control variates: the expected net credits of each seat from a state on.

Any function gives unbiased results; a good one gives narrow intervals. A value is the baseline, the
net credits if the hand were revealed now, and what a network adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.saved_files import SUFFIX, read_arrays, read_description, write_arrays

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_training.variance_reduction.rows import Rows

if TYPE_CHECKING:
    from sabacc_training.variance_reduction.network import ValueNetwork


FORMAT: Final = "sabacc-value-function"
VERSION: Final = 1
FOLDER: Final = Path(__file__).parent / "networks"
"""The folder of the value functions that ship."""


class ValueFunction:
    """A value function.

    Args:
        network: what is added to the baseline; None for the baseline alone.
        known: the specs of the agents whose styles it has learnt.
    """

    def __init__(self, network: ValueNetwork | None = None, known: Sequence[str] = ()) -> None:
        self.network = network
        self.known = tuple(known)

    def style_of(self, spec: str) -> int:
        """Return the style of an agent: 0 for one that it does not know.

        >>> ValueFunction(known=["tight", "zoo:casino-2p"]).style_of("tight")
        1
        """
        return self.known.index(spec) + 1 if spec in self.known else 0

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the values of all hands in ``rows``, (n, MAX_SEATS), in credits."""
        count = int(rows.counters[0])
        values = rows.baselines[:count].copy()
        if self.network is None or count == 0:
            return values
        first = rows.first_seat_rows[: count + 1]
        seat_rows = int(first[-1])
        added = self.network.added_values(
            rows.seat_features[:seat_rows],
            rows.table_features[:count],
            rows.scales[:count],
            first,
        )
        row_of = np.repeat(np.arange(count), np.diff(first))
        values[row_of, rows.seats[:seat_rows]] += added
        return np.clip(values, rows.bounds[:count, :, 0], rows.bounds[:count, :, 1])


# Files.


def save_value_function(
    path: Path,
    network: ValueNetwork,
    rules: RuleSet,
    known: Sequence[str],
    training: Mapping[str, Any],
) -> None:
    """Write a value function to a file, whole or not at all.

    Args:
        path: a path that ends in ``.safetensors``.
        network: the network.
        rules: what it was trained for.
        known: the agents by spec, in the order of their styles.
        training: plain data about its training.

    Raises:
        SabaccError: if it cannot be written.
    """
    description = {"rules": rules.canonical(), "known": list(known), "training": dict(training)}
    write_arrays(path, network.arrays(), FORMAT, VERSION, description)


def load_value_function(path: Path | None, rules: RuleSet) -> ValueFunction:
    """Read a value function; without a file it is the baseline.

    Raises:
        SabaccError: for a file that cannot be read, is damaged, or is for other rules.
    """
    if path is None:
        return ValueFunction()
    from sabacc_training.variance_reduction.network import ValueNetwork

    description = read_description(path, FORMAT, VERSION, "value function")
    try:
        made_for = RuleSet.from_canonical(description["rules"])
        known = [str(spec) for spec in description["known"]]
        if made_for.digest != rules.digest:
            raise SabaccError(f"{path}: was trained for the rules {made_for.name!r}, as they were")
        return ValueFunction(ValueNetwork.from_arrays(read_arrays(path)), known)
    except (KeyError, TypeError, RuntimeError) as error:
        raise SabaccError(f"{path}: is of another version, or damaged ({error})") from None


def shipped_value_function(rules: RuleSet) -> ValueFunction:
    """Return the value function that ships for these rules; the baseline where there is none."""
    return load_value_function(shipped_file(rules), rules)


@cache
def shipped_file(rules: RuleSet) -> Path | None:
    """Return the file of the value function that ships for these rules, if there is one."""
    path = FOLDER / f"{rules.name}{SUFFIX}"
    if not path.exists():
        return None
    made_for = read_description(path, FORMAT, VERSION, "value function")["rules"]
    return path if RuleSet.from_canonical(str(made_for)).digest == rules.digest else None
