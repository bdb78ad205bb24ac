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
from torch.nn import functional

from sabacc_env.agent import sample
from sabacc_training.outlook import NEAR, saved_layers


class Outlook(BaseFeaturesExtractor):
    """The features that can vary, and three views of each total t that a card action leaves.

    These are |t| / 5, max(0, 1 - |t|) and max(0, 1 - |t| / 4), each for all totals in turn.
    """

    def __init__(
        self, observation_space: spaces.Box, columns: NDArray[np.int64], totals: NDArray[np.float32]
    ) -> None:
        super().__init__(observation_space, features_dim=len(columns) + 3 * totals.shape[1])
        self.register_buffer("columns", torch.as_tensor(columns))
        self.register_buffer("totals", torch.as_tensor(totals))

    def forward(self, observations: Tensor) -> Tensor:
        """Return (n, features_dim) of (n, OBSERVATION_SIZE)."""
        shown = observations.index_select(1, self.get_buffer("columns"))
        away = (observations @ self.get_buffer("totals")).abs()
        zero, near = functional.relu(1 - away), functional.relu(1 - away / NEAR)
        return torch.cat([shown, away / 5, zero, near], dim=1)


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
    layers = [(layer.weight.detach(), layer.bias.detach()) for layer in linear]
    outlook = actor.features
    columns, totals = outlook.get_buffer("columns"), outlook.get_buffer("totals")
    return saved_layers(columns.numpy(), totals.numpy(), layers)
