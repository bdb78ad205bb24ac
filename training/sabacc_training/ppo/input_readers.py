"""Reading the inputs of the networks from the tables, on the CPU and on a GPU.

Networks, losses and gradients are the same code on both. Only the way from the tables' arrays to
tensors differs.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sabacc_agents.networks.features import NEAR, FeatureExtractor
from torch import Tensor

from sabacc_env.array_types import Floats, Ints
from sabacc_env.tables import Tables
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.network_inputs import NetworkInputs
from sabacc_training.ppo.rollout_buffer import Decisions
from sabacc_training.ppo.threads import Workers


class CpuInputReader:
    """Reads tables on the CPU.

    Args:
        workers: the threads that share the work.
    """

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._scratch = np.zeros((0, 0), np.float32)

    def host_tables(self, tables: Tables) -> Tables:
        """Return tables whose arrays NumPy can read."""
        return tables

    def write_inputs(
        self,
        inputs: NetworkInputs,
        tables: Tables,
        indices: Ints,
        recalled: Floats,
        out: Decisions,
    ) -> None:
        """Write the inputs and masks of the seats to act at some tables; see ``NetworkInputs``."""
        if self._scratch.shape != (tables.num_tables, inputs.size):
            self._scratch = np.zeros((tables.num_tables, inputs.size), np.float32)

        def write(rows: slice) -> None:
            scratch = self._scratch[rows]
            inputs.write(tables, indices[rows], recalled[rows], scratch)
            out.inputs[rows].copy_(torch.from_numpy(scratch))
            masks = torch.from_numpy(tables.action_masks[indices[rows]])
            out.action_masks[rows].copy_(masks)

        self._workers.parallel_for(len(indices), write)


class GpuInputReader:
    """Reads tables on a GPU, where the networks are too."""

    def __init__(self, device: str) -> None:
        self._device = device

    def host_tables(self, tables: Tables) -> Tables:
        """Return tables whose arrays NumPy can read: copies in this machine's memory."""
        return cast(Tables, HostTables(tables))

    def write_inputs(
        self,
        inputs: NetworkInputs,
        tables: Tables,
        indices: Ints,
        recalled: Floats,
        out: Decisions,
    ) -> None:
        """Write the inputs and masks of the seats to act at some tables; see ``NetworkInputs``."""
        rows = torch.from_numpy(indices).to(self._device)
        features = extract_on_gpu(shared(tables.flat_observations)[rows], inputs.extractor)
        privileged = [shared(part) for part in inputs.privileged(tables, indices)]
        remembered = torch.from_numpy(recalled).to(self._device)
        out.inputs.copy_(torch.cat([features, remembered, *privileged], dim=1))
        out.action_masks.copy_(shared(tables.action_masks)[rows])


InputReader = CpuInputReader | GpuInputReader


def make_input_reader(compute: Compute, workers: Workers) -> InputReader:
    """Return the reader of tables on a device.

    Args:
        compute: the device.
        workers: the threads that share the work on the CPU.
    """
    return CpuInputReader(workers) if compute.device == "cpu" else GpuInputReader(compute.device)


def extract_on_gpu(observations: Tensor, extractor: FeatureExtractor) -> Tensor:
    """Return what ``extractor.extract`` returns, of observations on a GPU."""
    columns, terms, factors = _extractor_tensors(extractor, observations.device)
    totals = sum(observations[:, terms[:, k]] * factors[:, k] for k in range(terms.shape[1]))
    distances = torch.as_tensor(totals).abs()
    near = [(1 - distances / width).clamp(min=0) for width in (1, NEAR)]
    return torch.cat([observations[:, columns], distances / 5, *near], dim=1)


@cache
def _extractor_tensors(
    extractor: FeatureExtractor, device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Return an extractor's columns, terms and factors on a device, copied once."""
    parts = extractor.columns, extractor.terms, extractor.factors
    columns, terms, factors = (torch.from_numpy(part).to(device) for part in parts)
    return columns, terms, factors


READ_WHOLE: Final = ("seats_to_act", "finished", "net_credits")
"""The arrays that are copied whole: every step changes them at all tables."""


class HostTables:
    """Tables on a GPU as agents on the CPU read them: each array that is read is a copy."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.flat_observations = _HostRows(shared(tables.flat_observations))
        self.action_masks = _HostRows(shared(tables.action_masks))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._tables, name)
        return shared(value).cpu().numpy() if name in READ_WHOLE else value


class _HostRows:
    """An array on a GPU; an index copies the rows that it selects."""

    def __init__(self, array: Tensor) -> None:
        self._array = array

    def __getitem__(self, rows: Ints) -> NDArray[Any]:
        return np.asarray(self._array[torch.from_numpy(rows).to(self._array.device)].cpu())


def shared(array: Any) -> Tensor:
    """Return an array of tables on a GPU as a tensor in the same memory."""
    return torch.as_tensor(array, device="cuda")
