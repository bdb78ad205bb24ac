"""The losses of PPO: the policy's, with what regularises it, and the critic's."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from sabacc_training.ppo.networks import masked_log_probs, masked_probs


class PolicyLoss(NamedTuple):
    """The loss of the policy with its parts, and two diagnostics: means over decisions.

    Attributes:
        loss: the loss that gradient descent minimises; the others are detached.
        policy_gradient_loss: PPO's clipped surrogate loss.
        entropy_loss: the negative entropy of the policy.
        log_barrier: the mean negative log probability of the legal actions.
        kl_to_magnet: the KL divergence of the policy from the magnet; 0 without a magnet.
        clip_fraction: the share of decisions whose ratio is outside the clip range.
        approx_kl: the KL divergence of the policy from the one that played, estimated from the
            actions that were played (http://joschu.net/blog/kl-approx.html).
    """

    loss: Tensor
    policy_gradient_loss: Tensor
    entropy_loss: Tensor
    log_barrier: Tensor
    kl_to_magnet: Tensor
    clip_fraction: Tensor
    approx_kl: Tensor


def policy_loss(
    logits: Tensor,
    action_masks: Tensor,
    actions: Tensor,
    old_log_probs: Tensor,
    advantages: Tensor,
    magnet_log_probs: Tensor | None,
    *,
    clip_range: float,
    ent_coef: float,
    log_barrier_coef: float,
    kl_coef: float,
) -> PolicyLoss:
    """Return PPO's clipped loss, less an entropy bonus, plus a log barrier and a KL term.

    With neither of the last two this is the loss of PPO.

    The gradients of the surrogate and of the entropy vanish with an action's probability, so an
    action that was given up stays given up. That of the log barrier does not (Agarwal et al. 2021,
    "On the Theory of Policy Gradient Methods").

    The magnet is that of magnetic mirror descent (Sokota et al. 2023): the policy that the KL term
    pulls towards. With the moving average of the policies as the magnet (EMAgnet, arXiv
    2606.23995), self-play converges where plain PPO cycles.

    Args:
        logits: (n, actions) the policy's outputs.
        action_masks: (n, actions) bool, the legal actions.
        actions: (n,) the actions that were played.
        old_log_probs: (n,) log probabilities of these actions by the policy that played them.
        advantages: (n,) normalised advantages.
        magnet_log_probs: (n, actions) the magnet's log probabilities; None without a magnet.
        clip_range: how far the probability ratio may move from 1.
        ent_coef: weight of the entropy over the legal actions.
        log_barrier_coef: weight of the mean negative log probability of the legal actions.
        kl_coef: weight of the KL divergence over the legal actions.
    """
    log_probs = masked_log_probs(logits, action_masks)
    probs = masked_probs(log_probs, action_masks)

    log_ratio = log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs
    ratio = log_ratio.exp()
    clipped_ratio = ratio.clamp(1 - clip_range, 1 + clip_range)
    policy_gradient_loss = -torch.min(ratio * advantages, clipped_ratio * advantages).mean()

    entropy_loss = (probs * log_probs).sum(dim=1).mean()
    log_barrier = -(log_probs.sum(dim=1) / action_masks.sum(dim=1)).mean()
    loss = policy_gradient_loss + ent_coef * entropy_loss + log_barrier_coef * log_barrier
    kl_to_magnet = torch.zeros_like(loss)
    if magnet_log_probs is not None:
        kl_to_magnet = (probs * (log_probs - magnet_log_probs)).sum(dim=1).mean()
        loss = loss + kl_coef * kl_to_magnet

    return PolicyLoss(
        loss=loss,
        policy_gradient_loss=policy_gradient_loss.detach(),
        entropy_loss=entropy_loss.detach(),
        log_barrier=log_barrier.detach(),
        kl_to_magnet=kl_to_magnet.detach(),
        clip_fraction=((ratio - 1).abs() > clip_range).float().mean(),
        approx_kl=(ratio - 1 - log_ratio).detach().mean(),
    )


def value_loss(values: Tensor, returns: Tensor) -> Tensor:
    """Return the mean squared error of a critic's values, (n,)."""
    return (values - returns).square().mean()
