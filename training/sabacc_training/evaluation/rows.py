"""Rows of results: estimates by name, as they stand in files and tables."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sabacc_training.statistics.comparisons import compare
from sabacc_training.statistics.estimate import Estimate


class Row(BaseModel):
    """Base of every row of results: frozen, strict, and with its fields described."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )

    about: ClassVar[tuple[str, ...]] = ()
    """The fields that say what a row is about: its first columns as CSV."""


class Mean(Row):
    """A mean with its 95 % interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, estimate: Estimate) -> Self:
        """Return the mean of an estimate, to one decimal."""
        return cls(mean=round(estimate.mean, 1), half_width=round(estimate.half_width(), 1))

    def __str__(self) -> str:
        return f"{self.mean:,.0f} ± {self.half_width:,.0f}"


class MarginRow(Row):
    """The margin of an agent, in mante/hand."""

    about: ClassVar[tuple[str, ...]] = ("format", "agent")

    format: str
    """The format of the tables, such as "pairs" or "copies-4"."""

    agent: str

    deals: int
    margin: float

    half_width: float
    """Half the width of the 95 % interval."""

    sd: float
    """Standard deviation of one deal."""

    reduced_margin: float | None = None
    """The margin with control variates taken off; None where there are none."""

    reduced_half_width: float | None = None
    reduced_sd: float | None = None

    reduction: float | None = None
    """How many times as many hands an equally narrow interval needs without control variates."""


class PairRow(MarginRow):
    """The margin of one agent over another, in mante/hand."""

    about = "format", "agent", "opponent"

    opponent: str

    half_width_all: float
    """Half the width of a 95 % interval that holds together with those of all other pairs."""

    p_value: float
    """Against the margin 0, corrected for all pairs: those below 0.05 are decided."""

    single_sd: float
    """Standard deviation of one episode, as if each deal were played in one rotation alone."""

    saving: float | None
    """How many times as many hands an equally narrow interval needs without duplicate deals."""

    seen_in_training: bool
    """Whether one of the two met the other in training."""

    def __str__(self) -> str:
        return f"{self.margin:+z,.0f} ± {self.half_width:,.0f}"


def estimate_fields(estimate: Estimate, reduced: Estimate | None = None) -> dict[str, Any]:
    """Return the fields of ``MarginRow`` that an estimate has.

    Args:
        estimate: from the net credits alone.
        reduced: the estimate with control variates, if there is one.
    """
    fields: dict[str, Any] = {
        "deals": estimate.deals,
        "margin": round(estimate.mean, 3),
        "half_width": round(estimate.half_width(), 3),
        "sd": round(estimate.sd, 3),
    }
    if reduced is not None:
        fields |= {
            "reduced_margin": round(reduced.mean, 3),
            "reduced_half_width": round(reduced.half_width(), 3),
            "reduced_sd": round(reduced.sd, 3),
            "reduction": round((estimate.sd / reduced.sd) ** 2, 3) if reduced.sd else None,
        }
    return fields


def rounded(value: float | None) -> float | None:
    """Return a number to three decimals; None for none, or for one that is not finite."""
    return None if value is None or not math.isfinite(value) else round(value, 3)


def compared_fields(
    estimates: Sequence[Estimate], values: Sequence[NDArray[np.float64]]
) -> list[dict[str, Any]]:
    """Return what a comparison of several estimates adds to the row of each.

    Args:
        estimates: over the same deals.
        values: of each the values of these deals, or means over blocks of them.
    """
    compared = compare(np.stack(values, axis=1))
    return [
        {
            "half_width_all": round(compared.critical_value * estimate.standard_error, 3),
            "p_value": round(p_value, 4),
        }
        for estimate, p_value in zip(estimates, compared.p_values.tolist(), strict=True)
    ]


def csv_text(model: type[Row], rows: Sequence[Row]) -> str:
    """Return rows as CSV, their names in the first line."""
    text = io.StringIO()
    columns = list(dict.fromkeys([*model.about, *model.model_fields]))
    writer = csv.DictWriter(text, fieldnames=columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        fields = row.model_dump().items()
        writer.writerow(
            {name: " ".join(map(str, v)) if isinstance(v, tuple) else v for name, v in fields}
        )
    return text.getvalue()
