"""Masked PPO with a KL term, by self-play, in one file: read it from top to bottom, then change it.

    python training/examples/ppo.py --rules casino --seed 1

One network plays every seat. In half the hands a scripted opponent plays one of them. An update
plays one hand at every table, learns from the decisions of the network in these hands, and moves an
average of the weights. This average is what is saved. It is also the magnet: a KL term draws the
policy towards it, which lets self-play converge instead of cycling (magnetic mirror descent, Sokota
et al. 2023). Gamma is 1: the only reward of a hand comes at its end.

The saved agent plays wherever an agent is named: ``sabacc watch ppo.safetensors maximiser``.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import cyclopts
import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents import FeatureExtractor, NetworkInfo, load, save_network
from sabacc_training.evaluation.match import play_match
from torch import Tensor, nn

from sabacc_env import Tables, load_rules


@dataclass
class Args:
    """The settings of a run."""

    rules: str = "casino"
    """The rule set, by name or path."""
    num_players: int = 2
    """Seats at every table."""
    total_decisions: int = 1_600_000
    """Decisions to learn from, those of all seats together."""
    seed: int = 1
    """Seed of the cards, of the weights and of every random choice."""
    output: Path = Path("ppo.safetensors")
    """The file of the trained agent."""

    num_tables: int = 512
    """Hands in an update."""
    opponents: tuple[str, ...] = ("tight", "loose")
    """Scripted agents. One of them plays one seat in some hands."""
    opponent_share: float = 0.5
    """Share of the hands with a scripted opponent. The network plays every seat in the others."""
    stacks: tuple[int, int] = (20, 80)
    """Fewest and most antes that a seat starts a hand with."""
    max_sabacc_pot: int = 5
    """Most antes in the Sabacc pot at the start of a hand; 0 for rules without one."""
    num_minibatches: int = 8
    """Gradient steps in an epoch."""
    n_epochs: int = 2
    """Passes over the decisions of an update."""
    learning_rate: float = 2e-3
    """Adam's step size at the start. It falls to 0."""
    gae_lambda: float = 0.7
    """Lambda of the generalised advantage estimates."""
    clip_range: float = 0.2
    """How far the probability ratio may move from 1."""
    ent_coef: float = 0.03
    """Weight of the entropy bonus at the start. It falls to 0."""
    kl_coef: float = 0.1
    """Weight of the KL divergence from the magnet."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient of the policy, and of the critic."""
    polyak_tau: float = 0.1
    """How far the average moves towards the weights at each update."""
    hidden_size: int = 64
    """Width of both hidden layers of the policy and of the critic."""
    reward_scale: float = 10.0
    """Antes that make a reward of 1."""


class ActorCritic(nn.Module):
    """A policy that sees what its seat may know, and a critic that sees the hidden cards too."""

    def __init__(self, tables: Tables, width: int) -> None:
        super().__init__()
        self.extractor = FeatureExtractor.for_games(tables.rule_sets, tables.num_players)
        num_features, num_actions = self.extractor.size, tables.action_masks.shape[1]
        num_hidden = tables.opponents_hands([0]).size + tables.upcoming_chance([0]).size
        self.actor: nn.Module = mlp(num_features, width, num_actions, last_gain=0.01)
        self.critic = mlp(num_features + num_hidden, width, 1, last_gain=1.0)

    def see(self, tables: Tables, where: NDArray[np.int64]) -> Tensor:
        """Return what the network is shown of these tables, (n, features), hidden cards last."""
        seen = self.extractor.extract(tables.flat_observations[where])
        hands = tables.opponents_hands(where)
        hands = hands.reshape(len(where), math.prod(hands.shape[1:]))
        return torch.from_numpy(np.hstack([seen, hands, tables.upcoming_chance(where)]))

    def log_probs(self, features: Tensor, action_masks: Tensor) -> Tensor:
        """Return the log probabilities of all actions, (n, actions); illegal ones get -1e8."""
        logits = self.actor(features[:, : self.extractor.size])
        return torch.log_softmax(logits.masked_fill(~action_masks, -1e8), dim=1)

    def values(self, features: Tensor) -> Tensor:
        """Return the expected returns, (n,)."""
        values: Tensor = self.critic(features)[:, 0]
        return values


Network = TypeVar("Network", bound=ActorCritic)


