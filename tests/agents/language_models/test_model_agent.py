"""Agents that are language models: what is sent, what is read, and whatever may go wrong."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sabacc_agents import load
from sabacc_agents.external.failures import Failure, RowsFailedError
from sabacc_agents.language_models import endpoint
from sabacc_agents.language_models.agent import ModelAgent, system_text
from sabacc_agents.language_models.spec import ModelSpec
from sabacc_agents.language_models.usage import Usage
from tenacity import wait_none

from sabacc_env import SabaccError, Tables, agent_calls, load_rules
from sabacc_env.rules.text import page
from sabacc_env.text import observation_text
from tests.support.model_server import ModelServer, Reply, first_legal, serving_model

KEY = "sk-very-secret"
ALL = np.arange(8)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, no address, no waiting before a request is sent again, no proxy."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(endpoint, "_BACKOFF", wait_none())


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serving_model() as served:
        yield served


def agent_at(server: ModelServer, settings: str = "", rules: str = "casino") -> ModelAgent:
    agent = load(server.spec(settings), rules, 2)
    assert isinstance(agent, ModelAgent)
    return agent


def begun(agent: ModelAgent, rules: str = "casino", count: int = 8) -> Tables:
    tables = Tables(rules, count, 2, seed=1)
    agent_calls.begin([agent], tables)
    return tables


def act(agent: ModelAgent, count: int = 8) -> Any:
    """Ask for a decision at each of some tables."""
    tables = begun(agent, count=count)
    views = [tables.game(i).view(int(tables.seats_to_act[i]), events=True) for i in range(count)]
    return agent.act(views, tables.action_masks.copy(), np.random.default_rng(0), np.arange(count))


def failures_of(agent: ModelAgent, count: int = 1) -> dict[int, Failure]:
    with pytest.raises(RowsFailedError) as raised:
        act(agent, count)
    return dict(raised.value.failures)


def in_turn(*replies: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Return what answers with each of these, then plays the first legal move."""
    left = list(replies)
    return lambda body: left.pop(0) if left else first_legal(body)


# What works.


@pytest.mark.parametrize("rules", ["casino", "spacers"])
def test_it_plays_what_the_model_says(server: ModelServer, rules: str) -> None:
    agent = agent_at(server, rules=rules)
    tables, rng = begun(agent, rules), np.random.default_rng(0)
    for _ in range(20):
        chosen = agent_calls.actions_at(agent, tables, ALL, rng)
        assert chosen.tolist() == tables.action_masks.argmax(axis=1).tolist()
        tables.step(chosen)
    assert tables.hand_counts.any()
    assert agent.usage == Usage(160, 0, 160 * 100, 160 * 7)


def test_a_prompt_has_all_that_the_seat_saw_and_the_rules(server: ModelServer) -> None:
    agent = agent_at(server, "temperature=0.5 max_tokens=200")
    tables, rng = begun(agent, count=1), np.random.default_rng(0)
    for _ in range(6):
        game = tables.game(0)
        prompt = observation_text(game.view(game.seat_to_act or 0, events=True))
        assert "What has happened" in prompt
        tables.step(agent_calls.actions_at(agent, tables, np.arange(1), rng))
        assert server.bodies[-1] == {
            "model": "my-model",
            "messages": [
                {"role": "system", "content": system_text(tables.rules)},
                {"role": "user", "content": prompt},
            ],
            "max_tokens": 200,
            "temperature": 0.5,
        }
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_the_prompts_together_tell_every_rule() -> None:
    rules = load_rules("casino")
    game = Tables(rules, 1, 2, seed=1).game(0)
    told = system_text(rules) + observation_text(game.view(game.seat_to_act or 0))
    missing = [line for section in page(rules) for line in section.sentences if line not in told]
    assert missing == []


