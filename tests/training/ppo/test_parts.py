"""The parts of the PPO trainer: gradients, advantages, what networks are shown."""

from __future__ import annotations

import llvmlite.binding
import numba
import numpy as np
import pytest
import torch
from sabacc_training.ppo.kernels import draw, log_softmax, policy_slopes
from sabacc_training.ppo.mlp import SMALLEST_SPREAD, Learnt, Made, Mlp
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.rollout_buffer import Batch, Rows

from sabacc_env import Tables, load_rules
from sabacc_env.agent import RandomAgent
from sabacc_env.engine.observation.blocks import HAND_SIZE
from sabacc_env.observation import blocks
from tests.support.examples import load_example

F32 = Made("cpu", torch.float32)


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
    assert Made.named("cpu", "auto").precision_name == precision
    monkeypatch.setattr(llvmlite.binding.FeatureMap, "flatten", lambda _: features)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    assert Made.named("cpu", "auto").precision_name == precision


def some_legal(rng: np.random.Generator, rows: int, actions: int) -> np.ndarray:
    return rng.integers(1, 2**actions, rows)


def masked_logs(logits: torch.Tensor, legal: np.ndarray) -> torch.Tensor:
    allowed = torch.from_numpy(legal[:, None] >> np.arange(logits.shape[1]) & 1) != 0
    logs = torch.log_softmax(logits.masked_fill(~allowed, -torch.inf), dim=1)
    return logs.masked_fill(~allowed, 0.0)


def test_a_network_is_its_layers_and_its_gradient_theirs() -> None:
    network = Mlp((7, 5, 4, 3), F32)
    network.start(torch.Generator().manual_seed(0), 1.0)
    layers = [
        (w.clone().requires_grad_(), b.clone().requires_grad_())
        for w, b in network.parts(network.weights)
    ]
    inputs, slopes = torch.randn(11, 7), torch.randn(11, 3)
    values = inputs
    for index, (weight, bias) in enumerate(layers):
        values = values @ weight.T + bias
        values = torch.relu(values) if index < 2 else values
    torch.testing.assert_close(network.forward(inputs), values)
    network.backward(slopes)
    (values * slopes).sum().backward()
    for (weight, bias), (found, found_bias) in zip(
        layers, network.parts(network.gradient), strict=True
    ):
        torch.testing.assert_close(found, weight.grad)
        torch.testing.assert_close(found_bias, bias.grad)


def test_a_network_learns_by_adam_as_pytorch_has_it() -> None:
    network = Mlp((6, 5, 2), F32)
    network.start(torch.Generator().manual_seed(0), 1.0)
    weights = network.weights.clone().requires_grad_()
    theirs, learnt = torch.optim.Adam([weights], eps=SMALLEST_SPREAD), Learnt(network, 0.5)
    for step in range(20):
        gradient = torch.randn(len(weights)) * 10.0 ** (step % 3 - 2)  # some are shortened
        gradient[:4] = 0.0
        network.gradient.copy_(gradient)
        weights.grad = gradient
        torch.nn.utils.clip_grad_norm_([weights], 0.5)
        theirs.param_groups[0]["lr"] = 0.01 / (step + 1)
        theirs.step()
        learnt.step(0.01 / (step + 1))
    torch.testing.assert_close(network.weights, weights.detach())
    assert not network.gradient.any()


def test_logarithms_of_chances_of_legal_actions() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 20, (50, 9)).astype(np.float32)
    legal, logs = some_legal(rng, 50, 9), np.empty((50, 9), np.float32)
    log_softmax(logits, legal, logs)
    expected = masked_logs(torch.from_numpy(logits), legal).numpy()
    np.testing.assert_allclose(logs, expected, atol=1e-5)


def test_actions_are_drawn_as_often_as_they_should() -> None:
    n = 200_000
    logs = np.tile(np.log(np.array([0.5, 1.0, 0.2, 1.0, 0.3], np.float32)), (n, 1))
    actions, chances = np.zeros(n, np.int64), np.zeros(n, np.float32)
    draw(
        logs, np.full(n, 0b10101), np.random.default_rng(1).random(n, np.float32), actions, chances
    )
    np.testing.assert_allclose(np.bincount(actions) / n, [0.5, 0, 0.2, 0, 0.3], atol=0.005)
    np.testing.assert_array_equal(chances, logs[np.arange(n), actions])
    draw(logs[:1], np.array([0b10101]), np.ones(1, np.float32), actions, chances)
    assert actions[0] == 4  # a legal one, whatever rounding leaves


@pytest.mark.parametrize("drawn", [True, False])
def test_the_gradient_is_that_of_the_example_by_autograd(drawn: bool) -> None:
    """``training/examples/ppo.py`` has the loss as a reader knows it; PyTorch differentiates it."""
    rng, n, width = np.random.default_rng(2), 40, 6
    legal = some_legal(rng, n, width)
    masks = torch.from_numpy(legal[:, None] >> np.arange(width) & 1).bool()
    logits = torch.from_numpy(rng.normal(0, 1, (n, width)).astype(np.float32)).requires_grad_()
    actions = np.array([rng.choice(np.flatnonzero(bits >> np.arange(width) & 1)) for bits in legal])
    logs = masked_logs(logits, legal)
    before = logs[np.arange(n), actions].detach().numpy()
    before += rng.normal(0, 0.3, n).astype(np.float32)
    advantages = rng.normal(0, 1, n).astype(np.float32)
    magnet = masked_logs(torch.from_numpy(rng.normal(0, 1, (n, width))).float(), legal)

    def loss(clip_range: float, ent_coef: float, kl_coef: float) -> torch.Tensor:
        played = torch.from_numpy(actions), torch.from_numpy(before), torch.from_numpy(advantages)
        coefficients = {"clip_range": clip_range, "ent_coef": ent_coef, "kl_coef": kl_coef}
        total: torch.Tensor = load_example("ppo").policy_loss(
            logs, masks, *played, magnet, **coefficients
        )
        return total

    loss(0.2, 0.05, 0.2 if drawn else 0.0).backward()
    slopes, sums = np.empty((n, width), np.float32), np.zeros(4)
    towards = magnet.numpy() if drawn else np.zeros((0, width), np.float32)
    found = logs.detach().numpy()
    policy_slopes(
        found, legal, actions, before, advantages, towards, 0.2, 0.05, 0.2, 1 / n, slopes, sums
    )
    assert logits.grad is not None
    np.testing.assert_allclose(slopes, logits.grad.numpy(), atol=1e-6)
    surrogate = loss(0.2, 0.0, 0.0)
    entropy, kl = surrogate - loss(0.2, 1.0, 0.0), loss(0.2, 0.0, 1.0) - surrogate
    assert sums[0] / n == pytest.approx(entropy.item(), rel=1e-4)
    assert sums[1] / n == pytest.approx(kl.item() if drawn else 0, rel=1e-4)


