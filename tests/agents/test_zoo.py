"""The zoo: members are loaded by name; the cards of those that ship are theirs."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest
from sabacc_agents import NetworkInfo, load, read_info, save_network, trained_against, zoo
from sabacc_agents.loading import made_for
from sabacc_agents.zoo.model_card import Margin, ModelCard, Result

from sabacc_env import SabaccError, load_rules
from sabacc_env.observation import observation_version
from tests.agents.networks.test_network import weights_of
from tests.support.agents import decisions

pytest.importorskip("torch")
GAMES = (load_rules("orsl"), load_rules("casino")), (3, 4)


def card_of(name, **changes):
    return ModelCard(
        name=name,
        weights="0" * 64,
        rules={rules.name: rules.digest for rules in GAMES[0]},
        num_players=GAMES[1],
        observation_version=observation_version(),
        config={"steps": 5},
        seed=0,
        decisions=5,
        hours=0.1,
        retrain=f"sabacc train configs/zoo/{name}.toml",
        opponents=("random",),
        **changes,
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A zoo of two."""
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    info = NetworkInfo(*GAMES, training={"opponents": ["tight"]})
    for name in ("rancor", "porg"):
        save_network(tmp_path / f"{name}.safetensors", weights_of(4), info)
    return tmp_path


def test_a_member_is_loaded_by_name(folder):
    assert zoo.members() == ("porg", "rancor")
    agent = load("zoo:porg")
    assert agent.info == read_info("zoo:porg") == read_info(folder / "porg.safetensors")
    assert trained_against("zoo:porg") == ("tight",)
    for rules, players in itertools.product(*GAMES):
        agent = load("zoo:porg", rules, players)
        for observations, masks in decisions(rules, players, agent, steps=3):
            agent.act(observations, masks, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("zoo:kessel",), "the zoo has no member 'kessel'; there are porg, rancor"),
        (("zoo:../porg",), "the zoo has no member '../porg'; there are"),
        (("zoo:",), "the zoo has no member ''; there are"),
        (("zoo:porg", "spacers", 3), "zoo:porg: was made for the rules 'orsl', 'casino', not"),
        (("zoo:porg", "orsl", 2), "zoo:porg: was made for 3, 4 players, not 2"),
        (("zoo:porg", "orsl", 3, (1, 2)), "zoo:porg: was made for the bet sizes"),
    ],
)
def test_what_no_member_plays_is_refused(folder, arguments, sentence):
    with pytest.raises(SabaccError, match=sentence):
        load(*arguments)


def test_a_damaged_member_is_refused(folder):
    (folder / "porg.safetensors").write_bytes(b"roast")
    with pytest.raises(SabaccError, match="zoo:porg: is not a safetensors file"):
        load("zoo:porg")


def test_an_empty_zoo_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    with pytest.raises(SabaccError, match="the zoo has no member 'porg'; it is empty"):
        load("zoo:porg")


def result(mean, half_width, opponent, num_players=3):
    margin = Margin(mean=mean, half_width=half_width, deals=100)
    return Result(rules="orsl", num_players=num_players, opponent=opponent, margin=margin)


def test_a_card_is_read_as_it_was_written(folder):
    results = result(5, 1, "tight"), result(6, 4, "loose"), result(9, 1, "loose", 4)
    card = card_of("porg", results=results)
    (folder / "porg.json").write_text(card.text())
    assert zoo.read_card("porg") == card
    assert card.lowest_result == results[1]
    assert card.margins("orsl")["loose"] == {3: results[1].margin, 4: results[2].margin}
    assert card.margins("casino") == {}
    assert card.games_text == "orsl; casino: 3 to 4 players"
    assert card_of("porg").lowest_result is None


@pytest.mark.parametrize("text", ["", "{}", '{"name": 5}', "roast"])
def test_what_is_no_card_is_refused(folder, text):
    with pytest.raises(SabaccError, match=r"porg\.json: cannot be read"):
        zoo.read_card("porg")
    (folder / "porg.json").write_text(text)
    with pytest.raises(SabaccError, match=r"porg\.json: is not a model card \(") as raised:
        zoo.read_card("porg")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", zoo.members())
def test_the_members_that_ship_are_those_of_their_cards(name):
    spec = zoo.PREFIX + name
    card, games = zoo.read_card(name), made_for(spec)
    assert card.name == name
    assert card.weights == hashlib.sha256(zoo.network_file(name).read_bytes()).hexdigest()
    assert list(card.rules.values()) == [rules.digest for rules in games.rules]
    assert card.num_players == games.num_players
    assert card.observation_version == observation_version()
    assert card.opponents == trained_against(spec)
    load(spec)


def test_a_card_tells_whom_a_member_was_drawn_to() -> None:
    assert zoo.read_card("casino-2p").teachers == ()
    taught = zoo.read_card("generalist").teachers
    assert len(taught) == 6  # some play several of the games
    assert all(zoo.is_member(name) for name in taught)
