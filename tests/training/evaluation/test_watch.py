"""``sabacc watch``: a hand told move by move."""

from __future__ import annotations

import pytest
from sabacc_training.evaluation.watch import play_hand

from sabacc_env.actions import DEFAULT_BET_SIZES
from sabacc_env.agent import RandomAgent
from sabacc_env.game import Game
from sabacc_env.rules import load_rules, rule_sets
from tests.support import toys
from tests.support.commands import command

BULLY, COWARD = "tests.support.toys:Bully", "tests.support.toys:Coward"


@pytest.fixture
def watch(capsys, monkeypatch):
    """Return a function that runs the command: (exit code, output, errors)."""
    monkeypatch.setenv("COLUMNS", "100")
    command("watch", "random", "random", "--seed", "0")  # where the engine is compiled, it says so
    capsys.readouterr()

    def watch(*arguments: str) -> tuple[int, str, str]:
        return command("watch", *arguments), *capsys.readouterr()

    return watch


@pytest.mark.parametrize("name", ["Illegal", "RaiseTo"])
def test_an_agent_that_plays_what_it_may_not_is_named(watch, name):
    code, _, errors = watch("random", f"tests.support.toys:{name}", "--seed", "1")
    assert code == 2
    assert errors.startswith(f"sabacc: agent: 'tests.support.toys:{name}' chose action")
    assert errors.count("\n") == 1


@pytest.mark.parametrize("rules", rule_sets())
def test_every_move_and_the_net_credits_are_told(watch, rules):
    code, output, errors = watch("random", BULLY, "random", "--rules", rules, "--seed", "5")
    assert (code, errors) == (0, "")
    assert "\x1b" not in output
    assert all(len(line) <= 100 for line in output.splitlines())
    agents = [kind(load_rules(rules), 3) for kind in (RandomAgent, toys.Bully, RandomAgent)]
    game = Game(rules, num_players=3, seed=5)
    for step in play_hand(game, agents, DEFAULT_BET_SIZES, seed=5):
        assert f"player_{step.seat}" in output
        assert str(step.move) in output
        game = step.after
    assert game.net_credits is not None
    ending = output.splitlines()[-6:]
    for seat, net in enumerate(game.net_credits):
        assert any(f"player_{seat} " in line and line.endswith(f"{net:+d}") for line in ending)


def test_the_hand_ends_with_the_reveal(watch):
    _, output, _ = watch(BULLY, BULLY, "--seed", "2")
    reveal = output[output.index("the reveal") :]
    assert "wins the pot of" in reveal
    assert "Sabacc pot holds" in reveal
    game = Game("casino", num_players=2, seed=2)
    for step in play_hand(game, [toys.Bully(game.rules, 2) for _ in "ab"], DEFAULT_BET_SIZES, 2):
        game = step.after
    for seat in game.remaining:
        rank = game.rank(seat)
        assert rank is not None
        assert rank.name in reveal


def test_a_hand_may_end_without_one(watch):
    _, output, _ = watch(BULLY, COWARD, "--seed", "2")
    assert "without a reveal" in output
    assert "junked" in output


def test_probabilities_are_told_where_an_agent_has_them():
    game = Game("casino", num_players=2, seed=1, dealer=0)  # player_1 acts first
    agents = [RandomAgent(game.rules, 2), toys.Bully(game.rules, 2)]
    steps = list(play_hand(game, agents, DEFAULT_BET_SIZES, seed=1))
    for step in steps:
        if step.seat == 1:
            assert step.told is None
        else:
            assert str(step.move) in step.told.probabilities
            assert sum(step.told.probabilities.values()) == pytest.approx(1)
    assert {step.seat for step in steps} == {0, 1}
    assert game.history == ()


def test_the_same_seed_tells_the_same_hand(watch):
    hands = [watch("random", "random", "--seed", seed)[1] for seed in ("7", "7", "8")]
    assert hands[0] == hands[1] != hands[2]


def test_without_a_seed_the_one_drawn_is_shown(watch):
    _, output, _ = watch("random", BULLY)
    seed = output.splitlines()[0].split()[-1]
    assert watch("random", BULLY, "--seed", seed)[1] == output


def test_views_are_given_to_the_agent_that_wants_them(watch):
    assert watch("tests.support.toys:Viewer", "random", "--seed", "1")[0] == 0


def test_a_rung_of_the_ladder_is_watched_too(watch):
    code, output, _ = watch("random", "maximiser", "--rules", "one_draw", "--seed", "1")
    assert code == 0
    assert "One card each, which may be redrawn" in output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["random"], "agents: 1 given; name one for each seat, 2 to 8"),
        ([], "agents: 0 given; name one for each seat, 2 to 8"),
        (["random"] * 9, "agents: 9 given; name one for each seat, 2 to 8"),
        (["random", "nobody"], "unknown agent 'nobody'"),
        (["random", "random", "--rules", "cassino"], "did you mean casino?"),
        (["random", "random", "--speed", "0"], "--speed: 0.0 is out of range"),
        (["random", "random", "--seed", "-1"], "seed"),
        (["random", "tests.support.toys:JUNK"], "'tests.support.toys:JUNK' is not a class"),
    ],
)
def test_a_mistake_is_one_sentence(watch, arguments, words):
    code, output, errors = watch(*arguments)
    assert (code, output) == (2, "")
    assert errors.startswith("sabacc: ")
    assert words in errors
    assert errors.count("\n") == 1
