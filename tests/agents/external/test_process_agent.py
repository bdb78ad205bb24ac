"""Agents that are processes: the protocol, and whatever may go wrong with one."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.external import messages
from sabacc_agents.external.agent import ProcessAgent
from sabacc_agents.external.failures import Failure, RowsFailedError
from sabacc_training.evaluation.guarded_agent import GuardedAgent

from sabacc_env import Game, IllegalMove, SabaccError, Tables, agent_calls, load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES, action_names, default_actions
from tests.support.agents import decision
from tests.test_information import every_table, positions, rearranged

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

ROOT = Path(__file__).parents[3]
PERL = f"process:perl {shlex.quote(str(ROOT / 'agents/examples/calling_station.pl'))}"
PYTHON = shlex.quote(sys.executable)
RANDOM = f"process:{PYTHON} {shlex.quote(str(ROOT / 'agents/examples/random_agent.py'))}"
NAMES = action_names()

HELLO = """
import json, os, subprocess, sys, time

def say(answer):
    print(json.dumps(answer), flush=True)

hello = json.loads(sys.stdin.readline())
say({"type": "hello", "protocol": 1, "name": "test"})
"""
LOOP = """
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "act":
        first = {"id": m["id"], "action": m["legal"][0]}
"""

has_json = subprocess.run(["perl", "-MJSON::PP", "-e", "1"], capture_output=True, check=False)
needs_perl = pytest.mark.skipif(has_json.returncode != 0, reason="perl or its JSON::PP is absent")

Make = Callable[..., ProcessAgent]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Return a function that makes an agent of a Python script."""
    made: list[ProcessAgent] = []

    def make_agent(script: str, settings: str = "", num_players: int = 2) -> ProcessAgent:
        path = tmp_path / "my agent.py"
        path.write_text(script)
        spec = f"process:{settings} {PYTHON} -S {shlex.quote(str(path))}"
        agent = load(spec, "casino", num_players)
        assert isinstance(agent, ProcessAgent)
        made.append(agent)
        return agent

    yield make_agent
    for agent in made:
        agent.close()


def body(lines: str) -> str:
    """Return a script that runs these lines at every decision; ``first`` is a legal answer."""
    return HELLO + LOOP + "".join(f"        {line}\n" for line in lines.splitlines())


def rows(count: int = 5, seed: int = 1) -> tuple[Any, Any]:
    """Return the views and masks of so many decisions."""
    tables = Tables("casino", count, 2, seed=seed)
    tables.keep_histories()
    views = [tables.game(i).view(int(tables.seats_to_act[i])) for i in range(count)]
    return views, tables.action_masks.copy()


def act(agent: Any, count: int = 5) -> Any:
    views, masks = rows(count)
    return agent.act(views, masks, np.random.default_rng(0), np.arange(count) + 10)


def failures_of(agent: ProcessAgent, count: int = 5) -> dict[int, Failure]:
    """Ask for some decisions, some of which fail; the others are answered."""
    with pytest.raises(RowsFailedError) as raised:
        act(agent, count)
    masks = rows(count)[1]
    for row in set(range(count)) - set(raised.value.failures):
        assert raised.value.answers[row] == masks[row].argmax()
    return dict(raised.value.failures)


