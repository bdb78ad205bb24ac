"""Rows of results: estimates by name, as they stand in files and tables."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from sabacc_training.statistics.estimate import Estimate


class Row(BaseModel):
    """Base of every row of results: frozen, strict, and with its fields described."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )


class PairRow(Row):
    """The margin of one agent over another, in mante/hand."""

    format: str
    """The format of the tables: pairs, or one against copies."""

    first: str
    """The agent whose margin it is."""

    second: str
    """The other."""

    deals: int
    margin: float

    half_width: float
    """Half the width of the 95 % interval."""

    half_width_all: float
    """The same for an interval that holds together with those of all other pairs (Bonferroni)."""

    sd: float
    """Standard deviation of one deal."""

    single_sd: float
    """Standard deviation of one episode, as if each deal were played in one rotation alone."""

    saving: float | None
    """How many times as many hands an equally narrow interval needs without duplicate deals."""

    seen_in_training: bool
    """Whether one of the two met the other in training."""

    def __str__(self) -> str:
        return f"{self.margin:+z,.0f} ± {self.half_width:,.0f}"


def estimate_fields(estimate: Estimate, comparisons: int) -> dict[str, Any]:
    """Return the fields of an estimate, with its half-widths alone and with all others."""
    return {
        "deals": estimate.deals,
        "margin": round(estimate.mean, 3),
        "half_width": round(estimate.half_width(), 3),
        "half_width_all": round(estimate.half_width(comparisons), 3),
        "sd": round(estimate.sd, 3),
    }


def rounded(value: float | None) -> float | None:
    """Return a number to three decimals; None for none, or for one that is not finite."""
    return None if value is None or not math.isfinite(value) else round(value, 3)


def csv_text(model: type[Row], rows: Sequence[Row]) -> str:
    """Return rows as CSV, their names in the first line."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(model.model_fields), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        fields = row.model_dump().items()
        writer.writerow(
            {name: " ".join(map(str, v)) if isinstance(v, tuple) else v for name, v in fields}
        )
    return text.getvalue()
