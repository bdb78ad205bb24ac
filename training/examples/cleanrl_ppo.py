"""Masked PPO in one file in the style of CleanRL, on the vector environment of Gymnasium.

    python training/examples/cleanrl_ppo.py --opponents tight loose

One seat of each table learns, and scripted agents play the others. Two things differ from CleanRL's
``ppo.py``: illegal actions get no probability, and gamma is 1, because the only reward of a hand
comes at its end. ``ppo.py`` beside this file learns from all seats by self-play and is stronger.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

import cyclopts
import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical

import sabacc_env  # noqa: F401  registers Sabacc-v0


@dataclass
class Args:
    """The settings of a run."""

    rules: str = "casino"
    """The rule set, by name or path."""
    num_players: int = 2
    """Seats at every table."""
    opponents: tuple[str, ...] = ("random", "tight")
    """Who plays the other seats: each draws one of these for every hand."""
    seed: int = 1
    """Seed of the cards, of the weights and of every random choice."""
    total_timesteps: int = 500_000
    """Decisions to learn from."""
    num_envs: int = 128
    """Tables that are stepped together."""
    num_steps: int = 32
    """Decisions at each table in an update."""
    learning_rate: float = 2.5e-3
    """Adam's step size at the start. It falls to 0."""
    gamma: float = 1.0
    """Discount."""
    gae_lambda: float = 0.95
    """Lambda of the generalised advantage estimates."""
    num_minibatches: int = 4
    """Gradient steps in an epoch."""
    update_epochs: int = 4
    """Passes over the decisions of an update."""
    clip_coef: float = 0.2
    """How far the probability ratio may move from 1."""
    ent_coef: float = 0.02
    """Weight of the entropy bonus."""
    vf_coef: float = 0.5
    """Weight of the value loss."""
    max_grad_norm: float = 0.5
    """Largest norm of the gradient."""
    reward_scale: float = 10.0
    """Antes that make a reward of 1."""


