"""What identifies an agent: the content of its file, wherever the file lies."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from sabacc_agents.zoo import network_file
from sabacc_training.config.base import dump, validated
from sabacc_training.tournaments.agent_files import agent_digest, agent_file, identity
from sabacc_training.tournaments.config import TournamentConfig

from sabacc_env.errors import SabaccError

AGENT = """
class Mine:
    def __init__(self, *_, **__): ...
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a script, a module and a package."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my agent.pl").write_text("print 1;")
    (tmp_path / "my_own_agent.py").write_text(AGENT)
    (tmp_path / "package_of_mine").mkdir()
    (tmp_path / "package_of_mine" / "__init__.py").write_text("raise RuntimeError")
    (tmp_path / "package_of_mine" / "inner.py").write_text(AGENT)
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        ("tight", None),
        ("process:perl 'my agent.pl' --log log.txt", "my agent.pl"),
        ("process:timeout_s=3 perl -w 'my agent.pl'", "my agent.pl"),
        ("process:./my_own_agent.py", "my_own_agent.py"),
        ("process:perl none.pl", None),
        ("my_own_agent:Mine", "my_own_agent.py"),
        ("package_of_mine.inner:Mine", "package_of_mine/inner.py"),
        ("none_of_mine:Mine", None),
        ("package_of_mine.none:Mine", None),
        ("sys:Mine", None),
    ],
)
def test_agents_are_made_of_files(here, spec, file):
    found = agent_file(spec)
    if file is None:
        assert found is None
        assert (agent_digest(spec), identity(spec)) == ("", spec)
    else:
        assert found is not None
        assert found.samefile(here / file)
        digest = hashlib.sha256((here / file).read_bytes()).hexdigest()
        assert (agent_digest(spec), identity(spec)) == (digest, f"{spec} {digest}")


def test_a_model_is_made_of_no_file_and_known_by_what_decides_its_play(here):
    (here / "model.py").write_text(AGENT)  # as of the class model:Mine
    assert agent_file("model:Mine") is None
    assert identity("model:Mine") == identity("model:price_in=3 max_concurrency=1 Mine")
    assert len({identity(f"model:{each} Mine") for each in ("", "temperature=0", "retries=2")}) == 3


def test_a_changed_file_is_another_agent(here):
    for spec, file in {
        "process:perl 'my agent.pl'": here / "my agent.pl",
        "my_own_agent:Mine": here / "my_own_agent.py",
    }.items():
        before = identity(spec)
        file.write_text(file.read_text() + "\n")
        assert identity(spec) != before


def test_a_saved_agent_is_its_content_wherever_it_lies(here):
    shutil.copy(network_file("casino-2p"), here / "net.safetensors")
    assert identity(str(here / "net.safetensors")) == identity("zoo:casino-2p")
    with pytest.raises(SabaccError, match=r"none\.safetensors: cannot be read"):
        identity("none.safetensors")


def test_processes_have_short_names_with_numbers_where_they_are_the_same():
    first, second = "process:timeout_s=2 perl bots/a.pl", "process:timeout_s=3 perl bots/a.pl"
    third = "process:perl others/a.pl"

    def names(*agents: object) -> list[str]:
        config = validated(TournamentConfig, {"agents": agents})
        again = TournamentConfig.model_validate_json(dump(config))
        assert again == config
        return [agent.name for agent in again.agents]

    assert names(first, "tight") == ["perl a.pl", "tight"]
    assert names(first, second, third) == ["perl a.pl", "perl a.pl (2)", "perl a.pl (3)"]
    assert names(first, {"spec": second, "label": "slow"}) == ["perl a.pl", "slow"]
    with pytest.raises(SabaccError, match=r'agents: two have the label "perl a.pl"'):
        names(first, first)
    with pytest.raises(SabaccError, match="agents: agent: 'process:' names no command"):
        names("process:", "tight")