def test_the_environment_may_say_where_the_model_is(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/")
    monkeypatch.delenv("OPENAI_API_KEY")
    agent = load("model:qwen3:8b", "casino", 2)
    assert isinstance(agent, ModelAgent)
    act(agent)
    assert server.bodies[0]["model"] == "qwen3:8b"
    assert set(server.keys) == {None}
    assert "temperature" not in server.bodies[0]


def test_so_many_requests_wait_at_the_same_time(server: ModelServer) -> None:
    waiting, most, lock = 0, 0, threading.Lock()

    def slow(body: dict[str, Any]) -> Reply:
        nonlocal waiting, most
        with lock:
            waiting += 1
            most = max(most, waiting)
        time.sleep(0.05)
        with lock:
            waiting -= 1
        return first_legal(body)

    server.answer = slow
    act(agent_at(server, "max_concurrency=3"))
    assert most == 3


def test_it_plays_where_an_event_loop_runs_already(server: ModelServer) -> None:
    async def notebook() -> Any:
        return act(agent_at(server))

    assert len(asyncio.run(notebook())) == 8


# Answers that are refused.


def test_an_answer_that_is_refused_is_asked_for_again(server: ModelServer) -> None:
    server.answer = in_turn(Reply("I would like to fly."))
    agent = agent_at(server)
    act(agent, 1)
    assert agent.usage == Usage(2, 1, 200, 14)
    asked = server.bodies[1]["messages"]
    assert asked[:2] == server.bodies[0]["messages"]
    assert asked[2] == {"role": "assistant", "content": "I would like to fly."}
    assert asked[3]["role"] == "user"
    assert asked[3]["content"].startswith("'I would like to fly.' does not name one move; legal:")


@pytest.mark.parametrize("retries", [0, 2])
def test_after_so_many_refusals_the_decision_fails(server: ModelServer, retries: int) -> None:
    server.answer = lambda _: Reply("Raise to a million!")
    agent = agent_at(server, f"retries={retries}")
    (failure,) = failures_of(agent).values()
    assert failure.kind == "illegal"
    assert "Raise to a million" in failure.message
    assert (agent.usage.requests, agent.usage.refused) == (retries + 1, retries + 1)


def test_the_other_decisions_count(server: ModelServer) -> None:
    def answer(body: dict[str, Any]) -> Reply:
        return Reply("Hm.") if len(server.bodies) == 3 else first_legal(body)

    server.answer = answer
    agent = agent_at(server, "retries=0 max_concurrency=1")
    tables = begun(agent)
    with pytest.raises(RowsFailedError) as raised:
        act(agent)
    assert set(raised.value.failures) == {2}
    others = np.delete(ALL, 2)
    assert (raised.value.answers == tables.action_masks.argmax(axis=1))[others].all()


# Errors of the endpoint.

UNAVAILABLE = Reply(status=503, body=b"loading the model")
BUSY = Reply(status=429, headers={"Retry-After": "0"})
NO_JSON = Reply(body=b'{"choices": [')


@pytest.mark.parametrize(
    "reply", [UNAVAILABLE, BUSY, NO_JSON, Reply(body=b'{"choices": []}'), Reply(drops=True)]
)
def test_a_request_is_sent_again_after_an_error_that_may_pass(
    server: ModelServer, reply: Reply
) -> None:
    server.answer = in_turn(reply, reply)
    agent = agent_at(server)
    assert len(act(agent, 1)) == 1
    assert agent.usage == Usage(3, 0, 100, 7)


@pytest.mark.parametrize(
    ("reply", "requests", "kind", "message"),
    [
        (UNAVAILABLE, 5, "crash", "the endpoint answered 503 Service Unavailable: loading the"),
        (Reply(drops=True), 5, "crash", "the endpoint cannot be asked (RemoteProtocolError"),
        (NO_JSON, 5, "unreadable", "something other than a chat completion"),
        (Reply(status=404, body=b"no\nmodel\x1b[2J"), 1, "crash", "404 Not Found: no model[2J"),
        (Reply(status=307, headers={"Location": "/"}), 1, "crash", "307 Temporary Redirect"),
        (Reply(status=429, headers={"Retry-After": "60"}), 1, "crash", "429 Too Many Requests"),
    ],
)
def test_an_error_that_stays_fails_the_decision(
    server: ModelServer, reply: Reply, requests: int, kind: str, message: str
) -> None:
    server.answer = lambda _: reply
    agent = agent_at(server, "timeout_s=5")
    (failure,) = failures_of(agent).values()
    assert failure.kind == kind
    assert message in failure.message
    assert agent.usage == Usage(requests)


def test_an_endpoint_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    agent = load(f"model:base_url=http://127.0.0.1:{port}/v1 my-model", "casino", 2)
    assert isinstance(agent, ModelAgent)
    (failure,) = failures_of(agent).values()
    assert failure.kind == "crash"
    assert failure.message.startswith("the endpoint cannot be asked (ConnectError")
    with pytest.raises(SabaccError, match=r"^agent: 'model:.* cannot be asked \(ConnectError"):
        agent.check()


def test_a_key_is_in_no_message(server: ModelServer) -> None:
    said = json.dumps({"error": f"{KEY} is not a key"}).encode()
    server.answer = lambda _: Reply(status=401, body=said)
    agent = agent_at(server)
    with pytest.raises(SabaccError, match=r"401 Unauthorized: .*\[the key\] is not a key") as error:
        agent.check()
    assert KEY not in str(error.value)
    assert KEY not in repr(vars(agent))


def test_a_key_is_sent_without_its_line_end_and_a_wrong_one_is_refused(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    agent_at(server).check()
    assert server.keys == [f"Bearer {KEY}"]
    for wrong in (f"{KEY}\n{KEY}", f"{KEY}\u2026"):
        monkeypatch.setenv("OPENAI_API_KEY", wrong)
        with pytest.raises(SabaccError, match="OPENAI_API_KEY has a character") as error:
            agent_at(server)
        assert KEY not in str(error.value)


def test_the_limit_holds_for_an_endpoint_that_goes_on_sending(server: ModelServer) -> None:
    """Some send spaces while they wait for the model, so that nobody hangs up."""

    def answer(body: dict[str, Any]) -> Reply:
        return Reply(hangs=True) if len(server.bodies) == 1 else first_legal(body)

    server.answer = answer
    failures = failures_of(agent_at(server, "timeout_s=2 max_concurrency=1"), 3)
    assert failures == {0: Failure("timeout", "no answer within 2 s")}


def test_the_limit_holds_for_all_that_is_asked_again(server: ModelServer) -> None:
    def slow(_: dict[str, Any]) -> Reply:
        time.sleep(0.15)
        return Reply("Hm.")

    server.answer = slow
    agent = agent_at(server, "timeout_s=0.5 retries=100")
    assert failures_of(agent)[0].kind == "timeout"
    assert agent.usage.refused <= 3


def test_answers_without_a_count_of_tokens_are_counted(server: ModelServer) -> None:
    server.answer = in_turn(Reply("stand", usage=None))
    agent = agent_at(server, "max_concurrency=1")
    act(agent, 2)
    assert agent.usage == Usage(2, 0, 100, 7, uncounted=1)
    assert agent.usage.text(0).endswith("7 tokens out, 1 answers without a count of tokens")


def test_ctrl_c_waits_for_no_answer(server: ModelServer) -> None:
    agent = agent_at(server)
    act(agent)
    server.answer = lambda _: Reply(hangs=True)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    began = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            act(agent)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 30  # the limit is 60 s


# Specs.


def test_settings_stand_before_the_name() -> None:
    text = "model:base_url=https://h/v1 timeout_s=3 retries=0 max_tokens=9 temperature=0 'a model'"
    assert ModelSpec.parse(text) == ModelSpec(
        "a model", "https://h/v1", timeout_s=3, retries=0, max_tokens=9, temperature=0
    )


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("model:", "does not name one model"),
        ("model:two models", "does not name one model"),
        ("model:timeout=1 m", "unknown setting 'timeout'; did you mean timeout_s?; use base_url"),
        ("model:timeout_s=0 m", "timeout_s: '0' is not a number of seconds above 0"),
        ("model:retries=-1 m", "retries: '-1' is not a whole number from 0"),
        ("model:max_tokens=0 m", "max_tokens: '0' is not a whole number from 1"),
        ("model:max_concurrency=0 m", "max_concurrency: '0' is not a whole number from 1"),
        ("model:temperature=nan m", "temperature: 'nan' is not a number from 0"),
        ("model:price_in=-1 m", "price_in: '-1' is not a number from 0"),
        ("model:base_url=localhost:8000 m", "base_url: 'localhost:8000' is not the address of"),
        ("model:base_url=http://h:port/v1 m", "base_url: 'http://h:port/v1' is not the address of"),
        ("model:base_url=file:///v1 m", "base_url: 'file:///v1' is not the address of"),
        ("model:'m", "no closing quotation"),
        ("model:m", "nothing says where the model 'm' is"),
    ],
)
def test_a_wrong_spec_is_refused(spec: str, sentence: str) -> None:
    with pytest.raises(SabaccError, match=r"^agent: ") as error:
        load(spec, "casino", 2)
    assert sentence in str(error.value)


@pytest.mark.parametrize("url", ["http://me:hush@h/v1", "http://h/v1?key=hush", "http://h/#hush"])
def test_an_address_holds_no_secret(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SabaccError, match="base_url: has more than a host and a path") as error:
        load(f"model:base_url={url} m", "casino", 2)
    assert "hush" not in str(error.value)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(SabaccError, match="OPENAI_BASE_URL: has more than") as error:
        load("model:m", "casino", 2)
    assert "hush" not in str(error.value)
