"""The parts of the PPO trainer: networks, losses, advantages, the rollout buffer, inputs."""

from __future__ import annotations

import llvmlite.binding
import numba
import numpy as np
import pytest
import torch
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_training.ppo.compute import Compute, denormals_are_zero, flush_denormal
from sabacc_training.ppo.losses import policy_loss, value_loss
from sabacc_training.ppo.network_inputs import NetworkInputs
from sabacc_training.ppo.networks import (
    forward,
    forward_in_chunks,
    make_mlp,
    masked_log_probs,
    masked_probs,
    sample_actions,
)
from sabacc_training.ppo.rollout_buffer import Decisions, RolloutBuffer
from sabacc_training.ppo.threads import Workers
from sabacc_training.runs.weights import layer_weights

from sabacc_env import load_rules
from sabacc_env.agent import RandomAgent
from sabacc_env.engine.observation.blocks import HAND_SIZE
from sabacc_env.observation import blocks
from tests.support.agents import random_tables
from tests.support.examples import load_example

F32 = Compute("cpu", torch.float32)


@pytest.mark.parametrize(
    ("features", "precision"),
    [
        ("+avx2,+avx512bf16", "bfloat16"),
        ("+amx-bf16", "bfloat16"),
        ("+avx2,-avx512bf16,-amx-bf16", "float32"),
        ("", "float32"),
    ],
)
def test_the_processor_decides_the_precision(monkeypatch, features, precision) -> None:
    monkeypatch.setattr(numba.config, "CPU_FEATURES", features)
    assert Compute.choose("cpu", "auto").precision == precision
    monkeypatch.setattr(llvmlite.binding.FeatureMap, "flatten", lambda _: features)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    assert Compute.choose("cpu", "auto").precision == precision


@pytest.fixture(params=[False, True], ids=["kept before", "flushed before"])
def flushed_before(request):
    torch.set_flush_denormal(request.param)
    yield request.param
    torch.set_flush_denormal(False)


def test_denormals_are_flushed_inside_only(flushed_before) -> None:
    with flush_denormal():
        assert denormals_are_zero()
        with flush_denormal():
            pass
        assert denormals_are_zero()
    assert denormals_are_zero() == flushed_before
    with pytest.raises(KeyError), flush_denormal():
        raise KeyError
    assert denormals_are_zero() == flushed_before


def some_masks(rng: np.random.Generator, rows: int, actions: int) -> torch.Tensor:
    """Return masks with at least one legal action in each row, one alone in some."""
    masks = rng.random((rows, actions)) < rng.random((rows, 1))
    masks[np.arange(rows), rng.integers(actions, size=rows)] = True
    return torch.from_numpy(masks)


def test_a_network_is_its_layers() -> None:
    network = make_mlp((7, 5, 4, 3), F32, torch.Generator().manual_seed(0), last_gain=0.01)
    weights = layer_weights(network)
    values = inputs = torch.randn(11, 7)
    for layer in range(3):
        values = values @ weights[f"layers.{layer}.weight"].T + weights[f"layers.{layer}.bias"]
        values = torch.relu(values) if layer < 2 else values
    torch.testing.assert_close(forward(network, inputs, F32), values)
    first, last = weights["layers.0.weight"], weights["layers.2.weight"]
    torch.testing.assert_close(first @ first.T, 2 * torch.eye(5))  # orthogonal, the gain of ReLU
    torch.testing.assert_close(last @ last.T, 1e-4 * torch.eye(3))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [0, 1, 127, 1024, 3000])
def test_pieces_are_the_whole(rows: int, threads: int) -> None:
    network = make_mlp((7, 5, 3), F32, torch.Generator().manual_seed(0), last_gain=1.0)
    inputs = torch.randn(rows, 7)
    found = forward_in_chunks(network, inputs, F32, Workers(threads))
    assert not found.requires_grad
    torch.testing.assert_close(found, forward(network, inputs, F32).detach())


def test_log_probs_of_legal_actions() -> None:
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(0, 20, (50, 9)).astype(np.float32))
    masks = some_masks(rng, 50, 9)
    expected = torch.log_softmax(logits.masked_fill(~masks, -torch.inf), dim=1)
    found = masked_log_probs(logits, masks)
    torch.testing.assert_close(found[masks], expected[masks])
    assert not found[~masks].any()
    probs = masked_probs(found, masks)
    assert not probs[~masks].any()
    torch.testing.assert_close(probs.sum(dim=1), torch.ones(50))


def test_actions_are_sampled_by_their_probabilities() -> None:
    n = 200_000
    probs = torch.tensor([0.5, 0, 0.2, 0, 0.3]).repeat(n, 1)
    uniforms = torch.from_numpy(np.random.default_rng(1).random(n, np.float32))
    actions = sample_actions(probs, uniforms)
    np.testing.assert_allclose(np.bincount(actions) / n, [0.5, 0, 0.2, 0, 0.3], atol=0.005)


