"""The agent that solves the last betting phase again, and its file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_agents import load, trained_against
from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.blueprint import (
    NUM_PLAYERS,
    Blueprint,
    load_blueprint,
    save_blueprint,
)
from sabacc_agents.blueprint.buckets import HAND_BUCKETS
from sabacc_agents.blueprint.public_states import num_bettings, num_public_states, pattern_codes
from sabacc_agents.loading import made_for
from sabacc_agents.resolving import last_phase
from sabacc_agents.resolving.agent import ITERATIONS, ResolvingAgent
from sabacc_agents.resolving.last_phase import RangeSettings, check_rules
from sabacc_agents.resolving.saved import Resolving, load_resolving, save_resolving
from sabacc_agents.saved_files import path_of

from sabacc_env import Game, SabaccError, Tables, load_rules
from sabacc_env.actions import CALL, CHECK, DEFAULT_BET_SIZES, FIRST_BET, JUNK
from sabacc_env.cards import deck
from sabacc_env.game.view import GameView
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet
from tests.agents.resolving.best_response import mask_of, views_of_last_bets

RULES = load_rules("casino")
BLUEPRINT = "zoo:casino-2p-blueprint"
POT = FIRST_BET + DEFAULT_BET_SIZES.index(1)


@pytest.fixture(scope="module")
def agent() -> ResolvingAgent:
    return ResolvingAgent(RULES, 2, blueprint=path_of(BLUEPRINT))


@pytest.fixture(scope="module")
def views(agent: ResolvingAgent) -> list[GameView]:
    """Last bets at 50 antes, and at 10."""
    return [
        view
        for credits in (200, 40)
        for view in views_of_last_bets(agent, RULES, 12, (credits, credits))
    ]


def test_it_plays_legally_and_its_blueprint_before_the_last_phase(agent: ResolvingAgent) -> None:
    plain, before, last = load(BLUEPRINT, RULES, 2), 0, 0
    for observations, masks, shown in turns(agent, 24):
        told = agent.probabilities(shown, masks)
        assert (told >= 0).all()
        assert (told[masks == 0] == 0).all()
        assert told.sum(axis=1) == pytest.approx(1)
        is_last = np.array([view.phase == "betting" and view.round == 3 for view in shown])
        blueprint = plain.probabilities(observations, masks)  # type: ignore[attr-defined]
        assert (told[~is_last] == blueprint[~is_last]).all()
        if is_last.any():
            assert np.abs(told[is_last] - blueprint[is_last]).max() > 0.1
        before, last = before + int((~is_last).sum()), last + int(is_last.sum())
    assert before > 200
    assert last > 20


def turns(
    agent: ResolvingAgent, hands: int
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int8], list[GameView]]]:
    """Play hands; yield what the seats to act observe, their masks and their views."""
    tables, rng = Tables(RULES, hands, 2, seed=5), np.random.default_rng(0)
    tables.keep_histories()
    playing = np.arange(hands)
    while len(playing):
        shown = [tables.game(i).view(int(tables.seats_to_act[i])) for i in playing.tolist()]
        masks = tables.action_masks[playing]
        yield tables.flat_observations[playing], masks, shown
        tables.step(agent.act(shown, masks, rng), playing)
        playing = playing[~tables.finished[playing]]


def test_of_the_own_hand_in_a_view_nothing_is_read(
    agent: ResolvingAgent, views: list[GameView]
) -> None:
    """With another card that nobody else has seen, all hands play alike."""
    rows = np.concatenate([rows for rows, _, _ in turns(agent, 8)])
    sizes = np.rint(decode(rows).own_held.sum(axis=1))
    spreads: list[float] = []
    for view in views[::3]:
        other = with_another_hidden_card(view)
        if other is None:
            continue
        hands = rows[sizes == len(view.hand)]
        first, second = (
            ResolvingAgent(RULES, 2, blueprint=agent.blueprint.blueprint).hand_probabilities(
                each, hands, mask_of(view)[0]
            )
            for each in (view, other)
        )
        assert (first == second).all()
        spreads.append(np.ptp(first, axis=0).max())
    assert len(spreads) > 5
    assert np.mean(spreads) > 0.2


def with_another_hidden_card(view: GameView) -> GameView | None:
    """Return the view with another card in the place of one that only its seat has seen."""
    hidden = [card for card in view.hand if card not in view.known_cards[view.seat]]
    unseen = [card for card in deck() if card not in view.seen_cards]
    if not hidden:
        return None
    hand = sorted(unseen[0] if card == hidden[0] else card for card in view.hand)
    seen = [unseen[0] if card == hidden[0] else card for card in view.seen_cards]
    return replace(view, hand=tuple(hand), seen_cards=tuple(sorted(seen)))


def test_answers_do_not_depend_on_what_was_asked_before(
    agent: ResolvingAgent, views: list[GameView]
) -> None:
    rng = np.random.default_rng(0)
    fresh = [
        ResolvingAgent(RULES, 2, blueprint=agent.blueprint.blueprint).probabilities(
            [view], mask_of(view)
        )
        for view in views[:12]
    ]
    for _ in range(2):
        for index in rng.permutation(12).tolist():
            view = views[index]
            assert (agent.probabilities([view], mask_of(view)) == fresh[index]).all()


def test_overbets_are_answered_by_the_strength_of_the_hand(agent: ResolvingAgent) -> None:
    """Nobody needs to call an all-in bet of 49 pots often, and the best hands do call."""
    game = Game(RULES, num_players=2, seed=3)
    while (game.phase, game.round) != ("betting", 3):
        names = {move.kind: move for move in game.legal_moves()}
        game.play(names.get("stand") or names.get("check") or game.legal_moves()[0])
    assert game.seat_to_act is not None
    game.play(game.view(game.seat_to_act).legal_actions()[32])
    view = game.view(game.seat_to_act)
    rows = np.concatenate([rows for rows, _, _ in turns(agent, 100)])
    rows = rows[np.rint(decode(rows).own_held.sum(axis=1)) == len(view.hand)]
    told = agent.hand_probabilities(view, rows, mask_of(view)[0])
    totals = np.abs(decode(rows).own_total)
    assert told[totals >= 6, CALL].max() < 0.05
    assert told[totals == 0, CALL].mean() > 0.15
    assert told[:, CALL].max() > 0.9


def test_a_file_plays_as_the_agent_that_it_was_made_of(
    tmp_path: Path, agent: ResolvingAgent, views: list[GameView]
) -> None:
    path = tmp_path / "agent.safetensors"
    save_resolving(path, Resolving(BLUEPRINT, ITERATIONS, RangeSettings()))
    loaded = load(path, "casino", 2)
    assert isinstance(loaded, ResolvingAgent)
    for view in views[:4]:
        first, second = (each.probabilities([view], mask_of(view)) for each in (agent, loaded))
        assert (first == second).all()
    games = made_for(path)
    assert (games.rules, games.num_players) == ((RULES,), (NUM_PLAYERS,))
    assert trained_against(path) == ()
    resolving, _ = load_resolving(path)
    assert resolving.blueprint == BLUEPRINT
    with pytest.raises(SabaccError, match="made for the rules 'casino', not 'spacers'"):
        load(path, "spacers", 2)


def part_of_blueprint() -> Blueprint:
    """Return a blueprint that is quickly saved: it knows few public states."""
    whole = load_blueprint(path_of(BLUEPRINT))
    return replace(whole, states=whole.states[:100], policy=whole.policy[:100])


def test_a_file_beside_its_blueprint_and_one_that_changed(tmp_path: Path) -> None:
    blueprint = part_of_blueprint()
    save_blueprint(tmp_path / "b.safetensors", blueprint)
    path = tmp_path / "agent.safetensors"
    save_resolving(path, Resolving("b.safetensors", 10, RangeSettings()))
    load_resolving(path)
    with pytest.raises(SabaccError, match="is the blueprint itself; give the agent another file"):
        save_resolving(tmp_path / "b.safetensors", Resolving("b.safetensors", 10, RangeSettings()))
    load_blueprint(tmp_path / "b.safetensors")
    save_blueprint(tmp_path / "b.safetensors", replace(blueprint, metadata={"epochs": 1}))
    with pytest.raises(SabaccError, match="made for another blueprint than"):
        load(path)
    (tmp_path / "b.safetensors").unlink()
    with pytest.raises(SabaccError, match=r"b\.safetensors: there is no blueprint here"):
        load(path)
    with pytest.raises(SabaccError, match=r"agent\.safetensors: is a resolving agent; give its"):
        save_resolving(tmp_path / "a.safetensors", Resolving(path.name, 10, RangeSettings()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blueprint": "a/b.safetensors"}, "blueprint: give a member of the zoo"),
        ({"blueprint": 3}, "blueprint: give a member of the zoo"),
        ({"iterations": 0}, "iterations: give 1 to 100,000, not 0"),
        ({"iterations": 1.5}, "iterations: give a whole number, not 1.5"),
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {
        "blueprint": BLUEPRINT,
        "iterations": 10,
        "ranges": RangeSettings(),
    } | change
    with pytest.raises(SabaccError, match=message):
        save_resolving(tmp_path / "agent.safetensors", Resolving(**settings))
    assert not list(tmp_path.iterdir())


def test_wrong_ranges_and_iterations_are_refused(agent: ResolvingAgent) -> None:
    with pytest.raises(SabaccError, match="epsilon: give a number above 0, at most 1, not 2"):
        RangeSettings(epsilon=2)
    with pytest.raises(SabaccError, match="unread_bets: give a number above 0, at most 1, not 0"):
        RangeSettings(unread_bets=0)
    with pytest.raises(SabaccError, match="iterations: give 1 to 100,000, not 0"):
        ResolvingAgent(RULES, 2, blueprint=agent.blueprint.blueprint, iterations=0)


def test_uneven_stacks(agent: ResolvingAgent) -> None:
    """With what the other seat cannot call the agent plays nearly as without it.

    The trees have other raises, so equilibria differ a little.
    """
    distances = []
    for seed in range(8):
        even, uneven = (
            Game(RULES, num_players=2, seed=seed, credits=credits)
            for credits in ([200, 200], [200, 2_000])
        )
        while (even.phase, even.round) != ("betting", 3):
            seat = even.seat_to_act
            assert seat is not None
            moves = even.view(seat).legal_actions()
            bets = even.round == 1 and CHECK in moves
            move = moves[POT] if bets else moves[CALL if CALL in moves else min(moves)]
            even.play(move)
            uneven.play(move)
        seat = even.seat_to_act
        assert seat is not None
        views = [game.view(seat) for game in (even, uneven)]
        told = [agent.probabilities([view], mask_of(view))[0] for view in views]
        distances.append(0.5 * np.abs(told[0] - told[1]).sum())
    assert max(distances) < 0.2
    assert np.mean(distances) < 0.05


def test_a_phase_that_is_too_large_is_played_as_by_the_blueprint(
    agent: ResolvingAgent, views: list[GameView], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_phase, "MAX_MOVES", len(views[0].history) - 1)
    row = agent._rows([views[0]])
    mask = mask_of(views[0])
    expected = agent.blueprint.probabilities(row, mask)
    assert (agent.probabilities([views[0]], mask) == expected).all()


def test_only_so_many_solutions_are_kept(
    agent: ResolvingAgent, views: list[GameView], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(last_phase, "MAX_KEPT", 3)
    small = ResolvingAgent(RULES, 2, blueprint=agent.blueprint.blueprint)
    for view in [*views[:10], *views[:10]]:
        told = small.probabilities([view], mask_of(view))
        assert (told == agent.probabilities([view], mask_of(view))).all()
        assert 0 < len(small._last_phase._kept) <= 3


def test_rules_where_hands_change_after_the_last_bets_are_refused(tmp_path: Path) -> None:
    rules = load_rules("casino", phases=("cards", "betting", "dice"))
    blueprint = replace(part_of_blueprint(), rules=rules)
    save_blueprint(tmp_path / "b.safetensors", blueprint)
    path = tmp_path / "agent.safetensors"
    message = "casino: a resolving agent needs rules in which all hands are redrawn or none"
    with pytest.raises(SabaccError, match=message):
        save_resolving(path, Resolving("b.safetensors", 10, RangeSettings()))
    assert not path.exists()
    with pytest.raises(SabaccError, match=message):
        ResolvingAgent(rules, 2, blueprint=blueprint)
    with pytest.raises(SabaccError, match="spacers: a resolving agent does not know replace"):
        check_rules(load_rules("spacers", card_actions=["stand", "draw", "replace"]))


@pytest.mark.parametrize("short_call", ["junk", "all_in"])
@pytest.mark.parametrize("name", ["orsl", "spacers"])
def test_where_a_seat_with_less_can_be_bet_out_the_blueprint_is_played(
    name: str, short_call: str
) -> None:
    rules = load_rules(name, short_call=short_call)
    blueprint = random_blueprint(rules)
    agent = ResolvingAgent(rules, 2, blueprint=blueprint)
    plain = BlueprintAgent(rules, 2, blueprint=blueprint)
    ante, distances = rules.ante_unit, {True: [0.0], False: [0.0]}
    for seed in range(12):
        even = seed % 2 == 0
        game = Game(rules, num_players=2, seed=seed, credits=[30 * ante, (70 - 40 * even) * ante])
        while (seat := game.seat_to_act) is not None:
            view = game.view(seat)
            if view.phase == "betting" and view.round == rules.rounds:
                told = agent.probabilities([view], mask_of(view))
                expected = plain.probabilities(agent._rows([view]), mask_of(view))
                distances[even].append(np.abs(told - expected).max())
            kinds = {move.kind: move for move in game.legal_moves()}
            game.play(kinds.get("stand") or kinds.get("check") or game.legal_moves()[0])
    assert len(distances[True]) > 8
    assert len(distances[False]) > 8
    assert max(distances[True]) > 0.1
    assert (max(distances[False]) == 0) == (short_call == "junk")


def random_blueprint(rules: RuleSet) -> Blueprint:
    """Return a blueprint of a random policy for stacks of 66 antes."""
    codes = pattern_codes(rules, tells_swaps=False)
    states = np.arange(num_public_states(rules, codes), dtype=np.int32)
    edges = np.linspace(0.02, 0.98, HAND_BUCKETS - 1, dtype=np.float32)
    rng = np.random.default_rng(0)
    return Blueprint(
        rules=rules,
        bet_sizes=DEFAULT_BET_SIZES,
        stacks=np.array([66], np.float32),
        edges=np.tile(edges, (num_bettings(rules), 1)),
        actions=np.array([JUNK, CALL, POT]),
        states=states,
        policy=rng.integers(1, 255, (len(states), HAND_BUCKETS, 3), dtype=np.uint8),
        codes=codes,
    )


@pytest.mark.parametrize("name", ["three_en", "yarith_bespin"])
@pytest.mark.parametrize("short_call", ["junk", "all_in"])
def test_where_a_seat_that_paid_a_fee_can_be_bet_out_the_blueprint_is_played(
    name: str, short_call: str
) -> None:
    rules = load_rules(name, short_call=short_call)
    blueprint = random_blueprint(rules)
    agent = ResolvingAgent(rules, 2, blueprint=blueprint)
    plain = BlueprintAgent(rules, 2, blueprint=blueprint)
    same = {True: 0, False: 0}
    differs = {True: 0, False: 0}
    for seed in range(30):
        game = Game(rules, num_players=2, seed=seed)
        paid = False
        while (seat := game.seat_to_act) is not None:
            view, moves = game.view(seat), game.legal_moves()
            if view.phase == "betting" and view.round == 3:
                told = agent.probabilities([view], mask_of(view))
                expected = plain.probabilities(agent._rows([view]), mask_of(view))
                equal = bool((told == expected).all())
                same[paid] += equal
                differs[paid] += not equal
            cards = "draw", "stand", "discard_drawn"
            kinds = cards[seed % 2 == 0 or seat == 0 :] if view.phase == "cards" else ("check",)
            move = next(move for kind in kinds for move in moves if move.kind == kind)
            paid |= move.kind == "draw"
            game.play(move)
    assert differs[False] > 20
    if short_call == "junk":
        assert same[True] > 10
        assert differs[True] == 0
    else:
        assert differs[True] > 10


def test_a_view_without_its_history_is_refused(agent: ResolvingAgent) -> None:
    tables = Tables(RULES, 1, 2, seed=0)
    tables.step(np.array([0]))
    view = tables.game(0).view(int(tables.seats_to_act[0]))
    with pytest.raises(SabaccError, match="its history does not lead to the state"):
        agent.probabilities([view], mask_of(view))
