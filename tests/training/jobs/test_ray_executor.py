"""Work on a Ray cluster: the bytes of one machine, whatever is lost, or one sentence at its end.

The nodes are processes of this machine, which talk over loopback alone. Ray takes "127.0.0.1" for
the machine's outer address, so they have another one of loopback.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sabacc_training import trainers
from sabacc_training.config.base import validated
from sabacc_training.exploitability.config import ExploitabilityConfig
from sabacc_training.exploitability.probes import available_probes, measure
from sabacc_training.exploitability.works import probe_works
from sabacc_training.jobs import ray_executor
from sabacc_training.jobs.folder_work import FolderWork, WorkProgress, do_in_slices, do_works
from sabacc_training.jobs.ray_executor import ray_cluster
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.run import play_tournament

from sabacc_env import SabaccError

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
pytest.importorskip("ray")

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="all of 127.0.0.0/8 is loopback on Linux"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning"),  # Ray's own
]
LOOPBACK = "127.0.0.2"
LOST = "a machine of the cluster was lost; its work is run again elsewhere"


def tournament(**changes: Any) -> TournamentConfig:
    agents = ["maximiser", "zoo:casino-2p", "loose"]
    return validated(TournamentConfig, {"rules": "casino", "agents": agents} | changes)


def hashes(folder: Path) -> dict[str, str]:
    """Return the hash of every file."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def divide(number: int) -> float:
    if not number:
        raise SabaccError("number: 0 divides nothing")
    return 6 / number


@pytest.mark.slow
def test_a_local_cluster_plays_as_one_machine_and_names_what_went_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tournament(agents=["tight", "loose"], deals=20, deals_per_task=5)
    play_tournament(config, tmp_path / "alone")
    with ray_cluster("local") as executor:
        play_tournament(config, tmp_path / "ray", executor=executor)
        assert hashes(tmp_path / "ray") == hashes(tmp_path / "alone")
        assert dict(executor(divide, range(1, 9))) == {n: 6 / n for n in range(1, 9)}
        with pytest.raises(SabaccError, match="number: 0 divides nothing"):
            list(executor(divide, [3, 0]))
        monkeypatch.setattr(ray_executor, "source_digest", lambda: "others")
        with pytest.raises(SabaccError, match="has other sources of sabacc-env"):
            list(executor(divide, [3]))


@pytest.mark.parametrize("address", [f"{LOOPBACK}:1", "nonsense", "host:port"])
def test_where_no_cluster_answers_is_one_sentence(address: str) -> None:
    with pytest.raises(SabaccError, match="--ray: no Ray cluster answers at") as refused:
        ray_cluster(address).__enter__()
    assert "\n" not in str(refused.value)