def test_a_sampled_action_is_legal_whatever_rounding_leaves() -> None:
    rng = np.random.default_rng(0)
    masks = some_masks(rng, 500, 33)
    logits = torch.from_numpy(rng.normal(0, 3, (500, 33)).astype(np.float32))
    probs = masked_probs(masked_log_probs(logits, masks), masks)
    for scale in (1.0, 0.999_999, 1.000_001):  # rounded sums
        for uniform in (0.0, 0.5, 0.999_999_94):  # the largest float32 below 1
            actions = sample_actions(scale * probs, torch.full((500,), uniform))
            assert masks.gather(1, actions[:, None]).all()


@pytest.mark.parametrize("with_magnet", [True, False])
def test_the_loss_and_its_gradient_are_those_of_the_example(with_magnet: bool) -> None:
    """``training/examples/ppo.py`` has the loss as a reader of CleanRL knows it."""
    rng, n, width = np.random.default_rng(2), 40, 6
    masks = some_masks(rng, n, width)
    actions = torch.tensor([rng.choice(np.flatnonzero(row)) for row in masks.numpy()])
    advantages = torch.from_numpy(rng.normal(0, 1, n).astype(np.float32))
    drawn = torch.from_numpy(rng.normal(0, 1, (3, n, width)).astype(np.float32))
    ours, theirs = drawn[0].clone().requires_grad_(), drawn[0].clone().requires_grad_()
    magnet = masked_log_probs(drawn[1], masks) if with_magnet else None
    played = masked_log_probs(drawn[0] + 0.3 * drawn[2], masks).gather(1, actions[:, None])[:, 0]
    coefficients = {"clip_range": 0.2, "ent_coef": 0.05, "kl_coef": 0.2}

    without = {"log_barrier_coef": 0.0}
    loss = policy_loss(ours, masks, actions, played, advantages, magnet, **coefficients, **without)
    loss.loss.backward()
    example = load_example("ppo")
    log_probs = masked_log_probs(theirs, masks)

    def expected(**changes: float) -> torch.Tensor:
        towards = log_probs.detach() if magnet is None else magnet
        settings = coefficients | changes
        total: torch.Tensor = example.policy_loss(
            log_probs, masks, actions, played, advantages, towards, **settings
        )
        return total

    expected(**({} if with_magnet else {"kl_coef": 0.0})).backward()
    assert ours.grad is not None
    assert theirs.grad is not None
    torch.testing.assert_close(ours.grad, theirs.grad)
    surrogate = expected(ent_coef=0.0, kl_coef=0.0)
    entropy = surrogate - expected(ent_coef=1.0, kl_coef=0.0)
    kl = expected(ent_coef=0.0, kl_coef=1.0) - surrogate
    torch.testing.assert_close(loss.policy_gradient_loss, surrogate.detach())
    torch.testing.assert_close(loss.entropy_loss, -entropy.detach(), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(loss.kl_to_magnet, kl.detach(), atol=1e-5, rtol=1e-4)
    log_ratio = log_probs.detach().gather(1, actions[:, None])[:, 0] - played
    clipped = (log_ratio.exp() > 1.2) | (log_ratio.exp() < 0.8)
    assert 0 < clipped.sum() < n
    torch.testing.assert_close(loss.clip_fraction, clipped.float().mean())
    torch.testing.assert_close(loss.approx_kl, (log_ratio.exp() - 1 - log_ratio).mean())


def test_only_the_log_barrier_brings_back_an_action_that_was_given_up() -> None:
    """A gradient of entropy or surrogate vanishes with the probability, that of the barrier not."""
    masks = torch.tensor([[True, True, False]])
    actions, zero = torch.tensor([0]), torch.zeros(1)

    def step(ent_coef: float, log_barrier_coef: float) -> torch.Tensor:
        """Return the direction of gradient descent at an action of probability 2e-9."""
        logits = torch.tensor([[20.0, 0.0, 0.0]], requires_grad=True)
        loss = policy_loss(
            *(logits, masks, actions, zero, zero, None),
            clip_range=0.2,
            ent_coef=ent_coef,
            log_barrier_coef=log_barrier_coef,
            kl_coef=0.0,
        )
        torch.testing.assert_close(loss.log_barrier, torch.tensor(10.0))
        loss.loss.backward()
        assert logits.grad is not None
        return -logits.grad[0]

    assert abs(step(0.1, 0.0)[1]) < 1e-8
    # Towards uniform: the weight times 1 / 2 less the probability.
    torch.testing.assert_close(step(0.0, 0.1), torch.tensor([-0.05, 0.05, 0.0]))


def test_the_value_loss_is_the_mean_squared_error() -> None:
    assert value_loss(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 5.0])) == 5.0


