"""What the documentation says is so: code runs, commands exist, generated tables are current.

Python blocks are run in the order of their page, all of a page in one namespace. A block that
cannot be run everywhere has a comment before it that readers do not see, ``<!--- skip: next -->``,
with the reason. Commands are parsed, configurations and overrides included; the quick ones are run.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from doctest import ELLIPSIS
from importlib import metadata
from pathlib import Path
from unittest import SkipTest

import numpy as np
import pytest
from numba import cuda
from sabacc_agents import load
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.cli import COMMANDS, make_app
from sabacc_training.config.base import Config, load_config
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.trainers import training_config
from sybil import Document
from sybil.parsers.myst import PythonCodeBlockParser, SkipParser

from sabacc_env import Tables, actions, agent_calls
from sabacc_env.observation import decode
from tests.support.model_server import serving_model
from tools import draw_layers

ROOT = Path(__file__).parent.parent
FILES = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
PAGES = {
    str(path.relative_to(ROOT)): path.read_text() for path in FILES if "_build" not in path.parts
}
TUTORIALS = [name for name in PAGES if name == "README.md" or Path(name).parent.name == "docs"]

FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`(sabacc [^`]+)`")  # in running text
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")

PATIENT = next(text for _, text in FENCED.findall(PAGES["README.md"]) if "class Patient" in text)
PERL = next(
    text for language, text in FENCED.findall(PAGES["docs/your-own-agent.md"]) if language == "perl"
)
QUICK = ("watch", "rules", "solve", "distance", "zoo")
SHORTENED = {"train": ["steps=40_000"], "tournament": ["deals=500"]}
"""What is added to a command that takes minutes as it stands."""

WARNINGS = {
    "docs/libraries/pettingzoo.md": ("ignore:.*Box (low|high)'s precision",),
    "docs/libraries/rlcard.md": ("ignore:.*distutils:DeprecationWarning",),
    "docs/libraries/torchrl.md": (
        "ignore:Creating .*WeightUpdater:DeprecationWarning",
        "ignore:PettingZoo in TorchRL is tested",
        "ignore:The given NumPy array is not writable",
    ),
}
"""What the blocks of a page make a library warn of."""

spec = importlib.util.spec_from_file_location("tables", ROOT / "tools" / "generate_tables.py")
assert spec is not None
assert spec.loader is not None
tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tables)


def lines_of(script: str) -> Iterator[list[str]]:
    """Yield the words of each command of a shell script; quotes may go over several lines."""
    command = ""
    for line in script.replace("\\\n", " ").splitlines():
        command += f"{line}\n"
        with suppress(ValueError):  # a quotation that is still open
            if words := shlex.split(command, comments=True):
                yield words
            command = ""
    assert not command, f"unfinished: {command}"


def commands_in(name: str) -> list[list[str]]:
    """Return the commands in the bash blocks of a page."""
    blocks = [text for language, text in FENCED.findall(PAGES[name]) if language == "bash"]
    return [words for text in blocks for words in lines_of(text)]


def sabacc_commands(*names: str) -> list[list[str]]:
    """Return the different ``sabacc`` commands in the bash blocks of pages."""
    commands = [words for name in names for words in commands_in(name) if words[0] == "sabacc"]
    return [list(words) for words in dict.fromkeys(map(tuple, commands))]


def installed_by(name: str) -> list[str]:
    """Return the distributions that a page of a library installs beside this one."""
    installs = [words[2:] for words in commands_in(name) if words[:2] == ["pip", "install"]]
    libraries = [word for words in installs for word in words if not word.startswith((".", "-"))]
    return libraries if Path(name).parent.name == "libraries" else []


MEASURED_AGAIN = {"docs/reference/ladder.md", "docs/reference/short-calls.md"}
"""Pages whose numbers take long: games are solved, hands are played."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in MEASURED_AGAIN else ())
        for name in tables.PAGES
    ],
)
def test_generated_table_is_current(name: str) -> None:
    page = (ROOT / name).read_text()
    assert page == tables.PAGES[name](), "run `make tables`"


def test_the_picture_of_the_house_has_every_room() -> None:
    assert draw_layers.PICTURE.read_text() == draw_layers.picture(), "python -m tools.draw_layers"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.filterwarnings(each) for each in WARNINGS.get(name, ())]
        )
        for name in PAGES
        if "```python" in PAGES[name]
    ],
)
def test_python_blocks_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for distribution in installed_by(name):
        if not list(metadata.distributions(name=distribution)):
            pytest.skip(f"needs {distribution}")
    monkeypatch.chdir(tmp_path)
    parsers = PythonCodeBlockParser(doctest_optionflags=ELLIPSIS), SkipParser()
    document = Document.parse(str(ROOT / name), *parsers)
    document.namespace.update(__name__="documentation", has_gpu=cuda.is_available())
    for example in document:
        with suppress(SkipTest):
            example.evaluate()


OTHER_CONFIGS: dict[str, type[Config]] = {
    "blueprint": BlueprintConfig,
    "tournament": TournamentConfig,
}
"""The configurations of commands that take no configuration of training."""