def played_out(decay: float, decisions: int = 40) -> tuple[list, list, Batch]:
    """Play a made-up game into batches; return advantages found, those of the definition."""
    rng = np.random.default_rng(3)
    batch = Batch(3, 2, decisions, 1, F32)
    hands: list[list[tuple[int, float]]] = [[], [], []]
    expected: dict[float, float] = {}
    found: dict[float, float] = {}
    for _ in range(6):
        while not batch.full:
            rows = batch.place(3)
            rows.tables[:], rows.seats[:] = np.arange(3), rng.integers(2, size=3)
            rows.shown[:, 0] = torch.from_numpy(rng.random(3))  # stands for the row, and its value
            ends, rewards = rng.random(3) < 0.2, np.zeros((3, 2), np.float32)
            for table in range(3):
                hands[table].append((rows.seats[table], float(rows.shown[table, 0])))
                if ends[table]:
                    rewards[table] = rng.normal(size=2)
                    for seat in range(2):
                        values = [value for who, value in hands[table] if who == seat]
                        coming = [*values, float(rewards[table, seat])][1:]
                        gain = 0.0
                        for value, after in reversed(list(zip(values, coming, strict=True))):
                            gain = after - value + decay * gain
                            expected[value] = gain
                    hands[table] = []
            batch.close_step(ends, rewards)
        closed = batch.close(batch.rows.shown[:, 0].numpy().copy(), decay)
        for value, gain in zip(closed.rows.shown[:, 0].tolist(), closed.gains, strict=True):
            assert value not in found
            found[value] = gain
        batch.go_on(closed.waiting)
    return [found[value] for value in expected], list(expected.values()), batch


@pytest.mark.parametrize("decay", [0.0, 0.95, 1.0])
def test_advantages_are_chained_by_seat_over_whole_hands_whatever_update_they_began_in(
    decay: float,
) -> None:
    found, expected, batch = played_out(decay)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert batch.waiting == len(batch.rows)


def test_of_hands_that_outlast_updates_the_first_decisions_are_let_go_and_counted() -> None:
    batch = Batch(3, 2, 6, 1, F32)
    number, let_go = 0, []
    for _ in range(3):
        while not batch.full:
            rows = batch.place(3)
            rows.tables[:], rows.seats[:] = np.arange(3), 0
            rows.shown[:, 0] = torch.arange(number, number + 3)
            number += 3
            batch.close_step(np.zeros(3, np.bool_), np.zeros((3, 2), np.float32))
        closed = batch.close(np.zeros(len(batch.rows), np.float32), 1.0)
        assert len(closed.rows) == 0
        let_go.append(closed.let_go)
        batch.go_on(closed.waiting)
    assert let_go == [0, 6, 6]
    assert batch.rows.shown[:, 0].tolist() == list(range(12, 18))


def test_what_is_kept_of_rows_is_theirs_alone() -> None:
    rows = Rows.room_for(1000, 4, F32)[:10]
    shown = rows.state()["shown"]
    assert shown.untyped_storage().nbytes() == 10 * 4 * 4


def played(rules: str, num_players: int | list[int], num_tables: int = 64) -> Tables:
    tables = Tables(rules, num_tables=num_tables, num_players=num_players, seed=3)
    agent, rng = RandomAgent(tables.rules, 2), np.random.default_rng(0)
    for _ in range(40):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))
    return tables


def test_the_critic_is_shown_all_hands_in_order_of_play() -> None:
    tables = played("casino", [2, 3] * 32)
    inputs = Inputs([tables.rules], 3, "all_hands")
    which = np.arange(64)
    shown = np.full((64, inputs.size), np.nan, np.float32)
    inputs.write(tables, which, shown)
    policy, hands = np.split(shown, [inputs.policy_size], axis=1)
    np.testing.assert_array_equal(policy, inputs.outlook.shown(tables.observations))
    hands = hands.reshape(64, 2, HAND_SIZE)
    for table in which:
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
    tables = played("orsl", 2)
    before, seats = tables.opponents_hands(np.arange(64))[:, 0], tables.seats_to_act.copy()
    agent, rng = RandomAgent(load_rules("orsl"), 2), np.random.default_rng(1)
    betting = blocks(tables.observations).phase[:, 3] > 0
    tables.step(agent.act(tables.observations, tables.action_masks, rng))
    same_hand = betting & (blocks(tables.observations).phase[:, 3] > 0) & ~tables.finished
    turned = np.flatnonzero(same_hand & (tables.seats_to_act != seats))
    assert len(turned)
    np.testing.assert_array_equal(before[turned], tables.observations[turned, :HAND_SIZE])