def advantages_of_toy_hands(gae_lambda: float, rollout_steps: int = 40) -> tuple:
    """Play a toy game into a buffer; return advantages found, those of the definition."""
    rng = np.random.default_rng(3)
    buffer = RolloutBuffer(3, 2, rollout_steps, 1, 1, F32)
    hands: list[list[tuple[int, float]]] = [[], [], []]
    expected: dict[float, float] = {}
    found: dict[float, float] = {}
    for _ in range(6):
        while not buffer.full:
            decisions = buffer.begin_step(3)
            decisions.tables[:], decisions.seats[:] = np.arange(3), rng.integers(2, size=3)
            # The only input names the decision, and is its value.
            decisions.inputs[:, 0] = torch.from_numpy(rng.random(3))
            finished, rewards = rng.random(3) < 0.2, np.zeros((3, 2), np.float32)
            for table in range(3):
                value = float(decisions.inputs[table, 0])
                hands[table].append((decisions.seats[table], value))
                if finished[table]:
                    rewards[table] = rng.normal(size=2)
                    for seat in range(2):
                        values = [value for who, value in hands[table] if who == seat]
                        next_values = [*values, float(rewards[table, seat])][1:]
                        advantage = 0.0
                        pairs = list(zip(values, next_values, strict=True))
                        for value, next_value in reversed(pairs):
                            advantage = next_value - value + gae_lambda * advantage
                            expected[value] = advantage
                    hands[table] = []
            buffer.end_step(finished, rewards)
        rollout = buffer.compute_returns_and_advantages(
            buffer.decisions.inputs[:, 0].numpy().copy(), gae_lambda
        )
        inputs = rollout.decisions.inputs[:, 0].tolist()
        for value, advantage in zip(inputs, rollout.advantages, strict=True):
            assert value not in found
            found[value] = advantage
        np.testing.assert_allclose(rollout.returns, rollout.advantages + np.array(inputs))
        buffer.begin(rollout.unfinished)
    return [found[value] for value in expected], list(expected.values()), buffer


@pytest.mark.parametrize("gae_lambda", [0.0, 0.95, 1.0])
def test_advantages_are_chained_by_seat_over_whole_hands_whatever_rollout_they_began_in(
    gae_lambda: float,
) -> None:
    found, expected, buffer = advantages_of_toy_hands(gae_lambda)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert buffer.carried_over == len(buffer.decisions)


def test_the_oldest_decisions_of_hands_that_outlast_rollouts_are_dropped_and_counted() -> None:
    buffer = RolloutBuffer(3, 2, 6, 1, 1, F32)
    number, dropped = 0, []
    for _ in range(3):
        while not buffer.full:
            decisions = buffer.begin_step(3)
            decisions.tables[:], decisions.seats[:] = np.arange(3), 0
            decisions.inputs[:, 0] = torch.arange(number, number + 3)
            number += 3
            buffer.end_step(np.zeros(3, np.bool_), np.zeros((3, 2), np.float32))
        rollout = buffer.compute_returns_and_advantages(
            np.zeros(len(buffer.decisions), np.float32), 1.0
        )
        assert len(rollout.decisions) == 0
        dropped.append(rollout.dropped)
        buffer.begin(rollout.unfinished)
    assert dropped == [0, 6, 6]
    assert buffer.decisions.inputs[:, 0].tolist() == list(range(12, 18))


def test_the_state_of_some_decisions_does_not_hold_the_whole_buffer() -> None:
    decisions = Decisions.empty(1000, 4, 9, F32)[:10]
    inputs = decisions.state()["inputs"]
    assert inputs.untyped_storage().nbytes() == 10 * 4 * 4


def test_the_critic_sees_all_hands_in_order_of_play() -> None:
    tables = random_tables("casino", [2, 3] * 32)
    inputs = NetworkInputs(FeatureExtractor.for_games([tables.rules], 3), 0, 3, "all_hands")
    indices = np.arange(64)
    written = np.full((64, inputs.size), np.nan, np.float32)
    inputs.write(tables, indices, np.zeros((64, 0), np.float32), written)
    policy, hands = np.split(written, [inputs.policy_size], axis=1)
    np.testing.assert_array_equal(policy, inputs.extractor.extract(tables.observations))
    hands = hands.reshape(64, 2, HAND_SIZE)
    for table in indices:
        game = tables.game(int(table))
        assert game.seat_to_act is not None
        for after in range(2):
            if after + 1 < tables.players[table]:
                seat = (game.seat_to_act + after + 1) % tables.players[table]
                cards = [card.value for card in game.hands[seat]]
                values = [
                    v
                    for v, n in zip(range(-10, 11), hands[table, after] * 3, strict=False)
                    for _ in range(round(n))
                ]
                assert values == sorted(cards)
            else:
                assert not hands[table, after].any()


def test_an_opponents_hand_is_as_it_sees_it_itself() -> None:
    tables = random_tables("orsl", 2)
    before, seats = tables.opponents_hands(np.arange(64))[:, 0], tables.seats_to_act.copy()
    agent, rng = RandomAgent(load_rules("orsl"), 2), np.random.default_rng(1)
    betting = blocks(tables.observations).phase[:, 3] > 0
    tables.step(agent.act(tables.observations, tables.action_masks, rng))
    same_hand = betting & (blocks(tables.observations).phase[:, 3] > 0) & ~tables.finished
    turned = np.flatnonzero(same_hand & (tables.seats_to_act != seats))
    assert len(turned)
    np.testing.assert_array_equal(before[turned], tables.observations[turned, :HAND_SIZE])
