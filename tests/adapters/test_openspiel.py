"""OpenSpiel's own checks and algorithms on our games, which play as ``Game`` does."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from sabacc_agents import load
from sabacc_training.solved_games import flatten, load_rung, nash_conv, policy_values

from sabacc_env import (
    Game,
    IllegalMove,
    RuleSet,
    SabaccError,
    Tables,
    agent_calls,
    load_rules,
    rule_sets,
)
from sabacc_env.actions import action_names, encode_bet_sizes
from sabacc_env.arguments import default_max_tokens
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.observation import OBSERVATION_SIZE, VOCABULARY_SIZE
from tests.support.random_play import HOUSE_RULES

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    evaluate_bots,
    expected_game_score,
    exploitability,
    external_sampling_mccfr,
    mcts,
)

from sabacc_env.adapters.openspiel import (  # noqa: E402
    AgentBot,
    AgentPolicy,
    SabaccGame,
    SabaccState,
    SpielAgent,
    load_game,
)

TABLES = [
    *[(rules, seats) for rules in rule_sets() for seats in (2, 4, load_rules(rules).seats[1])],
    *[(rules, seats) for rules in HOUSE_RULES.values() for seats in (2, rules.seats[1])],
]
ONE_CARD = load_rung("one_card").rule_set
ODDLY_NAMED = RuleSet(name="a, b (c)=%3D{", title="é", source="one\ntwo")
SMALL = [
    ONE_CARD,
    load_rung("side_pots").rule_set,
    *(
        load_rung(name).rule_set.replace(highest_value=3, sylops=0)
        for name in ("little_spire", "one_draw")
    ),
]
"""Small games without a pair of Sylops, which the flat observation does not tell apart."""


def table_name(value: object) -> str:
    return value.name if isinstance(value, RuleSet) else str(value)


def small_game(rules: RuleSet, chance: str = "auto") -> SabaccGame:
    return load_game(rules, rules.seats[1], bet_sizes=("min",), chance=chance)


def random_hand(game: SabaccGame, rng: random.Random) -> Iterator[SabaccState]:
    """Yield one state before each random action of a hand, then at the end."""
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(rng.choice(state.legal_actions()))
    yield state


# The same game as ``Game``.


@pytest.mark.parametrize(("rules", "seats"), TABLES, ids=table_name)
def test_plays_as_game_does(rules: str | RuleSet, seats: int) -> None:
    """The same seed and moves give the same players, legal actions, observations and returns."""
    rng = random.Random(0)
    sizes = ("min", 0.5, 1, "max")
    buffers = TurnBuffers(load_rules(rules), encode_bet_sizes(sizes))
    spiel = load_game(rules, seats, bet_sizes=sizes, chance="seed")
    for _ in range(5):
        seed = rng.getrandbits(32)
        state = spiel.new_initial_state()
        for byte in seed.to_bytes(4):
            assert state.is_chance_node()
            state.apply_action(byte)
        game = Game(rules, seats, seed=seed, dealer=seats - 1)
        while (seat := game.write_turn(buffers)) >= 0:
            assert state.current_player() == seat
            assert state.legal_actions() == np.flatnonzero(buffers.mask).tolist()
            assert state.observation_tensor(seat) == buffers.observation.tolist()
            tokens = np.array(state.information_state_tensor(seat)[OBSERVATION_SIZE:])
            assert np.rint(tokens * VOCABULARY_SIZE).tolist() == game.tokens(seat).tolist()
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            game.play_action(buffers, action)
        assert state.is_terminal()
        net = game.net_credits
        assert net is not None
        assert state.returns() == [credits / game.rules.ante_unit for credits in net]
        assert state.hand.game == game


@pytest.mark.parametrize("rules", SMALL, ids=table_name)
def test_cards_as_chance_nodes_have_the_right_probabilities(rules: RuleSet) -> None:
    """Uniform play wins what it wins in the flattened tree, which is tested on its own."""
    game = small_game(rules)
    assert game.chance == "cards"
    uniform = [policies.UniformRandomPolicy(game)] * game.num_players()
    tree = flatten(_rung(rules))
    widths = np.diff(tree.states.first_sequence)
    weights = tree.chance_probabilities.copy()
    weights[: tree.num_sequences] = np.repeat(1 / widths, widths)
    values = expected_game_score.policy_value(game.new_initial_state(), uniform)
    assert values == pytest.approx(policy_values(tree, weights).on_policy)


@pytest.mark.parametrize("rules", SMALL, ids=table_name)
def test_information_states_are_those_of_the_tree(rules: RuleSet) -> None:
    """Texts and tokens tell apart what the engine's information states do, and nothing else."""
    found: dict[str, set[tuple[float, ...]]] = {}

    def visit(state: SabaccState) -> None:
        if state.is_player_node():
            text = state.information_state_string(state.current_player())
            found.setdefault(text, set()).add(
                tuple(state.information_state_tensor()[OBSERVATION_SIZE:])
            )
        for action in state.legal_actions():
            visit(state.child(action))

    visit(small_game(rules).new_initial_state())
    assert len(found) == len(flatten(_rung(rules), merge_isomorphic=False).states.seats)
    assert all(len(tokens) == 1 for tokens in found.values())
    assert len(set.union(*found.values())) == len(found)


