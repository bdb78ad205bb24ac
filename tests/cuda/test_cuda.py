"""Tables on a GPU do what tables of the CPU do, as far as it can be seen without one, and with one.

Numba's simulator is chosen when Numba is imported, and compiling for a GPU that is not there
changes Numba: both run in processes of their own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import cuda
from sabacc_training.bench.gpu_comparison import compare_devices

from sabacc_env import SabaccError, Tables
from sabacc_env.policies import random_legal

ROOT = Path(__file__).parents[2]
GPU = cuda.is_available()

KERNELS = {
    *("begin_episodes", "step_tables", "play_tables"),
    *("write_turns_with_rules", "write_final_observations"),
    *("first_illegal", "first_start_without_decision", "first_stopped", "first_without_result"),
    *("write_outcomes", "assign", "clear", "move_rows"),
}
FLOATS = {
    *("abs", "add", "cvt", "div.rn", "ld", "max", "min", "mov", "mul", "neg", "rcp.rn"),
    *("selp", "setp", "st", "sub"),
}
"""What may be done with floats: each gives one result, the same everywhere."""


NUMBA_CUDAS_OWN = (  # 0.30, when it is imported beside NumPy 2.5
    "ignore:The 'generic' unit for NumPy timedelta is deprecated:DeprecationWarning:"
    "numba.cuda.np.npdatetime_helpers"
)


def output_of(*command: str, **variables: str) -> str:
    """Return what Python prints, run in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", NUMBA_CUDAS_OWN, *command],
        cwd=ROOT,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("marked", ["not slow", "slow"])
def test_in_the_simulator(marked: str) -> None:
    tests = ["-m", "pytest", "-n0", "-q", "tests/cuda/in_simulator.py", "-m", marked]
    assert " passed" in output_of(*tests, NUMBA_ENABLE_CUDASIM="1")


def test_where_nothing_can_be_used_it_is_said() -> None:
    with pytest.raises(SabaccError, match="unknown device 'gpu'"):
        Tables("casino", 1, device="gpu")
    if not GPU:
        with pytest.raises(SabaccError, match="no usable CUDA GPU was found; it needs a GPU"):
            Tables("casino", 1, device="cuda")


@pytest.fixture(scope="session")
def machine_code(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every kernel's PTX for compute capability 9.0, by its name."""
    folder = tmp_path_factory.mktemp("ptx")
    output_of("-m", "tests.support.gpu_code", str(folder))
    return {file.stem: file.read_text() for file in folder.glob("*.ptx")}


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("numba_cuda") is None, reason='compiling for a GPU needs the extra "cuda"'
)
def test_no_bit_can_differ_in_machine_code(machine_code: dict[str, str]) -> None:
    assert set(machine_code) == KERNELS
    for name, code in machine_code.items():
        floats = re.findall(r"\b([a-z]+)((?:\.\w+)*\.f(?:32|64)\S*)", code)
        used = {
            f"{kind}.rn" if ".rn" in rest and kind in ("div", "rcp") else kind
            for kind, rest in floats
        }
        assert used <= FLOATS, f"{name}: {used - FLOATS}"
        assert ".extern .func" not in code, name
        # A compiler could fuse a product and a sum into one operation, which rounds only once. Each
        # function numbers its registers by itself.
        for function in re.split(r"\.(?:func|entry)\b", code):
            products = set(re.findall(r"mul(?:\.\w+)*\.f(?:32|64)\s+(%\w+)", function))
            for added in re.findall(r"(?:add|sub)(?:\.\w+)*\.f(?:32|64)\s+%\w+, (.+);", function):
                assert products.isdisjoint(added.split(", ")), f"{name}: adds a product"
    assert "rcp.rn.f64" in machine_code["step_tables"]  # the features that are ratios


@pytest.mark.skipif(not GPU, reason="there is no CUDA GPU here")
def test_a_gpu_plays_the_same_hands() -> None:
    assert sum(compare_devices("cuda", 1000, 100)) > 40 * 1000 * 100


@pytest.mark.skipif(not GPU, reason="there is no CUDA GPU here")
def test_torch_shares_the_arrays() -> None:
    torch = pytest.importorskip("torch")
    tables = Tables("casino", 100, 2, seed=1, device="cuda")
    shared: Any = tables.observations
    observations = torch.as_tensor(shared, device="cuda")
    masks = torch.as_tensor(tables.action_masks, device="cuda")
    assert observations.data_ptr() == shared.__cuda_array_interface__["data"][0]
    like = Tables("casino", 100, 2, seed=1)
    for _ in range(20):
        actions = masks.int().argmax(dim=1)
        tables.step(actions)
        like.step(actions.cpu().numpy())
    assert observations.cpu().numpy().tobytes() == like.observations.tobytes()
    tables.play(random_legal, 20)
    like.play(random_legal, 20)
    assert np.array_equal(masks.cpu().numpy(), like.action_masks)
