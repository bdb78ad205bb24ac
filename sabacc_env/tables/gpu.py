"""Tables on a GPU: their arrays stay there, and a thread plays each table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numba import cuda
from numba.cuda.cudadrv.driver import CudaAPIError
from numpy.typing import NDArray

from sabacc_env.arguments import check_array
from sabacc_env.engine.drivers import cuda as kernels
from sabacc_env.engine.drivers.policy_code import Policy
from sabacc_env.errors import SabaccError, how_to_install

DECISIONS_PER_CHUNK: Final = 2**24
"""Decisions that are played before Ctrl-C is heard."""


class Cuda:
    """Tables in arrays of the GPU that is current for this process; the verbs are those of ``Cpu``.

    The arrays have ``__cuda_array_interface__``: torch and others share their memory. All work
    goes through the default stream, in order.

    Raises:
        SabaccError: where no GPU can be used.
    """

    name = "cuda"
    threads = 1
    arrays_only = True

    def __init__(self) -> None:
        if not cuda.is_available():
            raise SabaccError(
                "device: no usable CUDA GPU was found; it needs a GPU with its driver, and the "
                f"extra cuda; {how_to_install('cuda')}"
            )
        self._ready: dict[Any, Any] = {}

    # Arrays.

    def to_device(self, array: NDArray[Any]) -> Any:
        """Return an array of the GPU with what this one of the host holds.

        Raises:
            MemoryError: where the GPU has too little.
        """
        try:
            return cuda.to_device(array)
        except CudaAPIError as error:
            raise MemoryError from error

    def to_host(self, array: Any) -> NDArray[Any]:
        """Return an array of the host with what this one holds."""
        array = self.as_given("array", array)
        return array if isinstance(array, np.ndarray) else array.copy_to_host()

    def as_given(self, name: str, values: Any) -> Any:
        """Return what a user gave as an array, of the GPU if it was there; refuse what is none."""
        if hasattr(values, "copy_to_host"):  # one of ours
            return values
        if hasattr(values, "__cuda_array_interface__"):
            return cuda.as_cuda_array(values)
        return check_array(name, values)

    def as_int64(self, array: Any) -> Any:
        """Return an array of whole numbers as int64 on the GPU."""
        if isinstance(array, np.ndarray):
            return self.to_device(np.ascontiguousarray(array, dtype=np.int64))
        if array.dtype == np.int64 and array.is_c_contiguous():
            return array
        numbers = cuda.device_array(array.shape, dtype=np.int64)
        self._launch(kernels.assign, len(numbers), array, numbers)
        return numbers

    def clear(self, array: Any) -> None:
        """Set all of an array to zero."""
        flat = array.ravel()
        self._launch(kernels.clear, len(flat), flat)

    def write(self, array: Any, values: NDArray[Any]) -> None:
        """Copy an array of the host into one of the GPU."""
        array.copy_to_device(values)

    def copy_rows(self, source: Any, sources: Any, target: Any, targets: Any) -> None:
        """Copy rows of an array to distinct rows of another, or of the same."""
        source, target = _as_words(source), _as_words(target)
        shape = len(targets), target.shape[1]
        between = cuda.device_array(shape, dtype=target.dtype)  # the target may be the source
        in_order = cuda.to_device(np.arange(len(targets)))
        self._launch(kernels.move_rows, shape[0] * shape[1], source, sources, between, in_order)
        self._launch(kernels.move_rows, shape[0] * shape[1], between, in_order, target, targets)

    # Playing.

    def run(self, function: Callable[..., None], batches: tuple[Any, ...], *arrays: Any) -> None:
        """Call a function of the engine in a thread for each table."""
        kernel = kernels.kernel_for(kernels.device_code(function), len(arrays))
        self._launch_ready(kernel, len(arrays[0]), batches, arrays)

    def find_first(
        self, function: Callable[..., int], batches: tuple[Any, ...], *arrays: Any
    ) -> int:
        """Return the index of the first table that a function of the engine finds, or -1."""
        tables = len(arrays[0])
        first = cuda.to_device(np.array([tables]))
        kernel = kernels.first_kernel_for(kernels.device_code(function), len(arrays))
        self._launch_ready(kernel, tables, batches, arrays, first)
        found = int(first[0])
        return found if found < tables else -1

    def chunks(self, indices: Any, decisions: int) -> Iterator[tuple[Any, int]]:
        """Yield the tables with some of the decisions, until they had all; as ``Cpu.chunks``."""
        some = max(1, DECISIONS_PER_CHUNK // len(indices))
        for done in range(0, decisions, some):
            if done:
                cuda.synchronize()
            yield indices, min(some, decisions - done)

    def play(
        self,
        policies: tuple[Policy, ...],
        batches: tuple[Any, ...],
        settings: tuple[Any, ...],
        indices: Any,
    ) -> None:
        """Run ``play_tables``, compiled for these policies on their first call."""
        distinct = tuple(dict.fromkeys(policies))
        of_seats = kernels.policy_indices(policies, distinct)
        kernel = kernels.kernel_for(kernels.play_tables_by(distinct), 1)
        self._launch_ready(kernel, len(indices), (*batches, of_seats, *settings), (indices,))

    def _launch_ready(self, kernel: Any, threads: int, *arguments: Any) -> None:
        """Start so many threads of a kernel whose arguments are always of the same types here.

        Finding the types of all arrays takes longer than a launch.
        """
        if kernel not in self._ready:
            self._ready[kernel] = kernel.specialize(*arguments)
        self._launch(self._ready[kernel], threads, *arguments)

    def _launch(self, kernel: Any, threads: int, *arguments: Any) -> None:
        """Start so many threads of a kernel."""
        if threads:
            block = min(threads, kernels.THREADS)
            kernel[-(-threads // block), block](*arguments)


def _as_words(array: Any) -> Any:
    """Return the same memory as whole numbers of 8 bytes or of 1, a row for each row."""
    size = array.nbytes // len(array)
    words = np.dtype(np.int64 if size % 8 == 0 else np.int8)
    return array.ravel().view(words).reshape(len(array), size // words.itemsize)