def _rung(rules: RuleSet):
    from sabacc_training.config.base import validated
    from sabacc_training.solved_games import Rung

    return validated(
        Rung,
        {
            "rules": "casino",
            "rule_overrides": rules.model_dump(),
            "num_players": rules.seats[1],
            "bet_sizes": ["min"],
        },
    )


def test_what_a_player_knows_does_not_depend_on_hidden_cards() -> None:
    """Two deals in which one seat sees the same are the same to it, in every form."""
    hands: dict[str, set[tuple[float, ...]]] = {}
    game = small_game(SMALL[2])

    def visit(state: SabaccState) -> None:
        if not state.is_chance_node():
            for player in range(2):
                hands.setdefault(state.information_state_string(player), set()).add(
                    (*state.observation_tensor(player), state.observation_string(player))
                )
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    assert all(len(seen) == 1 for seen in hands.values())


# What OpenSpiel is told of a game.


def test_types() -> None:
    kind = pyspiel.GameType
    casino, spire = load_game("casino", 3), load_game("black_spire", 3)
    assert casino.get_type().utility == kind.Utility.GENERAL_SUM
    assert casino.utility_sum() is None
    assert (casino.min_utility(), casino.max_utility()) == (-50, 100)
    assert spire.get_type().utility == kind.Utility.ZERO_SUM
    assert (spire.min_utility(), spire.max_utility()) == (-1, 2)
    assert casino.observation_tensor_shape() == [OBSERVATION_SIZE]
    assert casino.information_state_tensor_shape() == [OBSERVATION_SIZE + default_max_tokens(3)]
    assert casino.num_distinct_actions() == 33
    explicit, sampled = kind.ChanceMode.EXPLICIT_STOCHASTIC, kind.ChanceMode.SAMPLED_STOCHASTIC
    modes = {"seed": explicit, "sampled": sampled}
    for chance, mode in modes.items():
        assert load_game("casino", chance=chance).get_type().chance_mode == mode
    assert small_game(ONE_CARD).chance == "cards"
    assert casino.chance == "seed"


@pytest.mark.parametrize("chance", ["cards", "seed"])
def test_tensors_are_the_same_from_python_and_from_cpp(chance: str) -> None:
    for state in random_hand(small_game(SMALL[3], chance=chance), random.Random(0)):
        for player in range(2):
            for ours in (state.observation_tensor, state.information_state_tensor):
                assert ours(player) == getattr(pyspiel.State, ours.__name__)(state, player)
        with pytest.raises(pyspiel.SpielError):
            state.information_state_tensor(2)


def test_limited_bets_limit_what_can_be_won() -> None:
    game = small_game(ONE_CARD)  # an ante of 1, a bet of 1 and one raise of 1
    returns: set[float] = set()

    def visit(state: SabaccState) -> None:
        if state.is_terminal():
            returns.update(state.returns())
        for action in state.legal_actions():
            visit(state.child(action))

    visit(game.new_initial_state())
    assert (min(returns), max(returns)) == (game.min_utility(), game.max_utility())


