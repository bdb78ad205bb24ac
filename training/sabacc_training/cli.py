"""The ``sabacc`` command: one line for each subcommand, imported only when it is run.

Whatever takes time to import is imported inside ``main``, so that Ctrl-C is quiet from the start.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

if TYPE_CHECKING:
    from cyclopts import App, Token

COMMANDS: Final = {
    "rules": "Show the rule sets: all six, the page of one, or what differs between two.",
    "demo": "Watch an agent learn by self-play, then beat the scripted ones in a tournament.",
    "train": "Train an agent by self-play, from a configuration file.",
    "tournament": "Play every pair of agents over duplicate deals; who wins how much from whom.",
    "solve": "Solve a small game exactly: its value, an equilibrium, how far from it.",
    "distance": "Say how far agents are from equilibrium in a solved game, exactly.",
    "ladder": "Train in a solved game and say how far from equilibrium it came, method by method.",
    "exploit": "Train best responses to an agent: a lower bound of its exploitability.",
    "throughput": "Measure the PPO trainer's decisions a second, and what the environment takes.",
    "zoo": "Show the trained agents that ship: all, or the card of one; publish or measure one.",
    "race": "Train by two configurations to the same strength, and say how long each took.",
    "watch": "Watch one hand between agents, move by move.",
    "bench": "Measure how fast this is, beside its peers; a table, a file, a picture.",
    "speed": "Measure how fast agents decide.",
    "cuda": "Compare tables on a GPU with the CPU byte by byte, and measure them.",
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


NO_MEMORY: Final = "this machine has too little memory for that ({}); ask for less"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``sabacc`` with these arguments, by default the command line's.

    Exits with code 0; with 2 on a wrong command line, and, with one sentence on standard error,
    where the user is at fault, an optional package is absent, or the machine has not what is asked
    of it: memory, a disk with room. With 130, quietly, on Ctrl-C, and with 141, quietly, where
    nobody reads the output any more.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what the terminal has no letters for
    try:
        _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        _forget_output()
        sys.exit(141)
    except OSError as error:
        _forget_output()
        _fail(_refused(error))


def _run(arguments: Sequence[str]) -> None:
    _refuse_unknown(arguments)
    from sabacc_env.errors import SabaccError

    try:
        make_app()(arguments)
    except SabaccError as error:
        _fail(str(error))
    except ImportError as error:
        _fail(_not_imported(error))
    except MemoryError as error:
        _fail(NO_MEMORY.format(error or "none is left"))
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):  # torch has no error of its own for it
            raise
        _fail(NO_MEMORY.format(str(error).splitlines()[0]))


def _refused(error: OSError) -> str:
    """Say what the system refused: most often room for the output."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT):
        return f"standard output: cannot be written ({error.strerror})"
    return str(error)


def _refuse_unknown(arguments: Sequence[str]) -> None:
    """Refuse a misspelt command at once: the rest takes a second to import."""
    name = arguments[0] if arguments else "--help"
    if name.startswith("-") or name in COMMANDS:
        return
    near = get_close_matches(name, COMMANDS, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"use one of {', '.join(COMMANDS)}"
    _fail(f"unknown command {name!r}; {hint}")


def make_app() -> App:
    """Return the ``sabacc`` command; a subcommand is imported when it is used."""
    from importlib.metadata import version

    from cyclopts import App, Parameter

    app = App(
        name="sabacc",
        help="Corellian Spike Sabacc: rules, agents, training and tournaments.",
        version=version("sabacc-env"),
        default_parameter=Parameter(converter=_converted),
    )
    for name, line in COMMANDS.items():
        app.command(f"sabacc_training.commands.{name}:{name}", name=name, help=line)
    return app


def _converted(type_: Any, tokens: Sequence[Token]) -> Any:
    """Convert what was given for a parameter as Cyclopts does, which would round 1.5 to an int."""
    from cyclopts import convert

    if int in (type_, *get_args(type_)):
        for token in tokens:
            if "." in token.value:
                raise ValueError(f"{token.value!r} is not a whole number")
    return convert(type_, tokens)


def _not_imported(error: ImportError) -> str:
    """Say what could not be imported: which extra has it, or why; a mistake of ours goes on."""
    from sabacc_env.errors import how_to_install

    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    if isinstance(cause, ModuleNotFoundError):
        module = (cause.name or "").partition(".")[0]
        if module not in EXTRAS:
            raise error
        return f"this needs {module}; {how_to_install(EXTRAS[module])}"
    if isinstance(cause, MemoryError) or "cannot" in str(cause) or "failed" in str(cause):
        return f"a library cannot be loaded ({cause})"
    raise error


def _forget_output() -> None:
    """Let what standard output could not take be lost: Python would try it again at its exit."""
    with Path(os.devnull).open("w") as nothing, suppress(OSError, ValueError):
        os.dup2(nothing.fileno(), sys.stdout.fileno())


def _fail(sentence: str) -> None:
    print(f"sabacc: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(2)