@pytest.mark.parametrize("name", [name for name in PAGES if name != "CHANGELOG.md"])
def test_commands_parse(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    app = make_app()
    inline = [shlex.split(command) for command in CODE.findall(FENCED.sub("", PAGES[name]))]
    for words in [*sabacc_commands(name), *inline]:
        if len(words) == 2 or words[2] == "--help":  # the name of a command
            assert words[1] in COMMANDS
            continue
        command, bound, _ = app.parse_args(words[1:], exit_on_error=False, print_error=False)
        config, overrides = (bound.arguments.get(key, ()) for key in ("config", "overrides"))
        if not config or re.search("[A-Z]{3}", config):  # NAME stands for any
            continue
        if command.__name__ in OTHER_CONFIGS:
            load_config(OTHER_CONFIGS[command.__name__], config, overrides)
        else:
            training_config(config, overrides)


@pytest.mark.parametrize(
    "words",
    [
        words
        for words in sabacc_commands(*TUTORIALS)
        if words[1] in QUICK and "runs/" not in str(words)  # what a long command wrote
    ],
    ids=" ".join,
)
def test_quick_command(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PATIENT)
    (tmp_path / "my_agent.pl").write_text(PERL)
    if "process:perl my_agent.pl" in words:
        needs_perl()
    run = "from sabacc_training.cli import main; main()"
    # As the installed command does it, which has not the current folder on its path (-P).
    with serving_model() as model:
        environment = os.environ | {"OPENAI_BASE_URL": model.url, "NO_PROXY": "*"}
        command = [sys.executable, "-P", "-c", run, *words[1:]]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)


def needs_perl() -> None:
    """Skip a test where there is no perl with the module that the examples use."""
    if subprocess.run(["perl", "-MJSON::PP", "-e", "1"], check=False).returncode:
        pytest.skip("needs perl with JSON::PP")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [words for words in sabacc_commands("README.md") if words[1] in SHORTENED],
    ids=" ".join,
)
def test_long_command(words: list[str], tmp_path: Path) -> None:
    configs = [str(ROOT / word) if word.endswith(".toml") else word for word in words[1:]]
    command = [sys.executable, "-m", "sabacc_training", *configs, *SHORTENED[words[1]]]
    subprocess.run(command, cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "target",
    sorted({words[1] for name in PAGES for words in commands_in(name) if words[0] == "make"}),
)
def test_make_target_exists(target: str) -> None:
    subprocess.run(["make", target, "--dry-run"], cwd=ROOT, check=True, capture_output=True)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_files(name: str) -> None:
    # The site's build checks anchors; these files are read outside of it, too.
    folder = (ROOT / name).parent
    links = LINK.findall(FENCED.sub("", PAGES[name]))
    assert [link for link in links if not (folder / link).exists()] == []


@pytest.mark.parametrize("name", [name for name in PAGES if "architecture" in name])
def test_code_that_is_named_exists(name: str) -> None:
    paths = re.findall(
        r"`((?:sabacc_env|agents|training|tests|docs|configs)/[\w./-]+)`", PAGES[name]
    )
    assert [path for path in paths if "NAME" not in path and not (ROOT / path).exists()] == []
    for path, function in re.findall(r"`([\w/]+\.py)`: `(\w+)`", PAGES[name]):
        assert re.search(rf"(def|class) {function}\b", (ROOT / path).read_text()), (path, function)


def test_the_custom_agent_plays_legal_moves() -> None:
    assert len([line for line in PATIENT.splitlines() if line.strip()]) <= 18
    namespace: dict[str, object] = {"__name__": "readme"}
    exec(compile(PATIENT, "README.md", "exec"), namespace)
    tables = Tables("casino", num_tables=64, num_players=3, seed=0)
    agent = namespace["Patient"](tables.rules, 3)  # type: ignore[operator]
    rng = np.random.default_rng(0)
    for _ in range(50):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))


def test_the_process_of_the_page_plays_as_it_says(tmp_path: Path) -> None:
    """Ten lines: they stand on totals from -2 to +2, draw otherwise, and check or call."""
    needs_perl()
    assert len(PERL.splitlines()) <= 10
    (tmp_path / "my_agent.pl").write_text(PERL)
    tables = Tables("casino", num_tables=32, num_players=2, seed=0)
    agent = load(f"process:perl {shlex.quote(str(tmp_path / 'my_agent.pl'))}", "casino", 2)
    rng = np.random.default_rng(0)
    agent_calls.begin([agent], tables)
    for _ in range(20):
        chosen = agent_calls.actions_at(agent, tables, np.arange(32), rng)
        seen, masks = decode(tables.observations), tables.action_masks > 0
        expected = masks.argmax(axis=1)  # the dice made it put down a card
        for action in (actions.STAND, actions.CALL, actions.CHECK, actions.DRAW):
            content = (abs(seen.own_total) <= 2) if action == actions.DRAW else False
            expected = np.where(masks[:, action] & ~np.asarray(content), action, expected)
        assert chosen.tolist() == expected.tolist()
        tables.step(chosen)