def test_actions_have_the_names_of_the_action_table() -> None:
    game = load_game("casino", bet_sizes=("min", 0.25, "max"))
    names = action_names(("min", 0.25, "max"))
    fresh = game.new_initial_state()
    for byte in range(4):
        fresh.apply_action(byte)
    for action in fresh.legal_actions():
        assert fresh.action_to_string(action) == names[action]


# As text.


@pytest.mark.parametrize(
    "rules",
    ["orsl", *HOUSE_RULES.values(), ODDLY_NAMED],
    ids=table_name,
)
def test_a_game_is_loaded_again_from_its_text(rules: str | RuleSet) -> None:
    game = load_game(rules, 2, bet_sizes=("min", 1 / 3, 0.5, 2, "max"))
    for again in (
        pyspiel.load_game(str(game)),
        pyspiel.deserialize_game(game.serialize()),
        pickle.loads(pickle.dumps(game)),
    ):
        assert again.settings == game.settings
        assert str(again) == str(game)


def test_a_single_bet_size_is_text() -> None:
    for size in (0.5, 1, "min"):
        game = load_game("casino", bet_sizes=(size,))
        assert pyspiel.load_game(str(game)).settings.bet_sizes == (size,)


def test_games_are_loaded_by_name_as_openspiel_does() -> None:
    by_parameters = pyspiel.load_game("sabacc", {"rules": "orsl", "players": 4})
    by_text = pyspiel.load_game("sabacc(rules=orsl,players=4)")
    assert str(by_parameters) == str(by_text) == str(load_game("orsl", 4))
    assert str(pyspiel.load_game("sabacc")) == "sabacc()"


# OpenSpiel's own checks.


@pytest.mark.parametrize(("rules", "seats"), TABLES, ids=table_name)
def test_openspiels_random_simulations(rules: str | RuleSet, seats: int) -> None:
    pyspiel.random_sim_test(load_game(rules, seats), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("rules", SMALL, ids=table_name)
def test_openspiels_random_simulations_of_small_games(rules: RuleSet) -> None:
    for chance in ("cards", "seed"):
        game = small_game(rules, chance=chance)
        pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)
    pyspiel.random_sim_test(
        small_game(rules, chance="sampled"), num_sims=10, serialize=False, verbose=False
    )


def test_sampled_hands_follow_their_seed() -> None:
    first, second = (load_game("casino", chance="sampled", rng_seed=5) for _ in range(2))
    deals: tuple[list[str], list[str]] = ([], [])
    for game, found in zip((first, second), deals, strict=True):
        for _ in range(3):
            state = game.new_initial_state()
            assert state.chance_outcomes() == [(0, 1.0)]
            state.apply_action(0)
            found.append(state.observation_string(0))
    assert deals[0] == deals[1]
    assert len(set(deals[0])) == 3


# OpenSpiel's algorithms.


def test_exploitability_is_that_of_our_solver() -> None:
    game = small_game(ONE_CARD)
    uniform = policies.UniformRandomPolicy(game)
    assert exploitability.nash_conv(game, uniform) == pytest.approx(1.25)  # docs: the ladder


@pytest.mark.slow
def test_cfr_finds_the_value() -> None:
    game = small_game(ONE_CARD)
    solver = cfr.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.05


def test_mccfr_samples() -> None:
    game = small_game(ONE_CARD)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(100):
        solver.iteration()
    assert exploitability.nash_conv(game, solver.average_policy()) < 1  # 1.25 at random


@pytest.mark.parametrize("chance", ["seed", "sampled"])
def test_mccfr_samples_a_game_that_cannot_be_enumerated(chance: str) -> None:
    game = load_game("black_spire", chance=chance)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    solver.iteration()
    assert solver.average_policy()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", ["dqn", "nfsp"])
def test_an_rl_agent_learns(name: str) -> None:
    learners = learners_of(name, env := rl_environment.Environment(load_game("black_spire")))
    losses = []
    for _ in range(40):
        time_step = env.reset()
        while not time_step.last():
            learner = learners[time_step.observations["current_player"]]
            time_step = env.step([learner.step(time_step).action])
        for learner in learners:
            learner.step(time_step)
        losses.append(learners[0].loss)
    assert np.isfinite(np.array(losses[-1], np.float64)).all()


