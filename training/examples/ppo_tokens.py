"""PPO on token sequences beside PPO on flat observations, measured exactly.

    python training/examples/ppo_tokens.py --observation tokens --seeds 1 2 3
    python training/examples/ppo_tokens.py --observation flat --seeds 1 2 3

A flat observation does not hold the whole hand so far. On the rung ``with_dice`` 7,591 information
states look like 2,973, and a network plays alike where it sees the same. The tokens hold all that a
seat has been told, so a network that reads them can tell every information state apart.

Both learn by ``ppo.py`` beside this file, with the same critic, settings and number of decisions.
Only the policy differs: a GRU over the tokens, or a perceptron over the flat observation. NashConv,
the distance from equilibrium, is computed from the whole game tree: it is exact.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

import cyclopts
import numpy as np
import ppo
import torch
from numpy.typing import NDArray
from sabacc_training.solved_games import GameTree, flatten, load_rung, policy_values
from sabacc_training.solved_games.agent_policy import observations_at, policy_of, tokens_at
from torch import Tensor, nn

from sabacc_env import Tables
from sabacc_env.observation import PAD, VOCABULARY_SIZE

GAME: Final = "with_dice"


@dataclass
class Args:
    """The settings of some runs."""

    observation: Literal["tokens", "flat"] = "tokens"
    """What the policy sees."""
    total_decisions: int = 1_000_000
    """Decisions to learn from, those of both seats together."""
    num_tables: int = 1024
    """Hands in an update."""
    seeds: Annotated[list[int], cyclopts.Parameter(consume_multiple=True)] = field(
        default_factory=lambda: [1]
    )
    """A run for each."""


class TokenPolicy(nn.Module):
    """A GRU over a sequence of tokens; its state after the last one decides."""

    def __init__(self, num_actions: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY_SIZE, width, padding_idx=PAD)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.output = nn.Linear(width, num_actions)
        nn.init.orthogonal_(self.output.weight, 0.01)
        nn.init.zeros_(self.output.bias)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of all actions, (n, actions), for sequences (n, length)."""
        mask = tokens != PAD
        lengths = mask.sum(dim=1)
        states, _ = self.gru(self.embedding(tokens[:, : int(lengths.max())]))
        logits: Tensor = self.output(states[torch.arange(len(tokens)), lengths - 1])
        return logits


class TokenActorCritic(ppo.ActorCritic):
    """The actor and critic of ``ppo.py`` with another actor, to which tokens are shown."""

    def __init__(self, tables: Tables, width: int) -> None:
        super().__init__(tables, width)
        self.actor = TokenPolicy(tables.action_masks.shape[1], width)
        self.max_tokens = tables.max_tokens

    def see(self, tables: Tables, where: NDArray[np.int64]) -> Tensor:
        """Return what ``ActorCritic`` sees, and then the tokens."""
        tokens = torch.from_numpy(tables.observations[where])
        return torch.cat([super().see(tables, where), tokens], dim=1)

    def log_probs(self, features: Tensor, action_masks: Tensor) -> Tensor:
        """Return the log probabilities of all actions, (n, actions); illegal ones get -1e8."""
        logits = self.actor(features[:, -self.max_tokens :].long())
        return torch.log_softmax(logits.masked_fill(~action_masks, -1e8), dim=1)

    def values(self, features: Tensor) -> Tensor:
        """Return the expected returns, (n,)."""
        return super().values(features[:, : -self.max_tokens])


def make(args: Args, seed: int) -> tuple[ppo.Args, Tables, ppo.ActorCritic]:
    """Return the settings of a run, its tables, and a network that has not learnt yet."""
    rung = load_rung(GAME)
    settings = ppo.Args(
        total_decisions=args.total_decisions,
        seed=seed,
        opponent_share=0.0,  # self-play alone: what is learnt is an equilibrium
        stacks=(20, 20),  # as hands of this game start
        max_sabacc_pot=0,
        num_tables=args.num_tables,
        num_minibatches=16,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.15,
        kl_coef=0.1,
        polyak_tau=0.05,
        reward_scale=2.0,
    )
    torch.set_num_threads(1)  # before the network is built: its weights depend on it
    torch.manual_seed(seed)
    tables = Tables(
        rung.rule_set,
        settings.num_tables,
        rung.num_players,
        seed=seed,
        bet_sizes=rung.bet_sizes,
        observation=args.observation,
    )
    kind = TokenActorCritic if args.observation == "tokens" else ppo.ActorCritic
    return settings, tables, kind(tables, settings.hidden_size)


def probabilities(network: ppo.ActorCritic, tree: GameTree) -> NDArray[np.float64]:
    """Return how a network plays in all information states, (states, num_actions)."""
    states = np.arange(len(tree.states.seats))
    observations, masks = observations_at(tree, states)
    if isinstance(network, TokenActorCritic):
        seen = torch.from_numpy(tokens_at(tree, states, network.max_tokens))
    else:
        seen = torch.from_numpy(network.extractor.extract(observations))
    with torch.no_grad():
        log_probs = network.log_probs(seen, torch.from_numpy(masks).bool())
    return log_probs.exp().double().numpy()


def nash_conv(network: ppo.ActorCritic, tree: GameTree) -> float:
    """Return the NashConv of a network that plays every seat, in antes a hand."""
    return policy_values(tree, policy_of(tree, probabilities(network, tree))).nash_conv


def main(args: Annotated[Args | None, cyclopts.Parameter(name="*")] = None) -> None:
    """Train by self-play with each seed, and print how far each policy is from equilibrium."""
    args = args or Args()
    tree = flatten(load_rung(GAME))
    distances = []
    for seed in args.seeds:
        settings, tables, network = make(args, seed)
        untrained, started = nash_conv(network, tree), time.process_time()
        distances.append(nash_conv(ppo.train(settings, tables, network), tree))
        print(
            f"{args.observation}, seed {seed}: NashConv {untrained:.3f} -> {distances[-1]:.4f}, "
            f"{time.process_time() - started:.0f} CPU-seconds"
        )
    print(f"{args.observation}: mean {np.mean(distances):.4f}")


if __name__ == "__main__":
    cyclopts.run(main)
