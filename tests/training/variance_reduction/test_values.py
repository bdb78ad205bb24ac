"""Value functions: files, what ships, and learning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sabacc_agents.loading import load
from sabacc_training.evaluation.playing import DealTables, deal_keys, generator, play_deals
from sabacc_training.variance_reduction.deal_corrections import DealCorrections
from sabacc_training.variance_reduction.measure import measure
from sabacc_training.variance_reduction.network import ValueNetwork
from sabacc_training.variance_reduction.train import ValueTraining, train
from sabacc_training.variance_reduction.values import (
    FOLDER,
    ValueFunction,
    load_value_function,
    save_value_function,
    shipped_value_function,
)

from sabacc_env import SabaccError, load_rules
from tests.support.reduced_play import arbitrary_values

CASINO = load_rules("casino")
SMALL = ValueTraining(hands=20, hands_of_many=6, outcome_steps=2, iterations=1, steps=1)


def test_a_file_holds_the_network_and_the_agents_that_it_knows(tmp_path: Path) -> None:
    function = arbitrary_values()
    assert function.network is not None
    path = tmp_path / "casino.safetensors"
    save_value_function(path, function.network, CASINO, ["tight", "loose"], {"seed": 1})
    loaded = load_value_function(path, CASINO)
    assert loaded.network is not None
    assert loaded.style_of("loose") == 2
    assert loaded.style_of("zoo:casino-2p") == 0
    for name, array in function.network.arrays().items():
        assert (loaded.network.arrays()[name] == array).all()
    with pytest.raises(SabaccError, match="was trained for the rules 'casino'"):
        load_value_function(path, load_rules("orsl"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(SabaccError, match="checksum"):
        load_value_function(path, CASINO)


def test_rules_without_a_file_have_the_baseline() -> None:
    assert shipped_value_function(load_rules("casino", rounds=2)).network is None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.safetensors")), ids=lambda path: path.stem)
def test_what_ships_is_small_and_narrows_intervals(path: Path) -> None:
    rules = load_rules(path.stem)
    function = shipped_value_function(rules)
    assert function.network is not None
    assert path.stat().st_size < 300_000
    assert function.style_of("tight") > 0
    found = measure(rules, "tight", "heuristic", 2, 300, function)
    assert found.hand_factor > 1


def test_the_seed_decides_what_is_learnt() -> None:
    rules = load_rules("black_spire")
    agents = ["tight", "random"]
    first, second = (train(rules, agents, SMALL) for _ in range(2))
    assert first is not None
    assert second is not None
    for name, array in first[0].arrays().items():
        assert (second[0].arrays()[name] == array).all()
    assert any(array.any() for array in first[0].arrays().values())
    assert ValueNetwork().arrays()["output.weight"].any() == 0
    assert first[0].arrays()["output.weight"].any()


def test_agents_that_do_not_tell_their_probabilities_are_learnt_from_too() -> None:
    agents = ["tests.support.toys:FirstLegal", "tests.support.toys:Viewer"]
    trained = train(load_rules("black_spire"), agents, SMALL)
    assert trained is not None
    assert trained[0].arrays()["output.weight"].any()


def test_corrections_of_deals_are_those_of_their_places() -> None:
    agents = [load("tight", "casino", 3), load("random", "casino", 3), load("loose", "casino", 3)]
    specs = ["tight", "random", "loose"]

    dealt = DealTables(CASINO, 3, deal_keys(1, 0, 40))
    corrections = DealCorrections(dealt, arbitrary_values(), specs, agents, seed=5)
    rngs = [generator(1, place) for place in range(3)]
    play_deals(dealt, agents, rngs, tell=True, observers=[corrections])
    by_place = corrections.by_kind.sum(axis=2)
    assert np.isfinite(by_place).all()
    assert (by_place != 0).any(axis=2).all()
    values = by_place.mean(axis=1)
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    assert (np.abs(values.mean(axis=0)) < 4.5 * errors).all()


def test_a_measurement_compares_the_same_hands() -> None:
    found = measure(CASINO, "tight", "loose", 2, 300, ValueFunction())
    raw, reduced = found.estimates()
    assert abs(raw.mean - reduced.mean) < 4 * (raw.half_width() + reduced.half_width())
    assert found.raw.shape == (300, 2)
    assert found.corrections.shape == (300, 2, 4)
    assert found.hands_a_second < found.raw_hands_a_second
