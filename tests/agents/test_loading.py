"""Agents by what a user writes."""

from __future__ import annotations

import sys

import pytest
from sabacc_agents import load, trained_against

from sabacc_env import SabaccError
from sabacc_env.agent import RandomAgent


def test_a_class_by_module():
    assert isinstance(load("sabacc_env.agent:RandomAgent", "casino", 2), RandomAgent)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "nobody",
            "unknown agent 'nobody'; use one of always_junk, .*zoo:NAME .*, the path of",
        ),
        ("zoo:kessel", "agent: the zoo has no member 'kessel'; "),
        ("no_such_module:Agent", "cannot be imported"),
        ("sabacc_env.agent:Absent", "cannot be imported"),
        (":", "cannot be imported"),
        ("tigth", r"unknown agent 'tigth'; did you mean tight\?; use one of"),
        (None, "unknown agent None; use one of"),
        (5, "unknown agent 5; use one of"),
        ("", "unknown agent ''; use one of"),
        (__file__, r"test_loading.py' is a file, but not a saved agent \(.safetensors\)"),
        ("os:getcwd", "'os:getcwd' is not a class"),
        ("builtins:object", "'builtins:object' has no method reset"),
        ("absent.safetensors", "cannot be read"),
    ],
)
def test_what_names_no_agent(spec, sentence):
    for game in (("casino", 2), ()):
        with pytest.raises(SabaccError, match=sentence):
            load(spec, *game)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Return a function that writes mine.py in the current folder, which is not on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield (tmp_path / "mine.py").write_text
    sys.modules.pop("mine", None)


def test_a_module_in_the_current_folder(mine):
    mine("from sabacc_env.agent import RandomAgent as Mine")
    assert isinstance(load("mine:Mine", "casino", 2), RandomAgent)


METHODS = """
    def reset(self, num_tables):
        pass

    def act(self, observations, action_masks, rng, tables=None):
        pass
"""


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("class Mine", r"'mine:Mine' cannot be imported \(SyntaxError: "),
        ("import no_such_module", r"cannot be imported \(ModuleNotFoundError: "),
        ("1 / 0", r"cannot be imported \(ZeroDivisionError: division by zero\)"),
        ("Mine = 5", "'mine:Mine' is not a class; it names 5"),
        ("class Mine:\n    def reset(self, n): pass", "'mine:Mine' has no method act"),
        (
            "class Mine:" + METHODS,
            r"'mine:Mine' failed in Mine\(rules, num_players, bet_sizes=...\): TypeError: .* takes",
        ),
        (
            "class Mine:\n    def __init__(self, rules, n, bet_sizes):\n        rules.x" + METHODS,
            r"AttributeError: .* \(mine.py, line 3\)",
        ),
    ],
)
def test_a_class_that_cannot_be_an_agent(mine, source, sentence):
    mine(source)
    with pytest.raises(SabaccError, match=sentence) as raised:
        load("mine:Mine", "casino", 2)
    assert "\n" not in str(raised.value)


def test_only_networks_were_trained():
    assert trained_against("maximiser") == ()


@pytest.mark.parametrize("game", [(), ("casino",), (None, 2)])
def test_what_was_made_for_no_game_needs_one(game):
    with pytest.raises(SabaccError, match="'tight' does not say which game it plays; give rules"):
        load("tight", *game)