class Nodes:
    """A cluster with a head that runs nothing, and nodes of one processor each."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "include_dashboard": False, "node_ip_address": LOOPBACK}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.left = [
            self._cluster.add_node(num_cpus=1, node_ip_address=LOOPBACK) for _ in range(count)
        ]
        self.address: str = self._cluster.address

    def kill(self) -> None:
        """Kill a node as a power cut would."""
        self._cluster.remove_node(self.left.pop(), allow_graceful=False)

    def kill_head(self) -> None:
        """Kill what the others are registered at; the rest of the head would take us along."""
        self._cluster.head_node.kill_gcs_server(check_alive=False)

    def end(self) -> None:
        self._cluster.shutdown()


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    found = Nodes(3)
    yield found
    found.end()


def killing(executor: Any, after: int, kill: Callable[[], None]) -> Any:
    """Return an executor that kills something once, after so many results of all its calls."""
    numbers = itertools.count(1)

    def run(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for result in executor(function, items):
            yield result
            if next(numbers) == after:
                kill()

    return run


@pytest.mark.slow  # two to three minutes: Ray takes half a minute to miss a node
def test_a_tournament_survives_its_nodes(nodes: Nodes, tmp_path: Path, capsys: Any) -> None:
    """One node is killed in mid-run, then all: the files are those of one machine."""
    config = tournament(deals=400, deals_per_task=50)
    play_tournament(config, tmp_path / "alone")
    expected = hashes(tmp_path / "alone")
    assert len(expected) > 24

    with ray_cluster(nodes.address) as executor:
        play_tournament(config, tmp_path / "many", executor=killing(executor, 6, nodes.kill))
    assert len(nodes.left) == 2
    with capsys.disabled():
        print()
        print(*(f"{value}  {name}" for name, value in hashes(tmp_path / "many").items()), sep="\n")
    assert hashes(tmp_path / "many") == expected

    def kill_all() -> None:
        while nodes.left:
            nodes.kill()

    told: list[str] = []
    with (
        pytest.raises(SabaccError, match="--ray: no machine with a processor is left"),
        ray_cluster(nodes.address, told.append) as executor,
    ):
        play_tournament(config, tmp_path / "lost", executor=killing(executor, 5, kill_all))
    assert LOST in told
    assert "raylet" not in capsys.readouterr().out
    kept = hashes(tmp_path / "lost")
    assert len(kept) >= 5
    assert kept.items() <= expected.items()
    play_tournament(config, tmp_path / "lost", resume=True)
    assert hashes(tmp_path / "lost") == expected


@pytest.mark.slow  # a minute
def test_a_lost_head_ends_the_work_in_one_sentence(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has ended is kept, and resumed to the bytes of one machine."""
    monkeypatch.setattr(ray_executor, "PATIENCE", 0.0)  # in ten seconds all of it may be done
    config = tournament(deals=400, deals_per_task=50)
    with (
        pytest.raises(SabaccError, match="--ray: the head of the cluster is lost; what has ended"),
        ray_cluster(nodes.address) as executor,
    ):
        play_tournament(config, tmp_path / "lost", executor=killing(executor, 5, nodes.kill_head))
    play_tournament(config, tmp_path / "alone")
    kept, expected = hashes(tmp_path / "lost"), hashes(tmp_path / "alone")
    assert 5 < len(kept) < len(expected)
    assert kept.items() <= expected.items()
    play_tournament(config, tmp_path / "lost", resume=True)
    assert hashes(tmp_path / "lost") == expected


@pytest.mark.slow  # two to three minutes
def test_training_seeds_and_probes_survive_a_node(nodes: Nodes, tmp_path: Path) -> None:
    """In short slices, with one node killed in mid-run: agents and margins of one process."""
    ppo = {"num_tables": 16, "rollout_steps": 256, "minibatch_size": 128, "hidden_sizes": [32]}
    evaluation = {"every": 10_000, "deals": 100}
    data = {"trainer": "ppo", "rules": "casino", "steps": 30_000, "ppo": ppo}
    run = validated(PPOConfig, data | {"evaluation": evaluation})
    few = {"steps": 10_000, "seeds": 2, "deals": 200, "lbr": {"deals": 600, "candidates": 32}}
    exploited = {"rules": "one_card", "agent": "tight", "ppo": ppo, "exploring": ppo}
    exploit = validated(ExploitabilityConfig, exploited | few)
    probes = available_probes(exploit)
    assert set(probes) == {"trained", "exploring", "lbr", "patterns", "scripted"}

    def works(folder: Path) -> list[FolderWork]:
        seeds = (run.model_copy(update={"seed": seed}) for seed in range(3))
        trained = [
            FolderWork(str(each.seed), folder / str(each.seed), partial(trainers.train_on, each))
            for each in seeds
        ]
        return [*trained, *probe_works(exploit, probes, folder / "exploit")]

    do_works(works(tmp_path / "alone"), resume=False)
    told: list[str] = []
    many = works(tmp_path / "many")
    with (
        WorkProgress(len(many)) as progress,
        ray_cluster(nodes.address, told.append) as executor,
    ):
        do_in_slices(many, killing(executor, 4, nodes.kill), progress, seconds=3)
    assert len(nodes.left) == 2
    assert set(told) <= {LOST}  # the work may end before Ray misses the node
    alone, found = (hashes(tmp_path / name) for name in ("alone", "many"))
    agents = [name for name in alone if name.endswith(".safetensors")]
    assert len(agents) == 21  # of seven runs the last, the best, and that of the last checkpoint
    for name in agents:
        print(found[name], name)
        assert found[name] == alone[name]
    for probe in probes:
        results = [
            measure(exploit, probe, tmp_path / name / "exploit", resume=True)
            for name in ("alone", "many")
        ]
        assert results[0].responders == results[1].responders
