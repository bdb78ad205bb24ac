"""What each part of a method is worth: agents without it, and what opponents win from them.

``python -m tools.ablations`` makes and measures what is missing in runs/ablations/, and writes
docs/results/ablations.json. ``python -m tools.ablations "log barrier" league`` makes some methods
only, so that several processes can share the work, but not ``blueprint`` and ``resolving``, which
plays it.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final, Literal

from sabacc_agents.blueprint.blueprint import save_blueprint
from sabacc_agents.resolving.agent import ITERATIONS
from sabacc_agents.resolving.last_phase import DEFAULT_RANGES
from sabacc_agents.resolving.saved import Resolving, save_resolving
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.config.base import load_config, validated
from sabacc_training.exploitability.config import ExploitabilityConfig
from sabacc_training.exploitability.probes import Probe, measure
from sabacc_training.exploitability.results import rounded_margins, worst_case
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import StoppedBySignal, exit_when_stopped, stop_signals
from sabacc_training.trainers import train, training_config

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import make_folder, write_text

ROOT: Final = Path(__file__).parent.parent
FIGURES: Final = ROOT / "docs/results/ablations.json"
RUNS: Final = Path("runs", "ablations")

SEEDS: Final = 3
DEPTH: Final = {"stacks": [10, 10], "equal_stacks": 1.0}
"""Stacks of 10 antes: a method is made and measured in minutes."""
BUDGETS: Final[dict[str, Any]] = {
    "steps": [2_000_000],
    "seeds": 1,
    "ppo": {"hidden_sizes": [128, 128]},
    "lbr": {"deals": 2_000},
}
PROBES: Final[tuple[Probe, ...]] = ("trained", "lbr", "patterns")
SLOW_AGENT_PROBES: Final[tuple[Probe, ...]] = ("lbr",)
"""For agents that search: a response to one takes half an hour."""

PLAIN_BLUEPRINT: Final = "blueprint"

Kind = Literal["network", "blueprint", "resolving"]


@dataclass(frozen=True)
class Method:
    """A way to make an agent: a configuration, and what is changed in it.

    Attributes:
        kind: what is made.
        config: the configuration's name in configs/; that of ``PLAIN_BLUEPRINT`` for an agent that
            plays it and solves last betting phases again.
        changes: keys to change, as on a command line.
    """

    kind: Kind
    config: str = ""
    changes: tuple[str, ...] = ()

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The probes that measure it."""
        return SLOW_AGENT_PROBES if self.kind == "resolving" else PROBES


def _network(*changes: str, config: str = "casino-2p-self-play") -> Method:
    start = ("start.stacks=[10, 10]", "start.equal_stacks=1.0", "steps=4_000_000")
    return Method("network", config, (*start, *changes))


def _blueprint(*changes: str, epochs: int = 200) -> Method:
    shared = "stacks=[10]", f"epochs={epochs}"
    return Method("blueprint", "zoo/casino-2p-blueprint", (*shared, *changes))


METHODS: Final = {
    "self-play": _network(),
    "log barrier": _network("ppo.log_barrier_coef=[0.005, 0.0005]"),
    "trembles": _network("ppo.trembles=[0.5, 0.3]"),
    "recall": _network("ppo.recalled_decisions=3"),
    "advantages in stakes": _network('ppo.advantage_unit="stake"'),
    "league": _network(config="casino-2p-league"),
    "league without exploiters": _network(
        "league.cold=0", "league.warm=0", config="casino-2p-league"
    ),
    PLAIN_BLUEPRINT: _blueprint(),
    "bets of the pot only": _blueprint("agent_sizes=[1]"),
    "three bet sizes": _blueprint('agent_sizes=[0.5, 1, "max"]'),
    "swaps told apart": _blueprint("tells_swaps=true"),
    "swaps told apart after 80 epochs": _blueprint("tells_swaps=true", "coarse_epochs=80"),
    "100 epochs": _blueprint(epochs=100),
    "400 epochs": _blueprint(epochs=400),
    "800 epochs": _blueprint(epochs=800),
    "800 epochs, swaps told apart after 80": _blueprint(
        "tells_swaps=true", "coarse_epochs=80", epochs=800
    ),
    "resolving": Method("resolving"),
}


@dataclass(frozen=True)
class Row:
    """What opponents win from one agent.

    Attributes:
        method: how it was made, one of ``METHODS``.
        seed: the seed of that.
        cpu_seconds: what it took.
        found: the best margin of each probe in mante/hand, and half the width of its 95 % interval.
        worst: the probe that won most on the selection deals.
    """

    method: str
    seed: int
    cpu_seconds: float
    found: dict[str, tuple[float, float]]
    worst: str


def measured(name: str, seed: int) -> Row:
    """Make an agent and measure it, or return what was measured before.

    An agent that is not finished is begun again, so that its time is right. Probes are resumed.
    """
    folder = _folder(name, seed)
    row = folder / "row.json"
    if row.exists():
        return Row(**_read_json(row))
    path, cpu_seconds = made(name, seed)
    config = validated(
        ExploitabilityConfig, {"rules": "casino", "agent": str(path), "start": DEPTH, **BUDGETS}
    )
    probes = METHODS[name].probes
    with locked_folder(folder):
        results = [measure(config, probe, folder / "probes", resume=True) for probe in probes]
    found = Row(name, seed, cpu_seconds, rounded_margins(results), worst_case(results).probe)
    write_text(row, json.dumps(asdict(found)) + "\n")
    return found


