"""The ``sabacc`` command: one line for each subcommand, imported only when it is run.

Whatever takes time to import is imported inside ``main``, so that Ctrl-C is quiet from the start.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cyclopts import App

COMMANDS: Final = {
    "rules": "Show the rule sets: all six, the page of one, or what differs between two.",
    "demo": "Watch an agent learn by self-play, then beat the scripted ones in a tournament.",
    "train": "Train an agent by self-play, from a configuration file.",
    "tournament": "Play every pair of agents over duplicate deals; who wins how much from whom.",
    "solve": "Solve a small game exactly: its value, an equilibrium, how far from it.",
    "distance": "Say how far agents are from equilibrium in a solved game, exactly.",
    "ladder": "Train in a solved game and say how far from equilibrium it came, method by method.",
    "exploit": "Train best responses to an agent: a lower bound of its exploitability.",
    "throughput": "Measure the fast trainer's decisions a second, and what the environment takes.",
    "zoo": "Show the trained agents that ship: all, or the card of one; publish or measure one.",
    "race": "Train by two configurations to the same strength, and say how long each took.",
    "watch": "Watch one hand between agents, move by move.",
    "bench": "Measure how fast this is, beside its peers; a table, a file, a picture.",
}
"""Each subcommand with the line that ``sabacc --help`` shows; ``name`` is the function ``name`` of
``sabacc_training.commands.name``."""

EXTRAS: Final = {
    "torch": "train",
    "stable_baselines3": "train",
    "sb3_contrib": "train",
    "tensorboard": "train",
    "safetensors": "train",
    "scipy": "train",
    "filelock": "train",
}
"""The extra of ``sabacc-env`` that installs each optional module."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``sabacc`` with these arguments, by default the command line's.

    Exits with code 0; with 2 on a wrong command line, and, with one sentence on standard error,
    where the user is at fault or an optional package is absent; with 130, quietly, on Ctrl-C.
    """
    try:
        _run(arguments)
    except KeyboardInterrupt:
        sys.exit(130)


def _run(arguments: Sequence[str] | None) -> None:
    from sabacc_env.errors import SabaccError

    try:
        _app()(arguments)
    except SabaccError as error:
        _fail(str(error))
    except ImportError as error:
        _fail(_absent_extra(error))


def _app() -> App:
    from importlib.metadata import version

    from cyclopts import App

    app = App(
        name="sabacc",
        help="Corellian Spike Sabacc: rules, agents, training and tournaments.",
        version=version("sabacc-env"),
    )
    for name, line in COMMANDS.items():
        app.command(f"sabacc_training.commands.{name}:{name}", name=name, help=line)
    return app


def _absent_extra(error: ImportError) -> str:
    """Say which extra has the module that could not be imported; any other error goes on."""
    cause: BaseException | None = error
    while isinstance(cause, ImportError):
        module = (cause.name or "").partition(".")[0]
        if module in EXTRAS:
            extra = EXTRAS[module]
            return f'this needs {module}, which `pip install "sabacc-env[{extra}]"` installs'
        cause = cause.__cause__
    raise error


def _fail(sentence: str) -> None:
    print(f"sabacc: {sentence}", file=sys.stderr)
    sys.exit(2)