def is_reaped(process_id: int) -> bool:
    """Say whether a child of this process is no process and no zombie any more."""
    try:
        os.waitpid(process_id, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def wait_until_ended(process_id: int) -> None:
    """Wait until a process of somebody else's has ended; its new parent may reap it late."""
    for _ in range(3000):
        try:
            os.kill(process_id, 0)
            if Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (ProcessLookupError, FileNotFoundError):
            return
        time.sleep(0.01)
    pytest.fail(f"{process_id} is still there")


# What works.


def play(agents: list[Any], rules: str = "casino", hands: int = 3, tables: int = 8) -> Any:
    """Return the net credits of hands between guarded agents, one at each seat."""
    batch = Tables(rules, tables, len(agents), seed=5)
    guards = [GuardedAgent(agent) for agent in agents]
    agent_calls.begin(guards, batch)
    rng, net = np.random.default_rng(0), []
    while batch.hand_counts.min() < hands:
        seats, actions = batch.seats_to_act.copy(), np.zeros(tables, dtype=np.int64)
        for seat, guard in enumerate(guards):
            where = np.flatnonzero(seats == seat)
            if len(where):
                actions[where] = agent_calls.actions_at(guard, batch, where, rng)
        batch.step(actions)
        ended = np.flatnonzero(batch.finished)
        net.append(batch.net_credits[ended].copy())
        agent_calls.restart(guards, ended)
    assert not any(guard.failures for guard in guards), [guard.messages for guard in guards]
    return np.concatenate(net)


@needs_perl
@pytest.mark.parametrize("num_players", [2, 3])
def test_an_agent_in_perl_plays_the_hands_of_ours(num_players: int) -> None:
    ours = [load("calling_station", "casino", num_players)]
    perl = [load(PERL, "casino", num_players)]
    others = [load(name, "casino", num_players) for name in ("tight", "loose")][: num_players - 1]
    assert np.array_equal(play(perl + others), play(ours + others))
    assert perl[0].name == "calling station in Perl"  # type: ignore[attr-defined]


def test_a_seed_gives_the_same_hands_again() -> None:
    runs = [play([load(RANDOM, "casino", 2), load("tight", "casino", 2)]) for _ in range(2)]
    assert np.array_equal(*runs)


def test_probabilities_are_told_by_a_process_that_says_so(make: Make) -> None:
    agent: Any = load(RANDOM, "casino", 2)
    views, masks = rows()
    told = agent_calls.probabilities(agent, views, masks)
    assert np.allclose(np.asarray(told), masks / masks.sum(axis=1, keepdims=True))
    silent = make(body("say(first)"))
    assert agent_calls.probabilities(silent, views, masks) is None
    assert agent_calls.probabilities(GuardedAgent(silent), views, masks) is None


def test_answers_come_in_any_order_by_name_or_number(make: Make) -> None:
    script = body("""\
answers.append(first if m["id"] % 2 else {"id": float(m["id"]), "action": 0})
if len(answers) == 300:
    for answer in reversed(answers):
        say(answer)""").replace("for line", "answers = []\nfor line", 1)
    assert act(make(script), 300).tolist() == [0] * 300


def test_more_is_sent_and_answered_than_pipes_hold(make: Make) -> None:
    agent = make(body("say(first | {'padding': 'x' * 1000})"))
    assert act(agent, 400).tolist() == rows(400)[1].argmax(axis=1).tolist()


def test_the_messages_of_a_hand(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = body("say(first)").replace(
        "    m =", f"    open({str(log)!r}, 'a').write(line)\n    m ="
    )
    agent = make(script)
    agent.reset(64)
    agent.restart(np.array([3, 5]))
    act(agent, 2)
    reset, restart, *acts = map(json.loads, log.read_text().splitlines())
    assert reset == {"type": "reset", "num_tables": 64}
    assert restart == {"type": "restart", "tables": [3, 5]}
    assert [(m["type"], m["id"], m["table"]) for m in acts] == [("act", 1, 10), ("act", 2, 11)]
    words = np.random.default_rng(0).integers(2**32, size=2)
    assert [m["seed"] for m in acts] == words.tolist()


def test_hello_says_which_game(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    make(HELLO + f"open({str(log)!r}, 'w').write(json.dumps(hello))", num_players=3)
    wait_for(log)
    hello, rules = json.loads(log.read_text()), load_rules("casino")
    assert hello["protocol"] == 1
    assert hello["rules"] == json.loads(rules.canonical())
    assert hello["rules_digest"] == rules.digest
    assert hello["num_players"] == 3
    assert hello["bet_sizes"] == ["min", 0.5, 1, "max"]
    assert hello["actions"] == NAMES


def wait_for(path: Path) -> None:
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)


# What a request says.


def request(game: Game, seat: int) -> Any:
    _, mask = decision(game)
    return messages.situation(game.view(seat), mask[0], DEFAULT_BET_SIZES, NAMES)


@pytest.mark.parametrize(("rules", "num_players"), every_table)
def test_a_request_holds_nothing_hidden(rules: Any, num_players: int) -> None:
    rng = random.Random(f"{rules.name} {num_players}")
    different = 0
    while different < 5:
        for knowledge in positions(rules, num_players, rng.getrandbits(64), rng, most=40):
            game, seat = knowledge.game, knowledge.game.seat_to_act
            if seat is None or rng.random() < 0.5:
                continue
            twin = rearranged(game, knowledge.seen_by(seat), rng)
            sent = [messages.line_of(request(each, seat)) for each in (game, twin)]
            assert sent[0] == sent[1]
            different += twin.hands != game.hands


def test_a_request_in_full() -> None:
    game = Game("casino", 3, seed=7, dealer=2)
    for move in ("swap +1s", "stand", "stand"):
        game.play(move if move != "swap +1s" else game.legal_moves()[-1])
    while game.phase != "betting":
        game.play(game.legal_moves()[0])
    game.play("raise 5")
    seat = game.seat_to_act
    assert seat is not None
    found, view = request(game, seat), game.view(seat)
    assert list(map(str, view.hand)) == found["hand"]
    assert found["total"] == sum(card.value for card in view.hand)
    assert found["history"][-1] == [0, "raise 5"]
    assert found["taken_discards"][0] == str(view.taken_discards[0])
    assert found["legal"] == ["call", "junk", "raise min", "raise 0.5", "raise 1", "raise max"]
    assert found["raise_to"]["raise min"] == 5 + 1
    assert found["raise_to"]["raise max"] == view.credits[seat]
    fields = set(messages_table())
    assert set(found) | {"type", "id", "table", "seed"} == fields
    assert json.loads(messages.line_of(found))["pots"] == [[11, [0, 1, 2]]]


def messages_table() -> list[str]:
    """Return the fields that the documentation says an ``act`` message has."""
    page = (ROOT / "docs" / "your-own-agent.md").read_text()
    table = page.partition("<!-- the fields of act -->")[2].partition("\n\n#")[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return [name for line in lines for name in re.findall(r"`(\w+)`", line.split("|")[1])]


# What goes wrong with one answer.


@pytest.mark.parametrize(
    ("wrong", "kind", "said"),
    [
        ('"action": "fold"', "unreadable", "it answered {'action': 'fold', 'id': 3}, where"),
        ('"action": 33', "unreadable", "'action' cannot be read"),
        ('"action": True', "unreadable", "'action' cannot be read"),
        ('"action": ["stand"]', "unreadable", "'action' cannot be read"),
        ('"move": "stand"', "unreadable", "'action' cannot be read"),
    ],
)
def test_a_wrong_answer_concerns_its_decision(make: Make, wrong: str, kind: str, said: str) -> None:
    agent = make(body(f'say({{"id": 3, {wrong}}} if m["id"] == 3 else first)'))
    before = agent._process
    found = failures_of(agent)
    assert set(found) == {2}
    assert found[2].kind == kind
    assert said in found[2].message
    assert agent._process is before


def test_an_illegal_action_is_refused_as_of_any_agent(make: Make) -> None:
    agent = make(body('say(first | ({"action": "junk"} if m["id"] == 3 else {}))'))
    views, masks = rows()
    with pytest.raises(IllegalMove, match=r"my agent\.py'\" chose action 8 at table 7, where"):
        agent_calls.actions(agent, views, masks, np.random.default_rng(0), np.arange(5) + 5)
    guard = GuardedAgent(agent)
    agent._requests = 0
    guard.reset(20)
    assert act(guard).tolist() == masks.argmax(axis=1).tolist()
    assert guard.failures == {"illegal": 1}


# What goes wrong with the process.

ENDS_IT = {
    "crash": ("sys.exit(7)", "crash", "it ended with exit code 7"),
    "words": ("1 / 0", "crash", "code 1; its last words were: ZeroDivisionError: division by zero"),
    "signal": ("os.abort()", "crash", "it was ended by SIGABRT"),
    "closes": ("os.close(1)\n    time.sleep(999)", "crash", "it closed its standard output"),
    "hang": ("time.sleep(999)", "timeout", "it did not answer within 2 s"),
    "part": ("os.write(1, b'{')\n    time.sleep(999)", "timeout", "it did not answer within"),
    "garbage": ("print('hm')", "unreadable", "it wrote 'hm', which is not a JSON object"),
    "list": ("say([])", "unreadable", "it wrote '[]', which is not a JSON object"),
    "bytes": ("os.write(1, b'\\xff\\n')", "unreadable", "which is not a JSON object"),
    "deep": ("print('[' * 100000)", "unreadable", "which is not a JSON object"),
    "unasked": ("say({'id': 99, 'action': 0})", "unreadable", "whose id waits for no answer"),
    "no id": ("say({'action': 'stand'})", "unreadable", "whose id waits for no answer"),
    "long": ("print('x' * 2**20 + 'x')", "unreadable", "a line of more than 1048576 bytes"),
    "flood": (
        "while True: sys.stdout.write('x' * 2**16)",
        "unreadable",
        "a line of more than 1048576 bytes",
    ),
}


@pytest.mark.parametrize("how", ENDS_IT)
def test_the_oldest_request_fails_and_a_new_process_gets_the_others(make: Make, how: str) -> None:
    lines, kind, said = ENDS_IT[how]
    agent = make(body(f'if m["id"] == 3:\n    {lines}\nsay(first)'), "timeout_s=2")
    before = agent._process
    assert before is not None
    found = failures_of(agent)
    assert set(found) == {2}
    assert found[2].kind == kind
    assert said in found[2].message
    assert "\n" not in found[2].message
    assert is_reaped(before.process_id)
    agent._requests = 10
    assert act(agent).tolist() == rows()[1].argmax(axis=1).tolist()


def test_a_process_that_reads_nothing_runs_into_its_limit(make: Make) -> None:
    agent = make(HELLO + "time.sleep(999)", "timeout_s=0.1 restarts=1")
    found = failures_of(agent, 400)
    assert [each.kind for each in found.values()] == ["timeout"] * 2 + ["crash"] * 398
    assert found[5].message == "it has failed too often to be started again"


def test_a_process_is_started_again_so_often_and_no_more(make: Make, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    script = HELLO.replace("hello =", f"open({str(starts)!r}, 'a').write('x')\nhello =")
    agent = make(script + "sys.exit(1)", "restarts=2")
    guard = GuardedAgent(agent)
    guard.reset(20)
    masks = rows()[1]
    for _ in range(3):
        assert act(guard).tolist() == default_actions(masks).tolist()
    assert starts.read_text() == "xxx"
    assert guard.failures == {"crash": 15}
    assert guard.messages == {"crash": f"agent: {agent.spec!r}: it ended with exit code 1"}


def test_a_new_process_is_told_the_game_and_the_tables(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = body('if m["id"] == 2: sys.exit()\nsay(first)')
    agent = make(script.replace("    m =", f"    open({str(log)!r}, 'a').write(line)\n    m ="))
    agent.reset(64)
    assert set(failures_of(agent, 3)) == {1}
    types = [json.loads(line)["type"] for line in log.read_text().splitlines()]
    assert types == ["reset", "act", "act", "reset", "act"]


def test_what_it_says_on_standard_error_never_blocks_it(make: Make) -> None:
    agent = make(body("sys.stderr.write('noise ' * 50000)\nsay(first)"))
    assert act(agent, 20).tolist() == rows(20)[1].argmax(axis=1).tolist()


# What goes wrong at the start: one sentence.


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("process:", "agent: 'process:' names no command; write, for example, \"process:perl "),
        ("process:timeout_s=3", "names no command"),
        ("process:'perl", 'agent: "process:\'perl": no closing quotation'),
        ("process:no_such_program x", "cannot be started (No such file or directory)"),
        ("process:/etc/passwd", "cannot be started (Permission denied)"),
        ("process:true", "agent: 'process:true': it ended with exit code 0"),
        ("process:false x.safetensors", "x.safetensors': it ended with exit code 1"),
        ("process:echo hello", "it wrote 'hello', which is not a JSON object"),
        ("process:echo {}", 'it must first write {"type": "hello", "protocol": 1, "name": ...}'),
        ("process:startup_s=0.2 sleep 999", "it did not answer within 0.2 s"),
        ("process:timeout_s=no perl", "timeout_s: 'no' is not a number of seconds above 0"),
        ("process:timeout_s=0 perl", "timeout_s: '0' is not a number of seconds above 0"),
        ("process:timeout_s=nan perl", "is not a number of seconds above 0"),
        ("process:restarts=-1 perl", "restarts: '-1' is not a whole number from 0"),
        ("process:timeout=1 perl", "unknown setting 'timeout'; did you mean timeout_s?; use t"),
    ],
)
def test_what_does_not_start(spec: str, sentence: str) -> None:
    with pytest.raises(SabaccError) as raised:
        load(spec, "casino", 2)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"protocol": 2, "name": "x"}, "it must first write"),
        ({"protocol": 1}, "its name is None; use 1 to 100 printable characters"),
        ({"protocol": 1, "name": "a\nb"}, "its name is"),
        ({"protocol": 1, "name": "x", "probabilities": 1}, '"probabilities": 1; use true or false'),
    ],
)
def test_a_wrong_hello(make: Make, answer: Any, sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence):
        make(f"print('{json.dumps({'type': 'hello', **answer})}')".replace("\\n", "\\\\n"))