def learners_of(name: str, env):
    """Return an RL agent for each player, small enough for a test."""
    pytest.importorskip("tree")
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    small = {"batch_size": 4, "min_buffer_size_to_learn": 8, "learn_every": 4}
    if name == "dqn":
        from open_spiel.python.pytorch.dqn import DQN

        return [DQN(player, size, actions, [16], **small) for player in range(2)]
    from open_spiel.python.pytorch.nfsp import NFSP

    return [NFSP(player, size, actions, [16], 64, 0.5, **small) for player in range(2)]


# Agents both ways.


def test_an_agent_is_a_bot() -> None:
    """Two bots play what the agents would at a table of their own."""
    game = load_game("casino")
    bots = [AgentBot(game, load(name, "casino", 2), seed=0) for name in ("maximiser", "tight")]
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(0))
    assert len(returns) == 2
    state = game.new_initial_state()
    assert len(pyspiel.evaluate_bots(state, bots, 1)) == 2
    assert state.is_terminal()


def test_an_agent_that_wants_views_is_a_bot() -> None:
    game = load_game("casino")
    bots = [AgentBot(game, load(name, "casino", 2), seed=0) for name in ("heuristic", "tight")]
    assert len(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1)) == 2


def test_an_agents_policy_has_the_nash_conv_of_the_ladder() -> None:
    rung = load_rung("one_card")
    game = small_game(ONE_CARD)
    agent = rung.load("tight")
    ours = nash_conv(flatten(rung), agent)
    assert exploitability.nash_conv(game, AgentPolicy(game, agent)) == pytest.approx(ours)


def test_an_agent_without_probabilities_is_no_policy() -> None:
    game = load_game("casino")
    with pytest.raises(SabaccError, match="does not tell its probabilities; use AgentBot"):
        AgentPolicy(game, load("rollouts", "casino", 2))
    with pytest.raises(SabaccError, match="made for"):
        AgentBot(game, load("zoo:casino-2p", "orsl", 2))


@pytest.mark.parametrize("cpp", [False, True])
def test_a_tabular_policy_plays_at_our_tables(cpp: bool) -> None:
    """Whoever deals, and at whichever seats it plays, it finds all its information states."""
    game = small_game(SMALL[2])
    tabular = policies.TabularPolicy(game)
    if cpp:
        tabular = pyspiel.TabularPolicy(
            {
                state.information_state_string(): list(tabular.action_probabilities(state).items())
                for state in tabular.states
            }
        )
    agent = SpielAgent(game, tabular)
    tables = Tables(SMALL[2], num_tables=64, num_players=2, seed=0, bet_sizes=("min",))
    agent_calls.begin([agent], tables)
    rng = np.random.default_rng(0)
    everywhere = np.arange(64)
    dealers: set[int] = set()
    for _ in range(20):
        dealers.update(tables.game(i).dealer for i in range(64))
        tables.step(agent_calls.actions_at(agent, tables, everywhere, rng))
        agent_calls.restart([agent], np.flatnonzero(tables.finished))
    assert dealers == {0, 1}


def test_a_policy_sees_the_same_text_at_a_table() -> None:
    """All texts of whole hands at a table are those of the state with the same seed and moves."""
    texts: list[str] = []

    class Listening(policies.Policy):  # type: ignore[misc]
        def action_probabilities(self, state, player_id=None):
            texts.append(state.information_state_string(state.current_player()))
            return policies.UniformRandomPolicy(self.game).action_probabilities(state)

    for rules in ("yarith_bespin", "casino"):
        game = load_game(rules, 3, chance="seed")
        agent = SpielAgent(game, Listening(game, [0, 1, 2]))
        rng = np.random.default_rng(0)
        for state in random_hand(game, random.Random(4)):
            if not state.is_player_node():
                continue
            game_now = state.hand.game
            assert game_now is not None
            mask = np.array([state.legal_actions_mask()], np.int8)
            agent.act([game_now.view(state.current_player())], mask, rng)
            assert texts[-1] == state.information_state_string()
        agent.restart(np.arange(1))