def mlp(inputs: int, width: int, outputs: int, last_gain: float) -> nn.Sequential:
    """Return two hidden layers with ReLU and an output layer, orthogonally initialised."""
    layers: list[nn.Module] = []
    for fan_in, fan_out, gain in (
        (inputs, width, 2**0.5),
        (width, width, 2**0.5),
        (width, outputs, last_gain),
    ):
        linear = nn.Linear(fan_in, fan_out)
        nn.init.orthogonal_(linear.weight, gain)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def policy_loss(
    log_probs: Tensor,
    action_masks: Tensor,
    actions: Tensor,
    old_log_probs: Tensor,
    advantages: Tensor,
    magnet_log_probs: Tensor,
    *,
    clip_range: float,
    ent_coef: float,
    kl_coef: float,
) -> Tensor:
    """Return PPO's clipped loss, less an entropy bonus, plus the KL divergence from the magnet.

    Args:
        log_probs: (n, actions) of the policy that learns.
        action_masks: (n, actions) bool, the legal actions.
        actions: (n,) the actions that were played.
        old_log_probs: (n,) of these actions, by the policy that played them.
        advantages: (n,) normalised.
        magnet_log_probs: (n, actions).
        clip_range: how far the probability ratio may move from 1.
        ent_coef: weight of the entropy.
        kl_coef: weight of the KL divergence.
    """
    log_ratio = log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs
    ratio = log_ratio.exp()
    clipped_ratio = ratio.clamp(1 - clip_range, 1 + clip_range)
    surrogate = torch.min(ratio * advantages, clipped_ratio * advantages)
    probs = log_probs.exp()
    entropy = -(probs * log_probs).masked_fill(~action_masks, 0).sum(dim=1)
    kl = (probs * (log_probs - magnet_log_probs)).masked_fill(~action_masks, 0).sum(dim=1)
    return (-surrogate - ent_coef * entropy + kl_coef * kl).mean()


