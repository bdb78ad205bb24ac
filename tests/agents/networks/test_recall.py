"""Networks that recall: what a seat remembers of a hand, and the agent that plays by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sabacc_agents import Network, NetworkAgent, NetworkInfo, load, read_info, save_network
from sabacc_agents.equilibrium import EquilibriumAgent
from sabacc_agents.networks.agent import RecallingNetworkAgent, network_agent
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_agents.networks.recall import NUM_RECALLED, HandMemory
from sabacc_training.exploitability.agent_memory import has_memory
from sabacc_training.solved_games.agent_policy import tabular_policy_of
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.solved_games.solver import solve

from sabacc_env import RuleSet, SabaccError, Tables, load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, num_actions
from sabacc_env.observation import feature_names


def recalling(
    decisions: int,
    rules: str | RuleSet = "casino",
    players: int = 3,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
) -> Network:
    """Return a network of random weights."""
    rng = np.random.default_rng(decisions)
    games = (load_rules(rules),)
    extractor = FeatureExtractor.for_games(games, players)
    info = NetworkInfo(games, (players,), bet_sizes, recalled_decisions=decisions)
    sizes = extractor.size + decisions * NUM_RECALLED, 24, num_actions(info.bet_sizes)
    weights = {}
    for layer in range(2):
        shape = sizes[layer + 1], sizes[layer]
        weights[f"layers.{layer}.weight"] = rng.normal(size=shape).astype(np.float32)
        weights[f"layers.{layer}.bias"] = np.zeros(shape[0], np.float32)
    return Network(weights, info, extractor)


def test_the_cards_are_recalled_and_nothing_else() -> None:
    assert feature_names()[NUM_RECALLED - 1].startswith("the top discard")
    assert "seen" in feature_names()[NUM_RECALLED]


@pytest.mark.parametrize("rules", ["casino", "spacers"])
def test_a_memory_holds_the_last_decisions_of_each_seat_in_the_hand(rules: str) -> None:
    tables = Tables(rules, 40, 3, seed=1)
    memory, rng = HandMemory(2, 40), np.random.default_rng(0)
    seen: dict[tuple[int, int], list[np.ndarray]] = {}
    longest = 0
    for _ in range(60):
        which = np.sort(rng.choice(40, 25, replace=False))
        recalled = memory.recall(tables.flat_observations, which, which)
        for row, table in enumerate(which.tolist()):
            before = seen.setdefault((table, int(tables.seats_to_act[table])), [])
            wanted = [*before[::-1], *[np.zeros(NUM_RECALLED)] * 2][:2]
            np.testing.assert_array_equal(recalled[row], np.concatenate(wanted))
            before.append(tables.flat_observations[table, :NUM_RECALLED].copy())
            longest = max(longest, len(before))
        actions = [rng.choice(np.flatnonzero(row)) for row in tables.action_masks[which]]
        tables.step(np.array(actions), which)
        ended = which[tables.finished[which]]
        memory.restart(ended)
        seen = {where: what for where, what in seen.items() if where[0] not in ended}
    assert longest > 3


def test_it_plays_by_what_it_followed() -> None:
    agent = network_agent(network=recalling(2))
    assert isinstance(agent, RecallingNetworkAgent)
    assert has_memory(agent)
    greedy = RecallingNetworkAgent(network=recalling(2), greedy=True)
    tables = Tables("casino", 50, 3, seed=2)
    everywhere, rng = np.arange(50), np.random.default_rng(0)
    greedy.reset(50)
    memories = np.zeros((50, 3), np.int64)
    differs = 0
    for _ in range(40):
        seen = tables.flat_observations.copy(), tables.action_masks.copy()
        seats = tables.seats_to_act.copy()
        probabilities, after = agent.follow(*seen, memories[everywhere, seats])
        unaware, _ = agent.follow(*seen, np.zeros(50, np.int64))
        differs += int((abs(probabilities - unaware) > 0.01).any(axis=1).sum())
        memories[everywhere, seats] = after
        actions = greedy.act(*seen, rng)
        np.testing.assert_array_equal(actions, probabilities.argmax(axis=1))
        tables.step(actions)
        ended = np.flatnonzero(tables.finished)
        greedy.restart(ended)
        memories[ended] = 0
        saved = greedy.memory()
        greedy.reset(50)
        greedy.restore_memory(saved)
    assert differs > 100


def test_a_file_says_what_is_recalled(tmp_path) -> None:
    network, path = recalling(3), tmp_path / "agent.safetensors"
    save_network(path, network.weights, network.info, network.extractor)
    assert read_info(path).recalled_decisions == 3
    one, other = load(path), RecallingNetworkAgent(network=network)
    assert isinstance(one, RecallingNetworkAgent)
    tables = Tables("casino", 20, 3, seed=3)
    seen = tables.observations, tables.action_masks, np.zeros(20, np.int64)
    for found, wanted in zip(one.follow(*seen), other.follow(*seen), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_each_class_refuses_the_networks_of_the_other(tmp_path) -> None:
    with pytest.raises(SabaccError, match="NetworkAgent does not play networks that recall 2 dec"):
        NetworkAgent(network=recalling(2))
    with pytest.raises(SabaccError, match="RecallingNetworkAgent does not play networks that rec"):
        RecallingNetworkAgent(network="zoo:casino-2p")
    network = recalling(1)
    with pytest.raises(SabaccError, match="layer 0 takes"):
        save_network(
            tmp_path / "agent.safetensors",
            network.weights,
            NetworkInfo(network.info.rules, (3,), recalled_decisions=2),
            network.extractor,
        )
    with pytest.raises(SabaccError, match="recalled_decisions: 99 is not from 0 to 16"):
        NetworkInfo(network.info.rules, (3,), recalled_decisions=99)


class Recording(RecallingNetworkAgent):
    """Records the inputs of all turns that it is asked about."""

    seen: set[bytes]

    def follow(self, observations, action_masks, memories):
        stacks = self._numbered.stacks(memories)
        rows = zip(observations, stacks, strict=True)
        self.seen.update(row.tobytes() + stack.tobytes() for row, stack in rows)
        return super().follow(observations, action_masks, memories)


@pytest.mark.parametrize(("decisions", "alike"), [(1, 3350), (3, 0)])
def test_three_decisions_tell_all_information_states_apart(decisions: int, alike: int) -> None:
    tree = flatten(load_rung("with_dice"))
    network = recalling(decisions, tree.rung.rule_set, 2, tree.rung.bet_sizes)
    agent = Recording(bet_sizes=tree.rung.bet_sizes, network=network)
    agent.seen = set()
    policy = tabular_policy_of(tree, agent)
    assert len(tree.states.seats) - len(agent.seen) == alike
    assert policy.min() >= 0


def test_an_agent_with_a_memory_is_measured_exactly() -> None:
    """A solved policy has the same memory of turns in another form."""
    tree = flatten(load_rung("one_draw"))
    solved = solve(tree, target=0.01).to_policy()

    class Following:
        """The solved policy, known by its protocol only."""

        def __init__(self) -> None:
            self._agent = EquilibriumAgent(bet_sizes=tree.rung.bet_sizes, policy=solved)
            self.reset, self.act, self.follow = (
                self._agent.reset,
                self._agent.act,
                self._agent.follow,
            )

    np.testing.assert_allclose(
        tabular_policy_of(tree, Following()), tabular_policy_of(tree, Following()._agent)
    )
