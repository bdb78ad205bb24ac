"""How much of an agent's exploitability each probe finds, in games where it is known exactly.

``python -m tools.calibration`` measures what is missing in runs/calibration/, and writes
docs/results/calibration.json. ``python -m tools.generate_tables`` makes the table of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from sabacc_training.config.base import validated
from sabacc_training.exploitability.config import ExploitabilityConfig
from sabacc_training.exploitability.probes import PROBES, Probe, available_probes, measure
from sabacc_training.exploitability.results import rounded_margins, worst_case
from sabacc_training.exploitability.trained_responses import exact_exploitability
from sabacc_training.trainers import train_on, training_config

from sabacc_env.storage.files import write_text

ROOT: Final = Path(__file__).parent.parent
FIGURES: Final = ROOT / "docs/results/calibration.json"
RUNS: Final = Path("runs", "calibration")

GAMES: Final = (
    "one_card",
    "little_spire",
    "one_draw",
    "little_casino",
    "little_bespin",
    "with_dice",
    "little_orsl",
    "little_spacers",
)
NETWORK: Final = "network"
"""A network of self-play that is trained for the calibration, a quarter of a million decisions."""
AGENTS: Final = ("tight", "heuristic", "maximiser", NETWORK)

BUDGETS: Final = {"steps": [200_000], "warm": {"steps": 200_000}, "lbr": {"deals": 2_000}}
"""Budgets that are small as the games are."""


@dataclass(frozen=True)
class Row:
    """What the probes find of one agent's exploitability.

    Attributes:
        game: the rung.
        agent: the agent.
        exact: its exploitability, in mante/hand.
        found: the best margin of each probe and half the width of its 95 % interval.
        worst: the probe that won most on the selection deals.
    """

    game: str
    agent: str
    exact: float
    found: dict[str, tuple[float, float]]
    worst: str

    def texts(self, probes: Sequence[Probe]) -> list[str]:
        """Return the cells of its row of the table, with these probes."""
        margins = {name: f"{mean:,.0f} ± {half:,.0f}" for name, (mean, half) in self.found.items()}
        share = f"{self.found[self.worst][0] / self.exact:.0%}" if self.exact >= 1 else ""
        return [
            f"`{self.game}`",
            f"`{self.agent}`" if self.agent != NETWORK else self.agent,
            f"{self.exact:,.1f}",
            *(margins.get(probe, "") for probe in probes),
            margins[self.worst],
            share,
        ]


def measured(game: str, agent: str) -> Row:
    """Measure what is missing of a row."""
    folder = RUNS / game / agent
    spec = str(_network(game)) if agent == NETWORK else agent
    config = validated(ExploitabilityConfig, {"rules": game, "agent": spec, **BUDGETS})
    results = [measure(config, each, folder, resume=True) for each in available_probes(config)]
    return Row(
        game,
        agent,
        round(exact_exploitability(config), 1),
        rounded_margins(results),
        worst_case(results).probe,
    )


def _network(game: str) -> Path:
    """Return a network of self-play in a game."""
    training = training_config(ROOT / "configs/ladder/fast.toml", [f"rules={game}"])
    return train_on(training, RUNS / game / "self-play")


def read_rows() -> Iterator[Row]:
    """Yield the rows in docs/results/calibration.json."""
    for row in json.loads(FIGURES.read_text()):
        yield Row(**row)


def table_lines() -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the page's table, with the probes that were measured."""
    rows = list(read_rows())
    probes = [probe for probe in PROBES if any(probe in row.found for row in rows)]
    head = ["game", "agent", "exact", *probes, "worst of all", "share found"]
    return head, [row.texts(probes) for row in rows]


if __name__ == "__main__":
    rows = []
    for each in ((game, agent) for game in GAMES for agent in AGENTS):
        rows.append(asdict(measured(*each)))
        write_text(FIGURES, json.dumps(rows, indent=1) + "\n")