def made(name: str, seed: int) -> tuple[Path, float]:
    """Make an agent, or find it; return the path of its file and the CPU-seconds that it took."""
    folder = _folder(name, seed)
    done, agent = folder / "made.json", folder / "agent"
    with locked_folder(folder):
        if not done.exists():
            for left in (agent, folder / "probes"):
                shutil.rmtree(left, ignore_errors=True)
            make_folder(agent)
            print(f"making {name!r}, seed {seed}", file=sys.stderr)
            try:
                found = _make(METHODS[name], seed, agent)
            except StoppedBySignal:
                raise StoppedBySignal("the agent that was being made is lost") from None
            write_text(done, json.dumps(found) + "\n")
        file, cpu_seconds = _read_json(done)
    return agent / file, cpu_seconds


def _make(method: Method, seed: int, folder: Path) -> tuple[str, float]:
    """Make an agent in a folder; return the name of its file and the CPU-seconds that it took."""
    if method.kind == "resolving":
        blueprint, cpu_seconds = made(PLAIN_BLUEPRINT, seed)
        shutil.copy(blueprint, folder)
        name = "resolving.safetensors"
        save_resolving(folder / name, Resolving(blueprint.name, ITERATIONS, DEFAULT_RANGES))
        return name, cpu_seconds
    begun = time.process_time()
    config, changes = f"configs/{method.config}.toml", (*method.changes, f"seed={seed}")
    if method.kind == "network":
        path = train(training_config(config, changes), folder)
    else:
        solver = BlueprintSolver(load_config(BlueprintConfig, config, changes))
        with stop_signals() as stops:
            while solver.epochs < solver.config.epochs:
                solver.run_epoch()
                if stops:
                    raise StoppedBySignal
        path = folder / "blueprint.safetensors"
        save_blueprint(path, solver.blueprint())
    return path.name, round(time.process_time() - begun, 1)


def _folder(name: str, seed: int) -> Path:
    return RUNS / name.replace(",", "").replace(" ", "-") / str(seed)


def _read_json(path: Path) -> Any:
    """Return what a file of results holds.

    Raises:
        SabaccError: for a damaged file.
    """
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise SabaccError(f"{path}: is damaged ({error}); remove the file") from None


def read_rows() -> Iterator[Row]:
    """Yield the rows in docs/results/ablations.json."""
    for row in _read_json(FIGURES):
        yield Row(**row)


def table_lines(kinds: Sequence[Kind]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table of some kinds of agents, in the order here."""
    head = ["method", "CPU-minutes", *PROBES, "worst of all, by seed", "mean"]
    rows = list(read_rows())
    lines = []
    for name, method in METHODS.items():
        of_method = [row for row in rows if row.method == name]
        if method.kind in kinds and of_method:
            lines.append([name, *_texts(of_method)])
    return head, lines


def _texts(rows: Sequence[Row]) -> list[str]:
    """Return the cells of a method's row, from its rows of all seeds."""
    minutes = mean(row.cpu_seconds for row in rows) / 60
    probes = [[row.found[probe][0] for row in rows if probe in row.found] for probe in PROBES]
    worst = [row.found[row.worst] for row in rows]
    margins = [margin for margin, _ in worst]
    spread = f" ± {stdev(margins):,.0f}" if len(margins) > 1 else ""
    return [
        f"{minutes:,.1f}",
        *(f"{mean(margins):,.0f}" if margins else "" for margins in probes),
        ", ".join(f"{margin:,.0f} ± {half:,.0f}" for margin, half in worst),
        f"{mean(margins):,.0f}{spread}",
    ]


def write_figures() -> None:
    """Write all rows in runs/ablations/ into docs/results/ablations.json. Other rows stay there."""
    rows = {(row.method, row.seed): row for row in read_rows()}
    for path in RUNS.glob("*/*/row.json"):
        row = Row(**_read_json(path))
        rows[row.method, row.seed] = row
    found = [rows[each] for each in product(METHODS, range(SEEDS)) if each in rows]
    write_text(FIGURES, json.dumps([asdict(row) for row in found], indent=1) + "\n")


def main(names: Sequence[str]) -> None:
    """Make and measure the methods with these names, or all."""
    if {"-h", "--help"} & set(names):
        print(__doc__, *METHODS, sep="\n")
        return
    if unknown := [name for name in names if name not in METHODS]:
        known = ", ".join(f'"{name}"' for name in METHODS)
        sys.exit(f"ablations: no method is named {unknown[0]!r}; name some of {known}")
    with exit_when_stopped(RUNS, "run the same command again"):
        for each in product(names or METHODS, range(SEEDS)):
            print(measured(*each))
            write_figures()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SabaccError as error:
        sys.exit(f"ablations: {error}")
