"""``sabacc blueprint`` solves, stops, resumes and refuses."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from sabacc_agents.blueprint.blueprint import load_blueprint
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.commands.blueprint import blueprint
from sabacc_training.config.base import load_config

from sabacc_env import SabaccError
from tests.support.one_card import ONE_CARD_TOML

ROOT = Path(__file__).parents[3]

CONFIG = f"""
agent_sizes = [1]
stacks = [12]
walks = 10
threads = 2
{ONE_CARD_TOML}"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "game.toml"
    path.write_text(CONFIG)
    return str(path)


def test_it_saves_an_agent_and_goes_on(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "agent.safetensors"
    blueprint(config, "epochs=2", output=output)
    assert load_blueprint(output).metadata["epochs"] == 2
    nodes = re.search(r"([\d,]+) nodes with 128 hands of each seat in", capsys.readouterr().out)
    assert nodes
    assert int(nodes[1].replace(",", "")) > 2 * 2 * 10  # epochs, seats that learn, walks
    with pytest.raises(SabaccError, match="was left by a run that stopped or ended; go on"):
        blueprint(config, "epochs=3", output=output)
    blueprint(config, "epochs=3", output=output, resume=True)
    assert load_blueprint(output).metadata["epochs"] == 3
    with pytest.raises(
        SabaccError, match=r"epochs: .*agent\.checkpoint has 3 already; give at least"
    ):
        blueprint(config, "epochs=2", output=output, resume=True)
    output.with_suffix(".checkpoint").unlink()
    with pytest.raises(SabaccError, match=r"agent\.safetensors: exists; remove it or name another"):
        blueprint(config, "epochs=3", output=output)


def test_a_stopped_run_is_resumed(
    config: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    output = tmp_path / "agent.safetensors"
    run_epoch = BlueprintSolver.run_epoch

    def stopped(solver: BlueprintSolver) -> list[float]:
        margins = run_epoch(solver)
        if solver.epochs == 2:
            signal.raise_signal(signal.SIGTERM)
        return margins

    with monkeypatch.context() as patch:
        patch.setattr(BlueprintSolver, "run_epoch", stopped)
        with pytest.raises(SystemExit) as exit_code:
            blueprint(config, "epochs=4", output=output)
    assert exit_code.value.code == 130
    assert "stopping: what was begun ends first" in capsys.readouterr().err
    assert not output.exists()
    blueprint(config, "epochs=4", output=output, resume=True)
    assert load_blueprint(output).metadata["epochs"] == 4


def test_the_configuration_of_casino_is_read() -> None:
    config = load_config(BlueprintConfig, ROOT / "configs" / "zoo" / "casino-2p-blueprint.toml")
    assert (config.rule_set.name, config.stacks) == ("casino", (10, 25, 50))


def test_impossible_files_are_refused(config: str, tmp_path: Path) -> None:
    with pytest.raises(SabaccError, match="needs a file name that ends in"):
        blueprint(config, output=tmp_path / "agent.bin")
    with pytest.raises(SabaccError, match="there is no checkpoint to resume from"):
        blueprint(config, output=tmp_path / "agent.safetensors", resume=True)
