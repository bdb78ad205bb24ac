"""Writes the PTX code of every GPU kernel, without a GPU.

``python -m tests.support.gpu_code FOLDER`` writes it to a folder, which takes minutes. A device
plays tables on the CPU. Before each call it compiles the kernel that a GPU would start with the
same arguments, for compute capability 9.0.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numba
import numpy as np
from numba.cuda.compiler import compile_ptx

from sabacc_env import Tables
from sabacc_env.engine.drivers import cuda
from sabacc_env.policies import always_raise, random_legal
from sabacc_env.tables.cpu import Cpu

CAPABILITY = (9, 0)


class CompilingDevice(Cpu):
    """A CPU device that also compiles the GPU kernels and writes them to a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(threads=1)
        self.folder = folder

    def write_ptx(self, name: str, kernel: Any, *arguments: Any) -> None:
        file = self.folder / f"{name}.ptx"
        if not file.exists():
            types = tuple(map(numba.typeof, arguments))
            code, _ = compile_ptx(kernel.py_func, types, cc=CAPABILITY)
            file.write_text(code)
            print(name, flush=True)

    def run(self, function: Any, batches: Any, *arrays: Any) -> None:
        kernel = cuda.kernel_for(cuda.device_code(function), len(arrays))
        self.write_ptx(function.__name__, kernel, batches, arrays)
        super().run(function, batches, *arrays)

    def find_first(self, function: Any, batches: Any, *arrays: Any) -> int:
        kernel = cuda.first_kernel_for(cuda.device_code(function), len(arrays))
        self.write_ptx(function.__name__, kernel, batches, arrays, np.zeros(1, dtype=np.int64))
        return super().find_first(function, batches, *arrays)

    def play(self, policies: Any, batches: Any, settings: Any, which: Any) -> None:
        kernel = cuda.kernel_for(cuda.play_tables_by(policies), 1)
        of_seats = cuda.policy_indices(policies, policies)
        arguments = (*batches, of_seats, *settings), (which,)
        self.write_ptx("play_tables", kernel, *arguments)
        super().run(lambda *_: None, batches, which)


def write_all(folder: Path) -> None:
    """Write every kernel that ``Tables`` starts."""
    device = CompilingDevice(folder)
    with patch("sabacc_env.tables.tables.get_device", lambda name, threads: device):
        tables = Tables("casino", num_tables=2, num_players=2, packed=True)
    tables.step([0, 0])
    tables.play([random_legal, always_raise], 1)
    tables._results.final_games["num_players"] = 2  # as if a hand had ended: nothing is played here
    tables.final_observations([0], [1])
    tables.final_outcomes([0])
    tables.clone_from(tables, [0], [1])
    words = np.zeros((1, 1), dtype=np.int64)
    device.write_ptx("assign", cuda.assign, np.zeros(1, dtype=np.int32), words[0])
    device.write_ptx("clear", cuda.clear, words[0])
    device.write_ptx("move_rows", cuda.move_rows, words, words[0], words, words[0])


if __name__ == "__main__":
    # Numba asks which GPU is there whenever it compiles a function that a kernel calls.
    gpu = SimpleNamespace(compute_capability=CAPABILITY)
    with patch("numba.cuda.dispatcher.get_current_device", lambda: gpu):
        write_all(Path(sys.argv[1]))