def test_no_shell_reads_the_command(make: Make, tmp_path: Path) -> None:
    with pytest.raises(SabaccError, match="it wrote '; touch "):
        load(f"process:echo ';' touch {shlex.quote(str(tmp_path / 'made'))}", "casino", 2)
    assert list(tmp_path.iterdir()) == []


# No process is left.


def test_closing_ends_the_process_and_all_that_it_started(make: Make, tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = f"open({str(child)!r}, 'w').write(str(subprocess.Popen(['sleep', '999']).pid))\n"
    agent = make(HELLO + script + "import signal; signal.signal(15, signal.SIG_IGN)\n" + LOOP)
    wait_for(child)
    assert agent._process is not None
    process_id = agent._process.process_id
    agent.close()
    assert is_reaped(process_id)
    wait_until_ended(int(child.read_text()))
    assert {each.kind for each in failures_of(agent).values()} == {"crash"}


def test_the_process_ends_when_nobody_holds_the_agent() -> None:
    agent = load(RANDOM, "casino", 2)
    process_id = agent._process.process_id  # type: ignore[attr-defined]
    del agent
    assert is_reaped(process_id)


OWNER = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from sabacc_agents import load
agent = load(sys.argv[1], "casino", 2)
print(agent._process.process_id, flush=True)
{}
"""


@pytest.mark.parametrize(
    ("how", "number"),
    [("", None), ("time.sleep(999)", signal.SIGINT), ("time.sleep(999)", signal.SIGKILL)],
)
def test_the_end_of_our_process_ends_its_agents(
    tmp_path: Path, how: str, number: signal.Signals | None
) -> None:
    script = tmp_path / "hangs.py"
    script.write_text(HELLO + "time.sleep(999)")
    words = [sys.executable, "-c", OWNER.format(how), f"process:{PYTHON} {script}"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
    ) as owner:
        assert owner.stdout is not None
        process_id = int(owner.stdout.readline())
        if number is not None:
            owner.send_signal(number)
        owner.wait()
    wait_until_ended(process_id)


def test_an_interrupted_call_leaves_no_answers_behind(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = make(body("say(first)"))

    def interrupted(line: bytes) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(messages, "read_line", interrupted)
    with pytest.raises(KeyboardInterrupt):
        act(agent)
    monkeypatch.undo()
    assert act(agent).tolist() == rows()[1].argmax(axis=1).tolist()