class Opponents:
    """Scripted agents, each of which plays one seat at some tables; the network plays the others.

    Attributes:
        agent_at: (num_tables,) which agent plays there, -1 where none does.
        seat_at: (num_tables,) the seat that it plays.
    """

    def __init__(self, tables: Tables, args: Args, rng: np.random.Generator) -> None:
        self.tables = tables
        self.share = args.opponent_share
        self.rng = rng
        self.agents = [load(name, tables.rules, tables.num_players) for name in args.opponents]
        for agent in self.agents:
            agent.reset(tables.num_tables)
        self.draw()

    def draw(self) -> None:
        """Draw where they play in the next hands."""
        tables = self.tables.num_tables
        scripted = self.rng.random(tables) < self.share
        self.agent_at = np.where(scripted, self.rng.integers(len(self.agents), size=tables), -1)
        self.seat_at = self.rng.integers(self.tables.num_players, size=tables)

    def are_to_act(self, tables: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return at which of these tables a scripted agent is to act, (n,)."""
        to_act: NDArray[np.bool_] = self.tables.seats_to_act[tables] == self.seat_at[tables]
        return to_act & (self.agent_at[tables] >= 0)

    def act(self, tables: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Write the actions of the scripted agents that are to act at these tables."""
        to_act = tables[self.are_to_act(tables)]
        for index, agent in enumerate(self.agents):
            where = to_act[self.agent_at[to_act] == index]
            if len(where):
                observations = self.tables.observations[where]
                masks = self.tables.action_masks[where]
                actions[where] = agent.act(observations, masks, self.rng, where)


@dataclass
class Rollout:
    """The decisions of the network in one hand at every table, the earliest first; n in all."""

    features: Tensor  # (n, features)
    action_masks: Tensor  # (n, actions) bool
    actions: Tensor  # (n,)
    log_probs: Tensor  # (n,) of the actions
    advantages: Tensor  # (n,)
    returns: Tensor  # (n,)


def play_hands(tables: Tables, opponents: Opponents, network: ActorCritic, args: Args) -> Rollout:
    """Play one hand at every table to its end."""
    steps, rewards = [], np.zeros((tables.num_tables, tables.num_players))
    actions = np.zeros(tables.num_tables, np.int64)
    playing = np.arange(tables.num_tables)
    while len(playing):
        opponents.act(playing, actions)
        own = playing[~opponents.are_to_act(playing)]
        seats = tables.seats_to_act[own].copy()
        masks = torch.from_numpy(tables.action_masks[own]).bool()
        features = network.see(tables, own)
        with torch.no_grad():
            log_probs = network.log_probs(features, masks)
            values = network.values(features)
            sampled = torch.multinomial(log_probs.exp(), 1)
        sampled_log_probs = log_probs.gather(1, sampled)[:, 0]
        steps.append((own, seats, features, masks, sampled[:, 0], sampled_log_probs, values))
        actions[own] = sampled[:, 0].numpy()

        tables.step(actions[playing], playing)
        ended = playing[tables.finished[playing]]
        rewards[ended] = tables.net_credits[ended] / (args.reward_scale * tables.rules.ante_unit)
        playing = playing[~tables.finished[playing]]

    where, who, *parts, step_values = zip(*steps, strict=True)
    features, masks, sampled, log_probs = (torch.cat(part) for part in parts)
    advantages = compute_advantages(where, who, step_values, rewards, args.gae_lambda)
    returns = torch.cat(advantages) + torch.cat(step_values)
    return Rollout(features, masks, sampled, log_probs, torch.cat(advantages), returns)


def compute_advantages(
    tables: Sequence[NDArray[np.int64]],
    seats: Sequence[NDArray[np.int64]],
    values: Sequence[Tensor],
    rewards: NDArray[np.float64],
    gae_lambda: float,
) -> list[Tensor]:
    """Return the advantages of each step's decisions, chained over each seat's own decisions.

    Args:
        tables: for each step the tables of its decisions, (n,).
        seats: the seats that acted there, (n,).
        values: the critic's estimates there, (n,).
        rewards: (num_tables, num_players) what each seat won in the hand.
        gae_lambda: lambda.
    """
    next_values, next_advantages = rewards.copy(), np.zeros_like(rewards)
    advantages = []
    for at, seat, value in zip(reversed(tables), reversed(seats), reversed(values), strict=True):
        delta = next_values[at, seat] - value.numpy()
        next_advantages[at, seat] = delta + gae_lambda * next_advantages[at, seat]
        next_values[at, seat] = value.numpy()
        advantages.append(torch.from_numpy(next_advantages[at, seat].astype(np.float32)))
    return advantages[::-1]


def make(args: Args) -> tuple[Tables, ActorCritic]:
    """Return the tables, and a network that has not learnt yet."""
    torch.set_num_threads(1)  # before weights are drawn: more threads round them otherwise
    torch.manual_seed(args.seed)
    tables = Tables(args.rules, args.num_tables, args.num_players, seed=args.seed)
    return tables, ActorCritic(tables, args.hidden_size)


def train(args: Args, tables: Tables, network: Network) -> Network:
    """Train a network by self-play at these tables, and return the average of its weights."""
    rng = np.random.default_rng(args.seed)
    ante = tables.rules.ante_unit
    opponents = Opponents(tables, args, rng)
    average = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)

    all_tables = np.arange(args.num_tables)
    decisions, updates, started = 0, 0, time.monotonic()
    while decisions < args.total_decisions:
        remaining = 1 - decisions / args.total_decisions
        optimizer.param_groups[0]["lr"] = args.learning_rate * remaining

        fewest, most = (antes * ante for antes in args.stacks)
        credits = rng.integers(fewest, most + 1, (args.num_tables, args.num_players))
        tables.set_episode_starts(all_tables, credits=credits)
        if args.max_sabacc_pot > 0:
            pots = rng.integers(args.max_sabacc_pot * ante + 1, size=args.num_tables)
            tables.set_episode_starts(all_tables, sabacc_pots=pots)
        tables.restart(all_tables)
        opponents.draw()
        rollout = play_hands(tables, opponents, network, args)

        advantages = rollout.advantages
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        with torch.no_grad():
            magnet_log_probs = average.log_probs(rollout.features, rollout.action_masks)
        for _ in range(args.n_epochs):
            order = torch.from_numpy(rng.permutation(len(advantages)))
            for minibatch in order.chunk(args.num_minibatches):
                features = rollout.features[minibatch]
                masks = rollout.action_masks[minibatch]
                loss = policy_loss(
                    network.log_probs(features, masks),
                    masks,
                    rollout.actions[minibatch],
                    rollout.log_probs[minibatch],
                    advantages[minibatch],
                    magnet_log_probs[minibatch],
                    clip_range=args.clip_range,
                    ent_coef=args.ent_coef * remaining,
                    kl_coef=args.kl_coef,
                )
                value_loss = (network.values(features) - rollout.returns[minibatch]).square().mean()
                optimizer.zero_grad()
                (loss + value_loss).backward()  # type: ignore[no-untyped-call]
                for part in (network.actor, network.critic):
                    nn.utils.clip_grad_norm_(part.parameters(), args.max_grad_norm)
                optimizer.step()

        decisions, updates = decisions + len(advantages), updates + 1
        with torch.no_grad():
            tau = max(args.polyak_tau, 1 / updates)
            for mean, weights in zip(average.parameters(), network.parameters(), strict=True):
                mean.lerp_(weights, tau)
        if updates % 25 == 0:
            rate = decisions / (time.monotonic() - started)
            print(f"{decisions:,} decisions, {rate:,.0f} a second, value loss {value_loss:.3f}")
    return average


def save(network: ActorCritic, path: Path, args: Args) -> None:
    """Write the policy as an agent that plays wherever agents are named."""
    rules = load_rules(args.rules)
    layers = [layer for layer in network.actor.children() if isinstance(layer, nn.Linear)]
    weights = {
        f"layers.{index}.{name}": parameter.detach()
        for index, layer in enumerate(layers)
        for name, parameter in layer.named_parameters()
    }
    info = NetworkInfo((rules,), (args.num_players,), activation="relu")
    save_network(path, weights, info, network.extractor)


def main(args: Annotated[Args | None, cyclopts.Parameter(name="*")] = None) -> None:
    """Train an agent by self-play, save it, and print how much it wins from the maximiser."""
    args = args or Args()
    save(train(args, *make(args)), args.output, args)
    if args.num_players == 2:
        rules = load_rules(args.rules)
        agents = load(str(args.output), rules, 2), load("maximiser", rules, 2)
        match = play_match(rules, agents, deals=20_000, seed=1)
        print(f"{args.output}: {match.margin} mante/hand against the maximiser")


if __name__ == "__main__":
    cyclopts.run(main)
