"""Learning on a GPU: what is no matrix product as PyTorch's operations, and tables there too."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.networks.features import NEAR, Outlook
from torch import Tensor

from sabacc_env.tables import Tables
from sabacc_training.ppo.kernels import Objective
from sabacc_training.ppo.mlp import Made
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.rollout_buffer import Ints, Rows
from sabacc_training.ppo.threads import Workers

CHANGING: Final = ("seats_to_act", "finished", "net_credits")
"""What every step changes, read of all tables."""


class Gpu:
    """All rows at once; the verbs are those of ``Processors``, which says what each means.

    Args:
        made: where matrices are multiplied, and in what precision.
    """

    def __init__(self, made: Made) -> None:
        self.made = made
        self.workers = Workers(1)

    def readable(self, tables: Tables) -> Tables:
        """Return tables of which what is read is copied to this machine's memory."""
        return cast(Tables, Fetched(tables))

    def look(self, inputs: Inputs, tables: Tables, which: Ints, rows: Rows) -> None:
        """Write what is shown, and what is legal, at some tables where a seat is to act."""
        here = torch.from_numpy(which).to(self.made.device)
        policy = outlook_on(shared(tables.observations)[here], inputs.outlook)
        hidden = [shared(part) for part in inputs.hidden(tables, which)]
        rows.shown.copy_(torch.cat([policy, *hidden], dim=1))
        masks = shared(tables.action_masks)[here].long()
        rows.legal.copy_((masks << _actions(masks)).sum(dim=1))

    def log_softmax(self, logits: Tensor, legal: Tensor) -> None:
        """Make logits the logarithms of the probabilities of legal actions; 0 for the others."""
        illegal = ~_allowed(logits, legal)
        logs = logits.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
        logits.copy_(logs.masked_fill_(illegal, 0))

    def draw(self, logs: Tensor, uniforms: Tensor, rows: Rows) -> None:
        """Draw a legal action for each row, by a number from 0 to 1, and note its logarithm."""
        allowed = _allowed(logs, rows.legal)
        reached = ((logs.exp() * allowed).cumsum(dim=1) > uniforms[:, None]) & allowed
        last = (allowed * _actions(logs)).argmax(dim=1)  # rounding may leave a little after it
        first = reached.int().argmax(dim=1)
        rows.actions.copy_(torch.where(reached.any(dim=1), first, last))
        rows.log_chances.copy_(_at(logs, rows.actions))

    def policy_slopes(
        self,
        logs: Tensor,
        rows: Rows,
        gains: Tensor,
        magnet: Tensor,
        objective: Objective,
        share: float,
        sums: Tensor,
    ) -> Tensor:
        """Return the gradient of the loss by the logits, and add up what is reported."""
        chances = logs.exp() * _allowed(logs, rows.legal)
        moved = _at(logs, rows.actions) - rows.log_chances
        ratio = moved.exp()
        clipped = (gains > 0) & (ratio > 1 + objective.clip)
        clipped |= (gains < 0) & (ratio < 1 - objective.clip)
        push = (ratio * gains).masked_fill(clipped, 0)
        spread = -(chances * logs).sum(dim=1)
        slopes = chances * (push[:, None] + objective.entropy * (logs + spread[:, None]))
        away = torch.zeros_like(spread)
        if len(magnet):
            apart = logs - magnet
            away = (chances * apart).sum(dim=1)
            slopes += objective.kl * chances * (apart - away[:, None])
        slopes.scatter_add_(1, rows.actions[:, None], -push[:, None])
        sums += torch.stack([part.sum() for part in (spread, away, clipped, ratio - 1 - moved)])
        return slopes.mul_(share)


def _actions(like: Tensor) -> Tensor:
    """Return the numbers of all actions, (num_actions,)."""
    return torch.arange(like.shape[1], device=like.device)


def _allowed(like: Tensor, legal: Tensor) -> Tensor:
    """Return which actions are legal, (n, num_actions), of bits."""
    return (legal[:, None] >> _actions(like) & 1).bool()


def _at(logs: Tensor, actions: Tensor) -> Tensor:
    """Return the logarithm of one action in each row, (n,)."""
    return logs.gather(1, actions[:, None])[:, 0]


def outlook_on(observations: Tensor, outlook: Outlook) -> Tensor:
    """Return what ``outlook.shown`` returns, of observations on a GPU."""
    columns, terms, factors = _of_outlook(outlook, observations.device)
    away = sum(observations[:, terms[:, term]] * factors[:, term] for term in range(terms.shape[1]))
    away = torch.as_tensor(away).abs()
    near = [(1 - away / width).clamp(min=0) for width in (1, NEAR)]
    return torch.cat([observations[:, columns], away / 5, *near], dim=1)


@cache
def _of_outlook(outlook: Outlook, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Return its columns, terms and factors on a device: they are asked for at every step."""
    parts = outlook.columns, outlook.terms, outlook.factors
    columns, terms, factors = (torch.from_numpy(part).to(device) for part in parts)
    return columns, terms, factors


# Tables on a GPU.


class Fetched:
    """Tables on a GPU as agents on the processors read them: what is read is a copy."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.observations = _Rows(shared(tables.observations))
        self.action_masks = _Rows(shared(tables.action_masks))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._tables, name)
        return shared(value).cpu().numpy() if name in CHANGING else value


class _Rows:
    """An array of which some rows are read at a time."""

    def __init__(self, array: Tensor) -> None:
        self._array = array

    def __getitem__(self, which: Ints) -> NDArray[Any]:
        return np.asarray(self._array[torch.from_numpy(which).to(self._array.device)].cpu())


def shared(array: Any) -> Tensor:
    """Return an array of tables on a GPU as a tensor in the same memory."""
    return torch.as_tensor(array, device="cuda")
