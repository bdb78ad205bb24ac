"""The policy that is trained: what it looks at, and how it plays as an opponent or when saved."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from sabacc_env.agent import sample
from sabacc_env.observation import OBSERVATION_SIZE, blocks

def varying_columns(num_players: int) -> NDArray[np.int64]:
    """Return the indices of the features that can vary within one training run.

    The rule description and the opponents that are not there stay the same throughout, and are
    almost half of what would have to be multiplied.
    """
    indices = blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32))
    constant = (indices.rules, indices.opponents[num_players - 1 :])
    gone = np.concatenate([part.ravel() for part in constant]).astype(np.int64)
    return np.setdiff1d(np.arange(OBSERVATION_SIZE), gone)


class Columns(BaseFeaturesExtractor):
    """Looks at some features only."""

    def __init__(self, observation_space: spaces.Box, columns: NDArray[np.int64]) -> None:
        super().__init__(observation_space, features_dim=len(columns))
        self.register_buffer("columns", torch.as_tensor(columns))

    def forward(self, observations: Tensor) -> Tensor:
        """Return these columns of (n, OBSERVATION_SIZE)."""
        return observations.index_select(1, self.get_buffer("columns"))


class Actor(nn.Module):
    """The policy half of an SB3 policy: shares its parameters, so that it is always up to date."""

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        super().__init__()
        self.features = policy.features_extractor
        self.hidden = policy.mlp_extractor.policy_net
        self.logits = policy.action_net

    def forward(self, observations: Tensor) -> Tensor:
        """Return logits, (n, num_actions)."""
        logits: Tensor = self.logits(self.hidden(self.features(observations)))
        return logits


class PolicyAgent:
    """Plays an actor: a masked softmax over its logits, sampled."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor

    def reset(self, num_tables: int) -> None:
        """Remember nothing."""

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Draw a legal action for each row."""
        with torch.inference_mode():
            logits = self.actor(torch.from_numpy(observations))
            logits.masked_fill_(torch.from_numpy(action_masks) == 0, -torch.inf)
            probabilities = torch.softmax(logits, dim=1).numpy()
        return sample(probabilities, rng)

    def frozen(self) -> PolicyAgent:
        """Return a copy that no longer learns."""
        return PolicyAgent(deepcopy(self.actor).requires_grad_(False))


def network_weights(actor: Actor) -> dict[str, Tensor]:
    """Return an actor's layers as ``sabacc_agents.save_network`` takes them.

    The first layer gets weights of zero for the features that the actor does not look at.
    """
    layers = [layer for layer in actor.hidden if isinstance(layer, nn.Linear)] + [actor.logits]
    weights = {}
    for index, layer in enumerate(layers):
        weights[f"layers.{index}.weight"] = layer.weight.detach()
        weights[f"layers.{index}.bias"] = layer.bias.detach()
    first = layers[0].weight.new_zeros(layers[0].out_features, OBSERVATION_SIZE)
    first[:, actor.features.get_buffer("columns")] = weights["layers.0.weight"]
    return weights | {"layers.0.weight": first}
