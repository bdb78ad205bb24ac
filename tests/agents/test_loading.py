"""Agents by what a user writes."""

from __future__ import annotations

import pytest
from sabacc_agents import load, trained_against

from sabacc_env import SabaccError
from sabacc_env.agent import RandomAgent


def test_a_class_by_module():
    assert isinstance(load("sabacc_env.agent:RandomAgent", "casino", 2), RandomAgent)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("nobody", r"'nobody' is unknown; use one of always_raise, .*tight, the path of"),
        ("no_such_module:Agent", "cannot be imported"),
        ("sabacc_env.agent:Absent", "cannot be imported"),
        (":", "cannot be imported"),
        ("absent.safetensors", "cannot be read"),
    ],
)
def test_what_names_no_agent(spec, sentence):
    with pytest.raises(SabaccError, match=sentence):
        load(spec, "casino", 2)


def test_only_networks_were_trained():
    assert trained_against("maximiser") == ()
