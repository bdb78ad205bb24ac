"""The policy that is trained: its inputs, and how it plays as an opponent or when saved."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sabacc_agents.networks.features import FeatureExtractor
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from sabacc_env.agent import sample


class Features(BaseFeaturesExtractor):
    """The inputs of the networks, by our feature extractor."""

    def __init__(self, observation_space: spaces.Box, extractor: FeatureExtractor) -> None:
        super().__init__(observation_space, features_dim=extractor.size)
        self.extractor = extractor

    def forward(self, observations: Tensor) -> Tensor:
        """Return (n, features_dim) of (n, OBSERVATION_SIZE)."""
        return torch.from_numpy(self.extractor.extract(observations.numpy()))


class Actor(nn.Module):
    """The actor of an SB3 policy. It shares its parameters, so it is always up to date."""

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        super().__init__()
        features, logits = policy.features_extractor, policy.action_net
        assert isinstance(features, Features)
        assert isinstance(logits, nn.Linear)
        self.features: Features = features
        self.hidden: nn.Sequential = policy.mlp_extractor.policy_net
        self.logits: nn.Linear = logits

    def forward(self, observations: Tensor) -> Tensor:
        """Return logits, (n, num_actions)."""
        logits: Tensor = self.logits(self.hidden(self.features(observations)))
        return logits


class ActorAgent:
    """Plays an actor: samples from a masked softmax over its logits."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor

    def reset(self, num_tables: int) -> None:
        """Do nothing: the agent has no memory."""

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Sample a legal action for each row."""
        with torch.inference_mode():
            logits = self.actor(torch.from_numpy(observations))
            logits.masked_fill_(torch.from_numpy(action_masks) == 0, -torch.inf)
            probabilities = torch.softmax(logits, dim=1).numpy()
        return sample(probabilities, rng)

    def frozen(self) -> ActorAgent:
        """Return a copy that no longer learns."""
        return ActorAgent(deepcopy(self.actor).requires_grad_(False))

    def state(self) -> dict[str, Tensor]:
        """Return its weights, for ``restore``."""
        state: dict[str, Tensor] = self.actor.state_dict()
        return state

    def restore(self, state: dict[str, Tensor]) -> None:
        """Play by the weights of a ``state``."""
        self.actor.load_state_dict(state)
