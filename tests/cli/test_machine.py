"""What a machine, or an agent's module, can do to a command: one sentence, and no exit code 0."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import run

SABACC = [sys.executable, "-c", "from sabacc_training.cli import main; main()"]

EVALUATION = 'rules = "casino"\nagents = ["random", "tight"]\ndeals = 20\n'

EXITS = """
import sys
class InAct:
    def __init__(self, rules, num_players, bet_sizes=()): pass
    def reset(self, num_tables): pass
    def act(self, observations, action_masks, rng, tables=None): sys.exit(0)
class WhenBuilt(InAct):
    def __init__(self, rules, num_players, bet_sizes=()): sys.exit()
"""


@pytest.fixture
def evaluation(tmp_path: Path) -> Path:
    path = tmp_path / "evaluation.toml"
    path.write_text(EVALUATION)
    return path


def sabacc(*arguments: object, **environment: str) -> tuple[int, str, str]:
    """Run ``sabacc`` in a process of its own; return its exit code, output and errors."""
    words = [*SABACC, *map(str, arguments)]
    done = subprocess.run(
        words, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_more_deals_than_memory_are_refused_by_their_key(evaluation, tmp_path, capsys) -> None:
    arguments = ("tournament", evaluation, "deals=99999999999999999", "--output", tmp_path / "out")
    code, _, errors = run(capsys, *arguments)
    assert code == 2
    assert errors.startswith("sabacc: deals: 99999999999999999 is not allowed: ")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
def test_too_little_memory_is_one_sentence(evaluation: Path, tmp_path: Path) -> None:
    program = (
        "import resource; from sabacc_training.cli import main; import sabacc_env.tables.tables;"
        "import sabacc_training.commands.tournament;"
        "from resource import *; _, hard = getrlimit(RLIMIT_AS);"
        "used = 4096 * int(open('/proc/self/statm').read().split()[0]);"
        "setrlimit(RLIMIT_AS, (used + 2**29, hard)); main()"
    )
    words = [sys.executable, "-c", program, "tournament", evaluation, "deals=1_000_000"]
    words += ['agents=["heuristic", "maximiser"]']  # in the compiled loop there are no tables
    words += ["deals_per_task=1_000_000", "num_tables=1_048_576", "--output", tmp_path / "out"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("sabacc: num_tables: 1048576 tables need more than")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("exits_at_once:Any", "agent: 'exits_at_once:Any' cannot be imported (SystemExit: 3)"),
        (
            "exits:WhenBuilt",
            "agent: 'exits:WhenBuilt' failed in WhenBuilt(rules, num_players, bet_sizes=...): Sys",
        ),
    ],
)
def test_a_module_that_exits_is_an_agent_that_fails(
    evaluation, tmp_path, monkeypatch, capsys, spec: str, sentence: str
) -> None:
    (tmp_path / "exits_at_once.py").write_text("import sys\nsys.exit(3)\n")
    (tmp_path / "exits.py").write_text(EXITS)
    monkeypatch.syspath_prepend(str(tmp_path))
    agents = f'agents=["{spec}", "random"]'
    code, _, errors = run(capsys, "tournament", evaluation, agents, "--output", tmp_path / "out")
    assert code == 2
    assert sentence in errors
    assert errors.count("\n") == 1


def test_an_agent_that_exits_in_a_hand_plays_defaults(
    evaluation, tmp_path, monkeypatch, capsys
) -> None:
    (tmp_path / "exits.py").write_text(EXITS)
    monkeypatch.syspath_prepend(str(tmp_path))
    agents = 'agents=["exits:InAct", "random"]'
    code, output, _ = run(capsys, "tournament", evaluation, agents, "--output", tmp_path / "out")
    assert code == 0
    told = " ".join(output.split())
    assert "InAct failed in " in told
    assert "agent: 'exits:InAct' failed in act: SystemExit: 0 (exits.py, line 6)" in told


@pytest.mark.parametrize("arguments", [("zoo",), ("rules",)])
def test_a_terminal_without_the_letters_gets_their_codes(arguments: tuple[str, ...]) -> None:
    code, output, errors = sabacc(*arguments, PYTHONIOENCODING="ascii")
    assert (code, errors) == (0, "")
    assert output.isascii()
    assert arguments[0] == "rules" or r"\xb1" in output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no /dev/full")
@pytest.mark.parametrize("arguments", [("rules",), ("--help",)])
def test_output_that_cannot_be_written_is_one_sentence(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*SABACC, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    sentence = "sabacc: standard output: cannot be written (No space left on device)\n"
    assert done.stderr == sentence


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_output_that_nobody_reads_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*SABACC, "rules"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert done.returncode != 0
    assert done.stderr == ""


def test_a_misspelt_command_is_answered_before_anything_is_imported() -> None:
    program = "import sys\nfrom sabacc_training.cli import main\ntry:\n    main()\n"
    program += "finally:\n    print(*{'numpy', 'cyclopts', 'sabacc_env'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program, "rulse"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "sabacc: unknown command 'rulse'; did you mean \"rules\"?\n"
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "one_card", "--iterations", "1.5"),
        ("ladder", "one_card", "--seeds", "2.5"),
        ("throughput", "any", "--rounds", "2."),
        ("race", "any", "--seed", "1.0"),
    ],
)
def test_an_option_of_whole_numbers_takes_no_others(capsys, words: tuple[str, ...]) -> None:
    code, _, errors = run(capsys, *words)
    assert code == 2
    assert f"'{words[-1]}' is not a whole number" in errors
