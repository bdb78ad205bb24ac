"""The policy as an agent: the current one, snapshots of it, and the average that is saved."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.networks.recall import HandMemory, RemembersHands
from torch import Tensor, nn

from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.network_inputs import NetworkInputs
from sabacc_training.ppo.networks import (
    forward_in_chunks,
    masked_log_probs,
    masked_probs,
    sample_actions,
)
from sabacc_training.ppo.rollout_buffer import Decisions
from sabacc_training.ppo.threads import Workers


class PolicyAgent(RemembersHands):
    """Plays a network: samples from a masked softmax over its logits.

    Args:
        network: gives a logit for each action.
        inputs: computes what it sees.
        compute: where it runs.
        workers: the threads that share the work.
    """

    def __init__(
        self, network: nn.Sequential, inputs: NetworkInputs, compute: Compute, workers: Workers
    ) -> None:
        self.network = network
        self._inputs = inputs
        self._compute = compute
        self._workers = workers
        self.reset(0)

    def reset(self, num_tables: int) -> None:
        """Start a hand at each of so many tables."""
        self._memory = HandMemory(self._inputs.recalled_decisions, num_tables)

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Sample a legal action for each row."""
        rows = np.arange(len(observations))
        recalled = self._memory.recall(observations, rows, rows if tables is None else tables)
        inputs, masks = self._tensors(observations, recalled, action_masks)
        actions, _ = self.sample(inputs, masks, rng)
        return actions.cpu().numpy()

    def probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distribution that it samples from, (n, num_actions); 0 for illegal actions.

        Each is for the first decision of a hand, if the policy recalls earlier ones.
        """
        recalled = np.zeros((len(observations), self._inputs.recalled_size), np.float32)
        inputs, masks = self._tensors(observations, recalled, action_masks)
        probs = masked_probs(self.log_probs(inputs, masks).double(), masks)
        return (probs / probs.sum(dim=1, keepdim=True)).cpu().numpy()

    def _tensors(
        self,
        observations: NDArray[np.float32],
        recalled: NDArray[np.float32],
        action_masks: NDArray[np.int8],
    ) -> tuple[Tensor, Tensor]:
        """Return the network's inputs and bool masks."""
        seen = self._inputs.extractor.extract(observations)
        inputs = torch.from_numpy(np.concatenate([seen, recalled], axis=1))
        masks = torch.from_numpy(np.ascontiguousarray(action_masks)) != 0
        device = self._compute.device
        return inputs.to(device, self._compute.dtype), masks.to(device)

    def log_probs(self, inputs: Tensor, action_masks: Tensor) -> Tensor:
        """Return the log probabilities of legal actions, (n, num_actions); 0 for the others.

        Args:
            inputs: (n, at least ``policy_size``) inputs of the networks, the policy's first.
            action_masks: (n, num_actions) bool.
        """
        inputs = inputs[:, : self._inputs.policy_size]
        logits = forward_in_chunks(self.network, inputs, self._compute, self._workers)
        return masked_log_probs(logits, action_masks)

    def sample(
        self, inputs: Tensor, action_masks: Tensor, rng: np.random.Generator
    ) -> tuple[Tensor, Tensor]:
        """Sample actions; return them and their log probabilities, (n,) each.

        Args:
            inputs: as in ``log_probs``.
            action_masks: likewise.
            rng: decides, by one number for each row.
        """
        log_probs = self.log_probs(inputs, action_masks)
        uniforms = torch.from_numpy(rng.random(len(inputs), np.float32)).to(log_probs.device)
        actions = sample_actions(masked_probs(log_probs, action_masks), uniforms)
        return actions, log_probs.gather(1, actions[:, None])[:, 0]

    def decide(self, decisions: Decisions, rng: np.random.Generator) -> None:
        """Write actions and log probabilities of decisions whose inputs and masks are there."""
        actions, log_probs = self.sample(decisions.inputs, decisions.action_masks, rng)
        decisions.actions.copy_(actions)
        decisions.log_probs.copy_(log_probs)

    def frozen(self) -> PolicyAgent:
        """Return a copy that no longer learns."""
        network = deepcopy(self.network).requires_grad_(False)
        return PolicyAgent(network, self._inputs, self._compute, self._workers)

    def with_own_memory(self) -> PolicyAgent:
        """Return an agent of the same network, which learns on, for other tables."""
        return PolicyAgent(self.network, self._inputs, self._compute, self._workers)

    def greedy(self) -> GreedyPolicyAgent:
        """Return an agent of the same network that plays its most probable action."""
        return GreedyPolicyAgent(self.network, self._inputs, self._compute, self._workers)

    def state(self) -> dict[str, Tensor]:
        """Return its weights, for ``restore``."""
        return dict(self.network.state_dict())

    def restore(self, state: dict[str, Tensor]) -> None:
        """Play by the weights of a ``state``."""
        self.network.load_state_dict(state)


class GreedyPolicyAgent(PolicyAgent):
    """Plays the most probable legal action of a network."""

    def log_probs(self, inputs: Tensor, action_masks: Tensor) -> Tensor:
        """Return 0 for the most probable legal action, and for illegal ones as ``PolicyAgent``."""
        log_probs = super().log_probs(inputs, action_masks)
        best = masked_probs(log_probs, action_masks).argmax(dim=1, keepdim=True)
        greedy = torch.full_like(log_probs, -torch.inf).scatter_(1, best, 0.0)
        return greedy.where(action_masks, 0.0)
