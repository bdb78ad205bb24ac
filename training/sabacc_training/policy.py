"""The policy that is trained: what it looks at, and how it plays as an opponent or when saved."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import Tensor, nn

from sabacc_env.agent import sample
from sabacc_training.outlook import Outlook


class Actor(nn.Module):
    """The policy half of an SB3 policy: shares its parameters, so that it is always up to date."""

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        super().__init__()
        features, logits = policy.features_extractor, policy.action_net
        assert isinstance(features, Outlook)
        assert isinstance(logits, nn.Linear)
        self.features: Outlook = features
        self.hidden: nn.Sequential = policy.mlp_extractor.policy_net
        self.logits: nn.Linear = logits

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

    The outlook is a first layer of its own; what mixes its outputs goes into the layer after.
    """
    linear = [layer for layer in actor.hidden if isinstance(layer, nn.Linear)] + [actor.logits]
    weight, bias, mix = actor.features.as_layers()
    layers = [(weight, bias), *((layer.weight.detach(), layer.bias.detach()) for layer in linear)]
    layers[1] = (layers[1][0] @ mix, layers[1][1])
    named = {}
    for index, (weight, bias) in enumerate(layers):
        named[f"layers.{index}.weight"] = weight
        named[f"layers.{index}.bias"] = bias
    return named
