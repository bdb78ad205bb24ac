"""Language models in tournaments, in `sabacc watch` and at a table with people."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sabacc_agents.language_models import endpoint
from sabacc_training.config.base import validated
from sabacc_training.play.config import PlayConfig
from sabacc_training.play.match import Match
from sabacc_training.reports.from_tournament import FAILURE_WORDS, tournament_report
from tenacity import wait_none

from tests.support.commands import command, refusal, run
from tests.support.model_server import ModelServer, Reply, first_legal, serving_model

KEY = "sk-very-secret"
BULLY, FIRST = "tests.support.toys:Bully", "tests.support.toys:FirstLegal"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(endpoint, "_BACKOFF", wait_none())
    with serving_model() as served:
        yield served


def played(folder: Path, *agents: Any, settings: str = "", resume: bool = False) -> Any:
    """Play a tournament in two tasks a table; return its results."""
    path = folder / "models.toml"
    named = ", ".join(
        f'{{ spec = "{spec}", label = "{label}" }}' if label else f'"{spec}"'
        for spec, label in ((each, "") if isinstance(each, str) else each for each in agents)
    )
    path.write_text(f"agents = [{named}]\ndeals = 4\ndeals_per_task = 2\n{settings}")
    flags = ["--resume"] if resume else []
    assert command("tournament", path, "--output", folder / "out", *flags) == 0
    return json.loads((folder / "out" / "results.json").read_text())


def test_it_comes_out_as_the_agent_that_it_imitates(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = server.spec("price_in=2 price_out=10")
    found = played(tmp_path, spec, BULLY, settings='formats = ["pairs", "copies-3"]\n')
    shown = " ".join(capsys.readouterr().out.split())
    (tmp_path / "toys").mkdir()
    toys = played(
        tmp_path / "toys", (FIRST, "my-model"), BULLY, settings='formats = ["pairs", "copies-3"]\n'
    )
    for name in ("pairs", "ranking", "places", "play", "failures"):
        assert found[name] == toys[name]
    (usage,) = found["usage"]
    asked = len(server.bodies) - 1  # the first is to say yes
    assert usage == {
        "agent": "my-model",
        "decisions": asked,
        "requests": asked,
        "refused": 0,
        "prompt_tokens": 100 * asked,
        "completion_tokens": 7 * asked,
        "uncounted": 0,
        "cost": pytest.approx((200 + 70) * asked / 1e6),
    }
    assert toys["usage"] == []
    assert f"my-model, {asked:,} decisions: {asked:,} requests, 0 answers refused" in shown
    assert f"cost {usage['cost']:.4f}." in shown


def test_what_fails_is_counted_and_named_everywhere(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default is played, within the tournament's limits, and all its tasks are added up."""
    ways = {"mumbles": "illegal", "errs": "crash", "hangs": "timeout"}

    asked: Counter[str] = Counter()

    def answer(body: dict[str, Any]) -> Reply:
        how = body["model"]
        asked[how] += 1
        if asked[how] % 15:
            return first_legal(body)
        if how == "mumbles":
            return Reply("Hm.")
        return Reply(hangs=True) if how == "hangs" else Reply(status=400, body=KEY.encode())

    server.answer = answer
    models = [server.spec("retries=0" + " timeout_s=30" * (how != "hangs"), how) for how in ways]
    settings = 'timeout_s = 0.5\nformats = [{ kind = "mixed", num_players = 3 }]\n'
    found = played(tmp_path, *models, settings=settings)
    shown = " ".join(capsys.readouterr().out.split())
    assert {(row["agent"], row["kind"]) for row in found["failures"]} == set(ways.items())
    for row in found["failures"]:
        assert f"{row['agent']} failed in {row['count']} of {row['decisions']} decisions" in shown
    usage = {row["agent"]: row for row in found["usage"]}
    mumbled = next(row["count"] for row in found["failures"] if row["agent"] == "mumbles")
    assert usage["mumbles"]["refused"] == mumbled
    assert sum(row["requests"] for row in found["usage"]) == len(server.bodies) - len(ways)
    report = tournament_report(tmp_path / "out")
    assert {(each.agent, each.kind) for each in report.failures} == {
        (how, FAILURE_WORDS[kind]) for how, kind in ways.items()
    }
    assert command("report", tmp_path / "out") == 0
    page = (tmp_path / "out" / "report" / "report.html").read_text()
    assert "What the language models were asked" in page
    assert f'<td class="number">{usage["mumbles"]["prompt_tokens"]:,}</td>' in page
    table = (tmp_path / "out" / "report" / "usage.csv").read_text().splitlines()
    assert table[0].startswith("agent,decisions,requests,refused,prompt_tokens")
    assert len(table) == 1 + len(ways)
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def test_another_price_plays_nothing_again(server: ModelServer, tmp_path: Path) -> None:
    first = played(tmp_path, server.spec(), BULLY)
    asked = len(server.bodies)
    again = played(tmp_path, server.spec("price_in=1 max_concurrency=2"), BULLY, resume=True)
    assert len(server.bodies) == asked
    assert (first["usage"][0]["cost"], again["usage"][0]["cost"] > 0) == (0, True)
    assert again["ranking"] == first["ranking"]
    played(tmp_path, server.spec("temperature=1"), BULLY, resume=True)
    assert len(server.bodies) == 2 * asked


