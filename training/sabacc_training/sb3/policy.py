"""The policy that is trained: what it looks at, and how it plays as an opponent or when saved."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sabacc_agents.networks.features import Outlook
from sabacc_agents.networks.network import named_layers
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from sabacc_env.agent import sample


class Shown(BaseFeaturesExtractor):
    """What the networks are shown of an observation: an outlook."""

    def __init__(self, observation_space: spaces.Box, outlook: Outlook) -> None:
        super().__init__(observation_space, features_dim=outlook.size)
        self.outlook = outlook

    def forward(self, observations: Tensor) -> Tensor:
        """Return (n, features_dim) of (n, OBSERVATION_SIZE)."""
        return torch.from_numpy(self.outlook.shown(observations.numpy()))


class Actor(nn.Module):
    """The policy half of an SB3 policy: shares its parameters, so that it is always up to date."""

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        super().__init__()
        shown, logits = policy.features_extractor, policy.action_net
        assert isinstance(shown, Shown)
        assert isinstance(logits, nn.Linear)
        self.shown: Shown = shown
        self.hidden: nn.Sequential = policy.mlp_extractor.policy_net
        self.logits: nn.Linear = logits

    def forward(self, observations: Tensor) -> Tensor:
        """Return logits, (n, num_actions)."""
        logits: Tensor = self.logits(self.hidden(self.shown(observations)))
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

    def state(self) -> dict[str, Tensor]:
        """Return what it plays by, for ``restore``."""
        state: dict[str, Tensor] = self.actor.state_dict()
        return state

    def restore(self, state: dict[str, Tensor]) -> None:
        """Play by a ``state``."""
        self.actor.load_state_dict(state)


def network_weights(actor: Actor) -> dict[str, Tensor]:
    """Return an actor's layers as ``sabacc_agents.save_network`` takes them."""
    linear = [layer for layer in actor.hidden if isinstance(layer, nn.Linear)] + [actor.logits]
    return named_layers((layer.weight.detach(), layer.bias.detach()) for layer in linear)