def test_bots_and_policies_play_at_our_tables() -> None:
    game = load_game("black_spire")
    play_with(
        SpielAgent(game, pyspiel.make_uniform_random_bot(0, 1)),
        SpielAgent(game, pyspiel.make_uniform_random_bot(1, 1), player_id=1),
        SpielAgent(game, policies.UniformRandomPolicy(game)),
        SpielAgent(game, pyspiel.UniformPolicy(), tensors=True),
    )


def test_rl_agents_play_at_our_tables() -> None:
    game = load_game("black_spire")
    flat = rl_environment.ObservationType.OBSERVATION
    learners = learners_of("dqn", rl_environment.Environment(game, observation_type=flat))
    play_with(*[SpielAgent(game, learner) for learner in learners])


def play_with(*opponents: SpielAgent) -> None:
    for opponent in opponents:
        env = gymnasium.make("Sabacc-v0", rules="black_spire", opponents=[opponent])
        _, info = env.reset(seed=0)
        for _ in range(50):
            *_, over, _, info = env.step(int(info["action_mask"].argmax()))
            if over:
                _, info = env.reset()


def test_a_player_is_refused_at_another_table_and_for_what_it_cannot_see() -> None:
    game = load_game("black_spire")
    with pytest.raises(SabaccError, match="player: 3 is not a policy"):
        SpielAgent(game, 3)
    uniform = SpielAgent(game, policies.UniformRandomPolicy(game))
    with pytest.raises(SabaccError, match="made for sabacc"):
        gymnasium.make("Sabacc-v0", rules="casino", opponents=[uniform])
    empty = SpielAgent(game, pyspiel.TabularPolicy({}))
    view = Game("black_spire", seed=0, dealer=1).view(0)
    mask = np.ones((1, 33), np.int8)
    rng = np.random.default_rng(0)
    with pytest.raises(SabaccError, match="the policy has nothing for 'player 0; "):
        empty.act([view], mask, rng)
    search = mcts.MCTSBot(game, 1, 5, mcts.RandomRolloutEvaluator())  # it looks into the cards
    with pytest.raises(SabaccError, match="cannot play on from what one seat knows"):
        SpielAgent(game, search).act([view], mask, rng)


# Errors.


def test_an_illegal_action_changes_nothing() -> None:
    for game in (load_game("casino"), small_game(ONE_CARD)):
        for state in random_hand(game, random.Random(3)):
            before = str(state)
            with pytest.raises(IllegalMove):
                state.apply_action(300)
            with pytest.raises(pyspiel.SpielError):
                state.apply_action_with_legality_check(300)
            assert str(state) == before


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: load_game("casinoo"), '"casinoo" is not a rule set'),
        (lambda: pyspiel.load_game("sabacc(rules=casinoo)"), '"casinoo" is not a rule set'),
        (lambda: load_game("casino", 9), "num_players: 9 is not from 2 to 8"),
        (lambda: pyspiel.load_game("sabacc(players=1)"), "num_players: 1 is not from 2 to 8"),
        (lambda: load_game("casino", chance="all"), "chance: 'all' is unknown"),
        (lambda: load_game("casino", chance="cards"), 'use chance="seed"'),
        (lambda: load_game("casino", bet_sizes=()), "bet_sizes: give a sequence"),
        (lambda: pyspiel.load_game("sabacc(bet_sizes=min half)"), "bet_sizes: 'half' is not"),
        (lambda: load_game("casino", rng_seed=-7), "rng_seed: -7 is not from"),
    ],
)
def test_wrong_arguments_are_refused(make, sentence: str) -> None:
    with pytest.raises(SabaccError, match=sentence.replace("(", r"\(")):
        make()


def test_without_openspiel_a_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import sabacc_env.adapters.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "needs OpenSpiel; install it from a checkout" in done.stderr.splitlines()[-1]
    assert ".[openspiel]" in done.stderr.splitlines()[-1]


def test_python_ends_cleanly() -> None:
    """OpenSpiel frees what was registered after Python has ended: that must not abort."""
    code = """
import pyspiel
import sabacc_env.adapters.openspiel
print(pyspiel.load_game("sabacc(rules=orsl,players=4)").new_initial_state().clone().num_players())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "4\n", "")