def layer_init(layer: nn.Linear, gain: float = 2**0.5) -> nn.Linear:
    """Initialise a layer orthogonally, its bias with zeros."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    """An actor and a critic without shared layers."""

    def __init__(self, num_features: int, num_actions: int) -> None:
        super().__init__()

        def network(outputs: int, gain: float) -> nn.Sequential:
            return nn.Sequential(
                layer_init(nn.Linear(num_features, 64)),
                nn.Tanh(),
                layer_init(nn.Linear(64, 64)),
                nn.Tanh(),
                layer_init(nn.Linear(64, outputs), gain),
            )

        self.critic = network(1, gain=1.0)
        self.actor = network(num_actions, gain=0.01)

    def get_value(self, obs: Tensor) -> Tensor:
        """Return the expected returns, (n,)."""
        values: Tensor = self.critic(obs)[:, 0]
        return values

    def get_distribution(self, obs: Tensor, masks: Tensor) -> Categorical:
        """Return the distributions over the legal actions, by masks (n, actions) of bool."""
        return Categorical(logits=self.actor(obs).masked_fill(~masks, -1e8))


@dataclass
class Rollout:
    """The decisions of an update: every array is (num_steps, num_envs, ...)."""

    obs: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    rewards: Tensor
    dones: Tensor
    values: Tensor


class Runner:
    """Steps the tables, and keeps what they showed last.

    ``SAME_STEP`` restarts a table within the step that ends its hand, so that no step is wasted.
    """

    def __init__(self, args: Args) -> None:
        self.args = args
        self.envs = gymnasium.make_vec(
            "Sabacc-v0",
            num_envs=args.num_envs,
            rules=args.rules,
            num_players=args.num_players,
            opponents=list(args.opponents),
            autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
        )
        self.keep(*self.envs.reset(seed=args.seed))

    def keep(self, obs: NDArray[np.float32], infos: dict[str, Any]) -> None:
        """Turn what the tables show into tensors."""
        self.obs = torch.from_numpy(obs)
        self.masks = torch.from_numpy(infos["action_mask"]).bool()

    def play(self, agent: Agent, num_steps: int) -> Rollout:
        """Play that many decisions at each table."""
        steps = []
        for _ in range(num_steps):
            with torch.no_grad():
                distribution = agent.get_distribution(self.obs, self.masks)
                actions = distribution.sample()  # type: ignore[no-untyped-call]
                log_probs = distribution.log_prob(actions)  # type: ignore[no-untyped-call]
                values = agent.get_value(self.obs)
            obs, rewards, terminated, _, infos = self.envs.step(actions.numpy())
            rewards = torch.from_numpy(rewards / self.args.reward_scale).float()
            dones = torch.from_numpy(terminated).float()
            steps.append((self.obs, self.masks, actions, log_probs, rewards, dones, values))
            self.keep(obs, infos)
        return Rollout(*map(torch.stack, zip(*steps, strict=True)))


def compute_advantages(rollout: Rollout, next_values: Tensor, args: Args) -> Tensor:
    """Return the generalised advantage estimates, (num_steps, num_envs).

    Args:
        rollout: the decisions.
        next_values: the critic's estimates after the last of them, (num_envs,).
        args: gamma and lambda.
    """
    advantages = torch.zeros_like(rollout.rewards)
    last = torch.zeros_like(next_values)
    for step in reversed(range(len(advantages))):
        going_on = 1 - rollout.dones[step]
        delta = rollout.rewards[step] + args.gamma * next_values * going_on - rollout.values[step]
        last = delta + args.gamma * args.gae_lambda * going_on * last
        advantages[step] = last
        next_values = rollout.values[step]
    return advantages


def update(
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    args: Args,
    next_values: Tensor,
) -> None:
    """Learn from the decisions of a rollout."""
    advantages = compute_advantages(rollout, next_values, args).flatten()
    returns = advantages + rollout.values.flatten()
    obs, masks = rollout.obs.flatten(0, 1), rollout.masks.flatten(0, 1)
    actions, old_log_probs = rollout.actions.flatten(), rollout.log_probs.flatten()
    for _ in range(args.update_epochs):
        for mb in torch.randperm(len(actions)).chunk(args.num_minibatches):
            distribution = agent.get_distribution(obs[mb], masks[mb])
            log_ratio = distribution.log_prob(actions[mb]) - old_log_probs[mb]  # type: ignore[no-untyped-call]
            ratio = log_ratio.exp()
            mb_advantages = advantages[mb]
            mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(ratio * mb_advantages, clipped * mb_advantages).mean()
            value_loss = 0.5 * (agent.get_value(obs[mb]) - returns[mb]).square().mean()
            entropy = distribution.entropy().mean()  # type: ignore[no-untyped-call]
            loss = policy_loss - args.ent_coef * entropy + args.vf_coef * value_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()


def train(args: Args) -> tuple[Agent, list[float]]:
    """Return the trained agent, and the mean reward of a hand in each update, in antes."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    runner = Runner(args)
    agent = Agent(runner.obs.shape[1], runner.masks.shape[1])
    optimizer = torch.optim.Adam(agent.parameters(), args.learning_rate, eps=1e-5)
    batch_size = args.num_envs * args.num_steps
    num_updates = args.total_timesteps // batch_size
    margins, started = [], time.monotonic()
    for done in range(num_updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - done / num_updates)
        rollout = runner.play(agent, args.num_steps)
        with torch.no_grad():
            next_values = agent.get_value(runner.obs)
        update(agent, optimizer, rollout, args, next_values)
        hands = float(rollout.dones.sum())
        margins.append(args.reward_scale * float(rollout.rewards.sum()) / max(1.0, hands))
        if done % 10 == 9:
            decisions = (done + 1) * batch_size
            rate = decisions / (time.monotonic() - started)
            recent = sum(margins[-10:]) / 10
            print(f"{decisions:,} decisions, {rate:,.0f} a second, {recent:+.2f} antes/hand")
    return agent, margins


def main(args: Annotated[Args | None, cyclopts.Parameter(name="*")] = None) -> None:
    """Train an agent, and print what it wins."""
    train(args or Args())


if __name__ == "__main__":
    cyclopts.run(main)
