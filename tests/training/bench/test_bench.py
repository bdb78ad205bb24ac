"""``sabacc bench``: what it measures, prints, writes and draws; stops, mistakes, absent peers."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import pytest
from sabacc_training.bench import peers, pettingzoo_loop, run
from sabacc_training.bench.config import PARTS, BenchConfig, bench_config
from sabacc_training.bench.names import CACHED, RAW, compiled_loop_name, stepped_name
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.report import highlight_rows, shares_table
from sabacc_training.bench.results import BenchmarkResult, Ratio, Results, Spread
from sabacc_training.bench.sampling import Benchmark, Sample, sample_rounds
from sabacc_training.bench.time_shares import time_shares
from sabacc_training.bench.tournament import ALL_CORES, ONE_CORE, TIME_PARTS
from sabacc_training.jobs.stopwatch import Stopwatch

from sabacc_env import rule_sets
from sabacc_env.errors import how_to_install
from tests.support.commands import command

QUICK = bench_config(quick=True)


@pytest.fixture
def bench(capsys, tmp_path):
    """Return a function that runs the command: (exit code, output, errors)."""

    def bench(*arguments: object) -> tuple[int, str, str]:
        code = command("bench", *arguments, "--output", tmp_path / "out")
        return code, *capsys.readouterr()

    return bench


def spend(clock: Stopwatch, seconds: float) -> int:
    with clock:
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
    return 1


def made(
    name: str, *rates: float, part: str = "aec", baselines: tuple[str, ...] = ()
) -> BenchmarkResult:
    """Results as if made in rounds at these rates."""
    samples = tuple(Sample(done=int(rate), cpu=1.0, wall=2.0, load=0.5) for rate in rates)
    return BenchmarkResult(name, part, "turns a CPU-second", None, baselines, samples)


def results_of(*measured: BenchmarkResult) -> Results:
    machine = {"processor": "Abacus", "cores": 1, "python": "3.11"}
    by_name = {each.name: each for each in measured}
    return Results("sabacc bench", "2026-01-02T03:04:05+00:00", machine, (), by_name)


@pytest.mark.slow
def test_everything_of_ours_is_measured_printed_written_and_drawn(bench, tmp_path):
    ours = [part for part in PARTS if part != "peers"]
    code, output, _ = bench(*ours, "--quick", "--repeats", 1)
    assert code == 0
    data = json.loads((tmp_path / "out" / "bench.json").read_text())
    by_name = {each["name"]: each for each in data["measured"]}
    assert {compiled_loop_name(rules) for rules in rule_sets()} < set(by_name)
    assert {stepped_name(rules) for rules in rule_sets()} < set(by_name)
    assert {part for part in PARTS if part != "peers"} == {
        each["part"] for each in by_name.values()
    }
    for name, each in by_name.items():
        assert name in " ".join(output.split())
        assert len(each["samples"]) == 1
        assert all(sample["done"] > 0 and sample["cpu"] > 0 for sample in each["samples"])
    casino = by_name[compiled_loop_name("casino")]
    (sample,) = casino["samples"]
    assert casino["figure"]["median"] == pytest.approx(sample["done"] / sample["cpu"])
    assert data["command"].startswith("sabacc bench rules")
    assert "--quick" in data["command"]
    assert data["machine"]["versions"].keys() >= {"numpy", "numba", "pettingzoo"}
    drawn = tmp_path / "out" / "bench.svg"
    assert drawn.exists() != ("No picture was drawn: it needs matplotlib" in output)


def test_an_absent_peer_is_one_line_and_the_rest_is_measured(bench, monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    code, output, _ = bench("game", "peers", "--quick")
    assert code == 0
    assert "Game.play" in output
    said = " ".join(output.split())
    for peer, module in (("OpenSpiel", "pyspiel"), ("Pgx", "jax"), ("PettingZoo's", "rlcard")):
        assert f"it needs {module}; {how_to_install('bench')}." in said
        assert f"{peer} " in said


def test_a_broken_peer_is_one_line_and_the_rest_is_measured(bench, monkeypatch):
    def broken(config):
        raise OSError("libfast.so: cannot open\nshared object")

    monkeypatch.setattr(peers, "PEERS", {"OpenSpiel": (("numpy",), broken)})
    code, output, _ = bench("game", "peers", "--quick")
    assert code == 0
    assert "Game.play" in output
    said = " ".join(output.split())
    assert "OpenSpiel was not measured: it is installed and does not work" in said
    assert "(OSError: libfast.so: cannot open)." in said


@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize(("modules", "make"), peers.PEERS.values(), ids=peers.PEERS)
def test_a_peer_plays_decisions_while_the_clock_runs(modules, make):
    for module in modules:
        pytest.importorskip(module)
    for benchmark in make(QUICK):
        clock = Stopwatch()
        assert benchmark.play(clock) > 0
        assert clock.cpu > 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ruls"], "parts.0: \"ruls\" is not allowed: input should be 'rules', 'peers', 'aec',"),
        (["--repeats", "0"], "repeats: 0 is not allowed: input should be greater than or"),
        (["--seconds", "0"], "seconds: 0.0 is not allowed: input should be greater than 0"),
        (["--seconds", "nan"], "seconds: nan is not allowed: input should be"),
    ],
)
def test_a_mistake_is_one_sentence_before_any_work(bench, tmp_path, arguments, sentence):
    code, output, errors = bench(*arguments)
    assert (code, output) == (2, "")
    assert errors.startswith(f"sabacc: {sentence}")
    assert errors.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_named_before_any_work(bench, tmp_path, monkeypatch):
    (tmp_path / "out").write_text("a file")
    monkeypatch.setattr(run, "sample_rounds", None)
    code, output, errors = bench("game", "--quick")
    assert (code, output) == (2, "")
    assert str(tmp_path / "out") in errors


@pytest.mark.parametrize(("ends", "written"), [(3, False), (5, True)])
def test_stopped_it_reports_the_rounds_that_ended(bench, monkeypatch, tmp_path, ends, written):
    calls = 0

    def play(clock: Stopwatch) -> int:
        nonlocal calls
        calls += 1
        if calls == ends:
            raise KeyboardInterrupt
        return spend(clock, 0.02)

    def benchmarks(_: BenchConfig) -> Iterator[Benchmark]:
        for name in ("one", "other"):
            yield Benchmark(name, "game", "µs a move", play)

    monkeypatch.setitem(run.BENCHMARKS, "game", benchmarks)
    # Two calls try both, two are the first round, and the fifth is in the second.
    code, output, errors = bench("game", "--quick")
    assert code == 130
    assert (tmp_path / "out" / "bench.json").exists() == written
    if not written:
        assert "nothing was written" in errors
        assert not (tmp_path / "out").exists()
        return
    assert "stopped after 1 of 2 rounds" in errors
    assert "medians of 1 rounds" in " ".join(output.split())
    code, _, errors = bench("game", "--quick")
    assert code == 2
    assert "was left by work that stopped; resume it (--resume) or remove the file" in errors
    code, _, errors = bench("game", "--quick", "--seconds", 1, "--resume")
    assert code == 2
    assert "belongs to other work or another machine" in errors
    code, output, _ = bench("game", "--quick", "--resume")
    assert code == 0
    assert "medians of 2 rounds" in " ".join(output.split())
    data = json.loads((tmp_path / "out" / "bench.json").read_text())
    assert [len(each["samples"]) for each in data["measured"]] == [2, 2]
    assert not (tmp_path / "out" / "unfinished").exists()


def test_rounds_measure_everything_in_turn():
    order = []

    def benchmark(name: str) -> Benchmark:
        def play(clock: Stopwatch) -> int:
            order.append(name)
            return spend(clock, 0.003)

        return Benchmark(name, "game", "µs a move", play)

    with BenchProgress() as progress:
        taken = list(
            sample_rounds([benchmark("a"), benchmark("b")], range(1, 4), 3, 0.001, progress)
        )
    assert order == ["a", "b"] * 4  # the first for nothing
    assert [len(each) for each in taken] == [2, 2, 2]
    assert all(sample.done == 1 and sample.cpu >= 0.003 for each in taken for sample in each)


def test_the_clock_counts_only_what_is_inside():
    clock = Stopwatch()
    spend(Stopwatch(), 0.05)
    assert (clock.cpu, clock.wall) == (0, 0)
    with clock:
        time.sleep(0.02)
    assert clock.cpu < clock.wall


def test_ratios_are_taken_within_rounds():
    # The machine is ten times as fast in the second round, which no ratio shows.
    results = results_of(
        made("ours", 20, 200, 30, baselines=("theirs", "absent")), made("theirs", 10, 100, 10)
    )
    assert results.ratios() == [Ratio("ours", "theirs", Spread(median=2, min=2, max=3))]


def test_results_are_read_back_as_they_were():
    results = results_of(made(RAW, 20, 200, baselines=("theirs",)), made("theirs", 10, 30))
    assert Results.from_json(results.to_json()) == results


def test_the_readme_shows_figures_and_ratios():
    slow = made(compiled_loop_name("orsl"), 1e6, 3e6, part="rules")
    fast = made(compiled_loop_name("casino"), 4e6, 5e6, part="rules")
    by_step = made(stepped_name("orsl"), 5e5, 3e6, part="rules", baselines=(slow.name,))
    rows = highlight_rows(results_of(slow, fast, by_step, made(CACHED, 2, part="start")))
    assert [row[1:] for row in rows] == [
        ("2.00 M turns a CPU-second", "1.00 M to 3.00 M"),
        ("4.50 M turns a CPU-second", "4.00 M to 5.00 M"),
        ("0.75 times", "0.50 to 1.00"),
        ("2.00 turns a CPU-second", "2.00 to 2.00"),
    ]
    assert "`orsl`" in rows[0][0]


def test_the_picture_is_the_same_for_the_same_results():
    pytest.importorskip("matplotlib")
    from sabacc_training.bench.plot import plot

    results = results_of(
        made(compiled_loop_name("casino"), 4e6, 5e6, part="rules"), made(RAW, 2e4, 3e4)
    )
    drawn = plot(results)
    assert drawn is not None
    texts = "".join(ElementTree.fromstring(drawn).itertext())
    assert "casino" in texts
    assert RAW in texts
    assert "25,000" in texts
    assert plot(results) == drawn
    assert not any(line.endswith((b" ", b"\t")) for line in drawn.splitlines())
    assert plot(results_of(made(CACHED, 2, part="start"))) is None


def test_the_time_of_other_packages_counts_for_their_callers():
    def write() -> None:
        json.dumps(list(range(100_000)), indent=1)

    parts = {"storage": ("sabacc_env/storage/",), "these tests": ("tests/",), "the rest": ("/",)}
    shares = time_shares(write, parts)
    assert shares["storage"] == 0
    assert sum(shares.values()) == pytest.approx(1)
    del parts["the rest"]
    assert time_shares(write, parts) == {"storage": 0, "these tests": 1}


def test_tournaments_are_drawn_with_where_their_time_goes():
    pytest.importorskip("matplotlib")
    from sabacc_training.bench.plot import plot

    def sample(wall: float) -> Sample:
        return Sample(600_000, 0.5, wall, 0.1, {part: 1 / len(TIME_PARTS) for part in TIME_PARTS})

    names = {"a - b, one core": ONE_CORE, "a - b, all cores": ALL_CORES}
    results = results_of(
        *(
            BenchmarkResult(name, "tournament", unit, None, (), (sample(2.0), sample(1.0)))
            for name, unit in names.items()
        )
    )
    assert [each.spread for each in results.measured.values()] == [
        Spread(1.2e6, 1.2e6, 1.2e6),
        Spread(27e6, 18e6, 36e6),
    ]
    assert results.measured["a - b, one core"].shares["engine"].median == 1 / len(TIME_PARTS)
    assert shares_table(results).row_count == 2 * len(TIME_PARTS)
    drawn = plot(results)
    assert drawn is not None
    texts = "".join(ElementTree.fromstring(drawn).itertext())
    for word in ("a - b", "27.00 M", *TIME_PARTS):
        assert word in texts


@pytest.mark.filterwarnings("ignore")  # PettingZoo's
def test_the_environment_that_does_nothing_is_one():
    from pettingzoo.test import api_test

    api_test(pettingzoo_loop.wrapped_noop_env(), num_cycles=50)
    clock = Stopwatch()
    assert (
        pettingzoo_loop.play_turns(pettingzoo_loop.NoOpEnv())(clock)
        % pettingzoo_loop.NoOpEnv.episode
        == 0
    )
    assert clock.cpu > 0
