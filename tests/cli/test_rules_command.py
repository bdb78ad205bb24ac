"""The ``sabacc`` command and ``sabacc rules``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sabacc_training import cli

from sabacc_env.rules import load_rules, rule_sets
from sabacc_env.rules.text import page
from tests.support.commands import run


def test_without_a_name_all_six_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, errors = run(capsys, "rules")
    assert (code, errors) == (0, "")
    assert all(name in output for name in rule_sets())


@pytest.mark.parametrize("name", rule_sets())
def test_a_name_prints_its_page(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, output, _ = run(capsys, "rules", name)
    assert code == 0
    assert load_rules(name).title in output
    written = " ".join(output.split())
    assert all(
        sentence in written for part in page(load_rules(name)) for sentence in part.sentences
    )


def test_a_rules_file_prints_its_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "Mine [bold]"\nrounds = 1\n')
    code, output, _ = run(capsys, "rules", str(path))
    assert code == 0
    assert "Mine [bold]" in output
    assert "One round of cards" in output


def test_diff_shows_the_fields_that_differ(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, _ = run(capsys, "rules", "orsl", "--diff", "three_en")
    assert code == 0
    assert [line.split()[0] for line in output.splitlines()] == ["field", "phases", "ranking"]
    assert "have the same rules" in run(capsys, "rules", "orsl", "--diff", "orsl")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rules", "cassino"], "did you mean casino?"),
        (["rules", "none.toml"], "none.toml: cannot be read"),
        (["rules", "--diff", "orsl"], "name the rule set to compare 'orsl' with first"),
        (["rules", "--diff"], "rules: --diff needs a value; see `sabacc rules --help`"),
        (["rules", "a", "b"], "rules: too many arguments: b; see `sabacc rules --help`"),
        (["train"], "train: CONFIG is missing; see `sabacc train --help`"),
        (["bench", "--foo"], "bench: unknown option: --foo; see `sabacc bench --help`"),
        (["watch", "--rule", "casino"], "watch: unknown option: --rule; did you mean --rules?"),
        (["watch", "--seed", "x"], 'watch: invalid value for --seed: unable to convert "x" into'),
        (["--verison"], "unknown option '--verison'; did you mean \"--version\"?"),
    ],
)
def test_an_error_is_one_sentence_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    code, output, errors = run(capsys, *arguments)
    assert (code, output) == (2, "")
    assert errors.count("\n") == 1
    assert errors.startswith("sabacc: ")
    assert words in errors


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, errors = run(capsys, "rulez")
    assert code == 2
    assert '"rules"' in errors


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, _ = run(capsys, "--help")
    assert code == 0
    assert all(name in output for name in cli.COMMANDS)


@pytest.mark.parametrize("when", ["at import", "in the command"])
def test_an_absent_extra_says_what_installs_it(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    when: str,
) -> None:
    late = "    " if when == "in the command" else ""
    body = f"def needy():\n    pass\n{late}import torch.nn\n"
    add_command(monkeypatch, tmp_path, body)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, _, errors = run(capsys, "needy")
    assert code == 2
    assert errors == (
        "sabacc: this needs torch; install it from a checkout of sabacc-env with "
        '`pip install ".[train]"`\n'
    )


def test_an_interrupt_while_a_command_is_imported_is_quiet(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add_command(monkeypatch, tmp_path, "raise KeyboardInterrupt\n")
    assert run(capsys, "needy") == (130, "", "")


def test_what_takes_time_to_import_waits_for_main() -> None:
    script = (
        "import sys\n"
        "from sabacc_training import cli\n"
        "assert not {'sabacc_env', 'numpy', 'cyclopts'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_bench_refuses_before_anything_compiles() -> None:
    script = (
        "import sys\n"
        "from sabacc_training import cli\n"
        "sys.modules['filelock'] = None\n"
        "try:\n"
        "    cli.main(['bench'])\n"
        "except SystemExit as ended:\n"
        "    assert ended.code == 2\n"
        "assert 'sabacc_env.policies' not in sys.modules\n"  # whose loop compiles at import
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_any_other_missing_module_is_a_bug_and_stays_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    add_command(monkeypatch, tmp_path, "import no_such_module_of_ours\n")
    with pytest.raises(ImportError):
        cli.main(["needy"])


def add_command(monkeypatch: pytest.MonkeyPatch, folder: Path, source: str) -> None:
    """Register a command ``needy`` whose module has this source."""
    import sabacc_training.commands

    (folder / "needy.py").write_text(source)
    monkeypatch.setattr(
        sabacc_training.commands, "__path__", [*sabacc_training.commands.__path__, str(folder)]
    )
    monkeypatch.setitem(cli.COMMANDS, "needy", "Needs an extra.")
    monkeypatch.delitem(sys.modules, "sabacc_training.commands.needy", raising=False)


def test_rules_and_help_never_import_torch() -> None:
    script = (
        "import sys\n"
        "from sabacc_training import cli\n"
        "for arguments in (['--help'], ['rules', 'casino']):\n"
        "    try:\n"
        "        cli.main(arguments)\n"
        "    except SystemExit as ended:\n"
        "        assert not ended.code\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_scripted_agents_are_watched_on_a_plain_install() -> None:
    script = (
        "import sys\n"
        "from sabacc_training import cli\n"
        "sys.modules.update(dict.fromkeys(cli.EXTRAS))\n"  # None: as if it were not installed
        "cli.main(['watch', 'tight', 'maximiser', '--seed', '1'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert "net credits" in done.stdout


def test_the_module_runs_too() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sabacc_training", "rules", "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith('sabacc: rules: "nothing" is not a rule set')
    assert "Traceback" not in done.stderr