def test_models_that_differ_in_settings_alone_are_numbered(
    server: ModelServer, tmp_path: Path
) -> None:
    found = played(tmp_path, server.spec("temperature=0"), server.spec("temperature=1"))
    assert [row["agent"] for row in found["usage"]] == ["my-model", "my-model (2)"]


@pytest.mark.slow
def test_processes_ask_too(server: ModelServer, tmp_path: Path) -> None:
    found = played(tmp_path, server.spec(), BULLY, settings="processes = 2\n")
    (tmp_path / "one").mkdir()
    assert found == played(tmp_path / "one", server.spec(), BULLY)


def test_a_tournament_begins_with_models_that_answer(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: Reply(status=404, body=b'{"error": "no such model"}')
    agents = json.dumps([server.spec(), BULLY])
    words = "tournament", "configs/tournament-casino-2p.toml", f"agents={agents}"
    sentence = refusal(capsys, *words, "--output", tmp_path / "out")
    assert re.match(r"sabacc: agent: 'model:.*' *: the endpoint answered 404 Not Found", sentence)
    assert not list((tmp_path / "out").rglob("*.task"))


def test_watch_tells_at_the_end_what_was_asked(
    server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    code, output, errors = run(capsys, "watch", server.spec("price_in=1"), BULLY, "--seed", "5")
    assert (code, errors) == (0, "")
    asked = len(server.bodies)
    told = f"my-model: {asked} requests, 0 answers refused, {100 * asked} tokens in"
    assert told in " ".join(output.splitlines()[-2:])
    server.answer = lambda _: Reply("Hm.")
    code, output, errors = run(capsys, "watch", server.spec("retries=0"), BULLY, "--seed", "5")
    assert code == 2
    assert "does not name one move" in errors
    assert errors.count("\n") == 1
    assert "my-model: 1 requests, 1 answers refused" in output


def test_it_sits_at_a_table_with_people(server: ModelServer) -> None:
    """And a match goes on from its file; where the model fails, the default is played."""
    seats = ["person", server.spec("retries=0")]
    match = Match(validated(PlayConfig, {"seats": seats, "seed": 3, "hands": 1}))
    assert match.names == ("person", "my-model")
    moves: list[str] = []
    while not match.is_over:
        if match.agent_is_to_act:
            if moves:
                server.answer = lambda _: Reply("Hm.")
            match.play_agent()
            moves.append(str(match.game.history[-1].move))
        else:
            match.play(0, match.game.view(0).legal_moves[0])
        match = match if match.failures else Match.from_text(match.to_text())
    assert moves[0] == "stand"
    assert "does not name one move" in match.failures["my-model"]
    assert KEY not in match.to_text()
