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
    from cyclopts import App, CycloptsError, Token

COMMANDS: Final = {
    "rules": "Show the rule sets: all six, the page of one, or what differs between two.",
    "demo": "Train an agent by self-play, then play it against the scripted agents.",
    "train": "Train an agent by self-play, from a configuration file.",
    "tournament": "Let agents play each other over duplicate deals and print their margins.",
    "merge": "Put the parts of a tournament that were played in several folders together.",
    "report": "Write a report of a tournament: one page with charts, tables and replays.",
    "solve": "Solve a small game: compute an equilibrium, its value and its NashConv.",
    "blueprint": "Solve an abstraction of a game of two seats by Monte Carlo CFR.",
    "resolving": "Make an agent that plays a blueprint and solves last betting phases again.",
    "distance": "Compute the NashConv of agents in a small game, their distance from equilibrium.",
    "ladder": "Train in a small game by several methods and compute the NashConv of each.",
    "exploit": "Measure what opponents win from an agent: a lower bound of its exploitability.",
    "exploit-table": "Measure what every probe wins from every agent that ships, in pieces.",
    "generalise": "Train on a rule space, and measure under rules that were never met.",
    "throughput": "Measure the speed of the PPO trainer and the environment's share of its time.",
    "zoo": "Show the trained agents of the zoo, or the card of one; measure or publish one.",
    "race": "Train by several configurations to the same strength and print the time of each.",
    "variates": "Measure how much narrower control variates make the interval of a margin.",
    "watch": "Watch one hand between agents, move by move.",
    "replay": "Replay recorded hands, move by move.",
    "play": "Sit down at a table in the browser or the terminal, or watch agents at one.",
    "openenv": "Serve a seat that answers in words, as an OpenEnv environment.",
    "score": "Score language models, and other agents, by regrets and a margin.",
    "finetune": "Fine-tune a small language model by the exact regrets of its answers.",
    "bench": "Measure the speed of this project and of its peers.",
    "speed": "Measure how fast agents decide.",
    "cuda": "Compare tables on a GPU with the CPU byte by byte, and measure their speed.",
}
"""Each subcommand with the line that ``sabacc --help`` shows; ``name`` is the function ``name`` of
``sabacc_training.commands.name``, with _ for -."""

EXTRAS: Final = {
    "torch": "train",
    "stable_baselines3": "train",
    "sb3_contrib": "train",
    "tensorboard": "train",
    "safetensors": "train",
    "scipy": "train",
    "filelock": "train",
    "starlette": "play",
    "uvicorn": "play",
    "websockets": "play",
    "textual": "play",
    "openenv": "openenv",
    "jinja2": "train",
    "plotly": "train",
}
"""The extra of ``sabacc-env`` that installs each optional module."""

OPTIONS: Final = ("--help", "-h", "--version")
"""The options of ``sabacc`` itself."""

NO_MEMORY: Final = "this machine has too little memory for that ({}); ask for less"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``sabacc`` with these arguments, by default those of the command line, and exit.

    The exit code is 0 for success. It is 2 for a mistake of the user, a missing optional package,
    and too little memory or disk space; one sentence on standard error says which. It is 130 after
    Ctrl-C, and 141 where nobody reads the output any more; both print nothing.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # characters that the terminal lacks
    try:
        _run(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        _discard_output()
        sys.exit(141)
    except OSError as error:
        _discard_output()
        _fail(_system_error_sentence(error))


def _run(arguments: Sequence[str]) -> None:
    _refuse_unknown(arguments)
    from cyclopts import CycloptsError

    from sabacc_env.errors import SabaccError

    try:
        make_app()(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        _fail(_usage_error_sentence(error))
    except SabaccError as error:
        _fail(str(error))
    except ImportError as error:
        _fail(_import_error_sentence(error))
    except MemoryError as error:
        _fail(NO_MEMORY.format(error or "none is left"))
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):  # torch has no error of its own for it
            raise
        _fail(NO_MEMORY.format(str(error).splitlines()[0]))


def _system_error_sentence(error: OSError) -> str:
    """Return a sentence about an error of the system, most often a full disk."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT):
        return f"standard output: cannot be written ({error.strerror})"
    return str(error)


def _refuse_unknown(arguments: Sequence[str]) -> None:
    """Refuse a misspelt command or option at once: the rest takes a second to import."""
    name = arguments[0] if arguments else "--help"
    what, known = ("option", OPTIONS) if name.startswith("-") else ("command", tuple(COMMANDS))
    if name in known:
        return
    near = get_close_matches(name, known, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"use one of {', '.join(known)}"
    _fail(f"unknown {what} {name!r}; {hint}")


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
        module = name.replace("-", "_")
        app.command(f"sabacc_training.commands.{module}:{module}", name=name, help=line)
    return app


def _converted(type_: Any, tokens: Sequence[Token]) -> Any:
    """Convert the words of a parameter as Cyclopts does, but do not round 1.5 to an int."""
    from cyclopts import convert

    if int in (type_, *get_args(type_)):
        for token in tokens:
            if "." in token.value:
                raise ValueError(f"{token.value!r} is not a whole number")
    return convert(type_, tokens)


def _usage_error_sentence(error: CycloptsError) -> str:
    """Return a sentence about words that a command does not take."""
    from cyclopts import MissingArgumentError, UnusedCliTokensError

    command = " ".join(error.command_chain or ())
    if isinstance(error, UnusedCliTokensError):
        sentence = f"too many arguments: {' '.join(error.unused_tokens or ())}"
    elif isinstance(error, MissingArgumentError) and error.argument is not None:
        option = error.keyword
        name = error.argument.name.lstrip("-").upper()
        sentence = f"{option} needs a value" if option else f"{name} is missing"
    else:
        sentence = str(error).rstrip(".").replace(". Did you mean", "; did you mean")
        sentence = sentence[:1].lower() + sentence[1:]
    hint = "" if sentence.endswith("?") else f"; see `sabacc {command} --help`"
    return f"{command}: {sentence}{hint}"


def _import_error_sentence(error: ImportError) -> str:
    """Return a sentence that says which extra has a module, or why a library cannot be loaded.

    Raises:
        ImportError: the same error, where it is a mistake of this project.
    """
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


def _discard_output() -> None:
    """Discard what standard output could not take; Python would write it again at its exit."""
    with Path(os.devnull).open("w") as nothing, suppress(OSError, ValueError):
        os.dup2(nothing.fileno(), sys.stdout.fileno())


def _fail(sentence: str) -> None:
    print(f"sabacc: {' '.join(sentence.split())}", file=sys.stderr)
    sys.exit(2)
