"""Saved networks: round trips, and everything that is refused."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from sabacc_agents import (
    FeatureExtractor,
    Network,
    NetworkAgent,
    NetworkInfo,
    load,
    load_network,
    read_info,
    save_network,
    trained_against,
)
from sabacc_agents.networks.network import FORMAT, VERSION
from sabacc_agents.saved_files import read_arrays, read_description, write_arrays

from sabacc_env import SabaccError, load_rules
from sabacc_env.actions import num_actions
from sabacc_env.observation import OBSERVATION_SIZE
from tests.support.agents import decisions
from tests.support.damage import flip_bit
from tests.support.disks import full_disk

torch = pytest.importorskip("torch")
CASINO = load_rules("casino")
ACTIONS = num_actions(("min", 0.5, 1, "max"))
TRAINING = {"config": "quick", "steps": 1000, "seed": 3, "opponents": ["tight", "random"]}


def weights_of(*hidden, actions=ACTIONS, shown=OBSERVATION_SIZE, seed=0):
    """Return random weights of a network with such hidden layers."""
    rng = np.random.default_rng(seed)
    sizes = [shown, *hidden, actions]
    weights = {}
    for layer, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        weights[f"layers.{layer}.weight"] = rng.normal(0, 0.2, (outputs, inputs)).astype("f4")
        weights[f"layers.{layer}.bias"] = rng.normal(0, 0.2, outputs).astype("f4")
    return weights


INFO = NetworkInfo((CASINO,), (2,), training=TRAINING)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_network(path, weights_of(16, 8), INFO)
    return path


def test_round_trip(saved):
    assert [path.name for path in saved.parent.iterdir()] == ["policy.safetensors"]
    network = load_network(saved)
    assert network.info == INFO
    assert network.layer_sizes == (OBSERVATION_SIZE, 16, 8, 33)
    assert network.extractor is None
    for name, array in weights_of(16, 8).items():
        assert (network.weights[name] == array).all()
    assert trained_against(saved) == trained_against(str(saved)) == ("tight", "random")


def test_weights_may_be_tensors_and_bet_sizes_fractions(tmp_path):
    path = tmp_path / "policy.safetensors"
    sizes = (1 / 3, "max")
    tensors = {name: torch.tensor(array) for name, array in weights_of(4, actions=31).items()}
    save_network(path, tensors, NetworkInfo((CASINO,), (2,), sizes, activation="relu"))
    assert read_info(path).activation == "relu"
    assert load(path, "casino", 2, bet_sizes=sizes).info.opponents == ()


def test_a_feature_extractor_and_half_precision_make_a_small_file(tmp_path):
    extractor = FeatureExtractor.for_games([CASINO], 2)
    weights = weights_of(16, shown=extractor.size)
    path = tmp_path / "policy.safetensors"
    save_network(path, weights, INFO, extractor, "float16")
    count = sum(array.size for array in weights.values())
    assert path.stat().st_size < 2 * count + 10_000
    network = load_network(path)
    for name, array in weights.items():
        assert network.weights[name].dtype == np.float32
        assert (network.weights[name] == array.astype(np.float16)).all()
    agent, whole = load(path), NetworkAgent(network=Network(weights, INFO))
    plain = NetworkAgent(network=Network(network.weights, INFO))
    for observations, masks in decisions(CASINO, 2, agent, steps=15):
        found = agent.probabilities(observations, masks)
        shown = extractor.extract(observations)
        assert found == pytest.approx(plain.probabilities(shown, masks), abs=1e-6)
        assert found == pytest.approx(whole.probabilities(shown, masks), abs=0.05)


def test_without_a_game_named_it_is_loaded_for_its_own(saved):
    agent = load(saved)
    assert agent.info == INFO
    assert load(saved, num_players=2).info == load(saved, "casino").info == INFO
    with pytest.raises(SabaccError, match="was made for 2 players, not 0"):
        load(saved, num_players=0)


def test_one_network_for_several_games(tmp_path):
    path = tmp_path / "policy.safetensors"
    games = (CASINO, load_rules("orsl", short_call="all_in")), (2, 3, 4)
    save_network(path, weights_of(8), NetworkInfo(*games))
    for rules, players in itertools.product(*games):
        agent = load(path, rules, players)
        for observations, masks in decisions(rules, players, agent, steps=3):
            assert agent.act(observations, masks, np.random.default_rng(0)).shape == (64,)
    with pytest.raises(SabaccError, match=r"the rules 'casino', 'orsl', not other rules of that"):
        load(path, "orsl", 2)
    with pytest.raises(SabaccError, match="'casino', 'orsl', not 'spacers'"):
        load(path, "spacers", 2)
    with pytest.raises(SabaccError, match="was made for 2, 3, 4 players, not 5"):
        load(path, "casino", 5)
    with pytest.raises(SabaccError, match="give at least one rule set and one number of players"):
        NetworkInfo((), (2,))
    with pytest.raises(SabaccError, match=r"training: \[1\] is not a mapping"):
        NetworkInfo(*games, training=[1])
    with pytest.raises(SabaccError, match="training: its opponents are not a list"):
        NetworkInfo(*games, training={"opponents": 5})


def test_a_file_from_before_the_extractor_had_its_name_is_loaded(tmp_path):
    extractor = FeatureExtractor.for_games([CASINO], 2)
    path, old = tmp_path / "policy.safetensors", tmp_path / "old.safetensors"
    save_network(path, weights_of(4, shown=extractor.size), INFO, extractor)
    described = read_description(path, FORMAT, VERSION, "network")
    arrays = {name.replace("features.", "outlook."): a for name, a in read_arrays(path).items()}
    assert "outlook.columns" in arrays
    write_arrays(old, arrays, FORMAT, VERSION, described)
    ours, theirs = load_network(path).extractor, load_network(old).extractor
    assert ours is not None
    assert theirs is not None
    for name in ("columns", "terms", "factors"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("columns", lambda a: a + OBSERVATION_SIZE),
        ("terms", lambda a: a - 1),
        ("terms", lambda a: a[:, :2]),
        ("factors", lambda a: a[1:]),
        ("factors", lambda a: a.astype("f8")),
        ("columns", None),
    ],
)
def test_a_feature_extractor_that_is_damaged_is_refused(tmp_path, name, change):
    extractor = FeatureExtractor.for_games([CASINO], 2)
    path = tmp_path / "policy.safetensors"
    save_network(path, weights_of(4, shown=extractor.size), INFO, extractor)
    described = read_description(path, FORMAT, VERSION, "network")
    arrays = read_arrays(path)
    array = arrays.pop(f"features.{name}")
    if change is not None:
        arrays[f"features.{name}"] = np.ascontiguousarray(change(array))
    write_arrays(path, arrays, FORMAT, VERSION, described)
    with pytest.raises(SabaccError, match="its feature extractor is damaged"):
        load(path)


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_probabilities_are_a_masked_softmax(activation):
    info = NetworkInfo((CASINO,), (2,), activation=activation)
    weights = weights_of(16, 8)
    agent = NetworkAgent(CASINO, 2, network=Network(weights, info))
    activate = np.tanh if activation == "tanh" else lambda values: np.maximum(values, 0)
    for observations, masks in decisions(CASINO, 2, agent, steps=15):
        chances = agent.probabilities(observations, masks)
        values = observations
        for layer in range(3):
            values = values @ weights[f"layers.{layer}.weight"].T + weights[f"layers.{layer}.bias"]
            values = activate(values) if layer < 2 else values
        wanted = np.where(masks > 0, np.exp(values), 0)
        wanted /= wanted.sum(axis=1, keepdims=True)
        assert chances == pytest.approx(wanted, abs=1e-5)
        assert (chances[masks == 0] == 0).all()
        assert chances.sum(axis=1) == pytest.approx(1)
        greedy = NetworkAgent(CASINO, 2, network=Network(weights, info), greedy=True)
        rng = np.random.default_rng(0)
        assert (greedy.act(observations, masks, rng) == chances.argmax(axis=1)).all()


def test_the_same_rng_draws_the_same_actions(saved):
    agent = load(saved, "casino", 2)
    for observations, masks in decisions(CASINO, 2, agent, steps=5):
        drawn = [agent.act(observations, masks, np.random.default_rng(1)) for _ in range(2)]
        assert (drawn[0] == drawn[1]).all()


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (("orsl", 2), {}, "was made for the rules 'casino', not 'orsl'"),
        ((load_rules("casino", hand_ante=4), 2), {}, "not other rules of that name"),
        (("casino", 3), {}, "was made for 2 players, not 3"),
        (("casino", 2), {"bet_sizes": ("min",)}, "was made for the bet sizes"),
    ],
)
def test_other_tables_are_refused(saved, arguments, options, sentence):
    with pytest.raises(SabaccError, match=sentence):
        load(saved, *arguments, **options)


def test_other_observations_are_refused(saved, monkeypatch):
    monkeypatch.setattr("sabacc_agents.saved_files.OBSERVATION_SIZE", OBSERVATION_SIZE + 1)
    with pytest.raises(SabaccError, match=f"observations of {OBSERVATION_SIZE} numbers"):
        load(saved, "casino", 2)


def test_other_meanings_of_the_observation_are_refused(saved, monkeypatch):
    monkeypatch.setattr("sabacc_agents.saved_files.observation_version", lambda: "another")
    with pytest.raises(SabaccError, match="for another version of the observation"):
        load_network(saved)


def test_a_later_version_is_refused(saved, monkeypatch):
    monkeypatch.setattr("sabacc_agents.networks.network.VERSION", 0)
    with pytest.raises(SabaccError, match="format version 3; this package reads 0"):
        read_info(saved)


def test_what_is_no_network_is_refused(tmp_path):
    from safetensors.numpy import save_file

    with pytest.raises(SabaccError, match="cannot be read"):
        load_network(tmp_path / "absent.safetensors")
    path = tmp_path / "other.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(SabaccError, match="is not a safetensors file"):
        load_network(path)
    save_file({"a": np.zeros(2)}, path)
    with pytest.raises(SabaccError, match="is not a network that this package saved"):
        load_network(path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda w: w.pop("layers.0.bias"), "arrays are layers.0.weight"),
        (lambda w: w.update({"layers.1.weight": np.zeros((33, 5))}), "layer 1 takes 8 numbers"),
        (
            lambda w: w["layers.0.bias"].fill(1e6),
            "layer 0 holds a value that is not a finite float16",
        ),
        (lambda w: w.update(weights_of(8, actions=30)), "gives 30 logits, but 4 bet sizes make 33"),
    ],
)
def test_weights_that_do_not_fit_are_not_saved(tmp_path, change, sentence):
    weights = weights_of(8)
    change(weights)
    with pytest.raises(SabaccError, match=sentence):
        save_network(tmp_path / "policy.safetensors", weights, INFO, precision="float16")
    assert not list(tmp_path.iterdir())


def test_other_things_that_are_not_saved(tmp_path):
    path = tmp_path / "policy.safetensors"
    with pytest.raises(SabaccError, match=r"ends in \.safetensors"):
        save_network(tmp_path / "policy.pt", weights_of(8), INFO)
    with pytest.raises(SabaccError, match="unknown activation 'gelu'"):
        save_network(path, weights_of(8), NetworkInfo((CASINO,), (2,), activation="gelu"))
    with pytest.raises(SabaccError, match="its description cannot be written as JSON"):
        save_network(path, weights_of(8), NetworkInfo((CASINO,), (2,), training={"x": object()}))
    assert not list(tmp_path.iterdir())


def test_any_damage_is_noticed(saved):
    whole, rng = saved.read_bytes(), np.random.default_rng(0)
    places = [*range(300), *rng.integers(len(whole), size=300)]  # the header, and anywhere
    for place in places:
        saved.write_bytes(flip_bit(whole, place, int(rng.integers(8))))
        with pytest.raises(SabaccError):
            load(saved)
    for end in rng.integers(len(whole), size=50):
        saved.write_bytes(whole[:end])
        with pytest.raises(SabaccError):
            load(saved)


def test_a_file_of_before_checksums_is_loaded_with_a_word_about_it(saved):
    from safetensors.numpy import save_file

    described = read_description(saved, FORMAT, VERSION, "network") | {"version": VERSION - 1}
    save_file(read_arrays(saved), saved, {FORMAT: json.dumps(described)})
    with pytest.warns(UserWarning, match="has no checksum, because an older version saved it"):
        network = load_network(saved)
    assert network.info == INFO
    described["version"] = VERSION
    save_file(read_arrays(saved), saved, {FORMAT: json.dumps(described)})
    with pytest.raises(SabaccError, match="its description is damaged \\('sha256'\\)"):
        load_network(saved)


def test_on_a_full_disk_the_old_file_stays(saved):
    before = saved.read_bytes()
    with full_disk(), pytest.raises(SabaccError, match=r"cannot be written \(File too large\)"):
        save_network(saved, weights_of(8), INFO)
    assert saved.read_bytes() == before
    assert len(list(saved.parent.iterdir())) == 1
