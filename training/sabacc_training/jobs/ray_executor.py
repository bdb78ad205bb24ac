"""Runs pieces of work on the machines of a Ray cluster: an executor as in ``executors``.

Ray runs a piece again where its machine or process was lost. What a piece returns depends on its
item alone, so the results have the bytes of one machine's. Every node needs this package, the same
sources, and the files that are named to it, such as saved agents, at the same paths.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import platform
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, TypeVar, cast

from sabacc_env.errors import SabaccError, how_to_install
from sabacc_training.jobs.executors import Executor, answer, local_processes

T = TypeVar("T")
R = TypeVar("R")

MAX_RETRIES: Final = 5
"""How often Ray runs a piece again because its process or its machine was lost."""

IN_FLIGHT: Final = 2
"""Pieces given to Ray at a time, for each processor of the cluster: none waits for the next."""

CONNECTING: Final = 5.0
"""Seconds in which the head of a cluster has to answer."""

WAIT: Final = 1.0
"""Seconds between looks at the cluster."""

PATIENCE: Final = 10.0
"""Seconds without any processor in the cluster after which the work stops."""


def executor_at(
    ray: str | None, processes: int, on_loss: Callable[[str], None]
) -> AbstractContextManager[Executor]:
    """Return an executor: over a Ray cluster at an address, or processes of this machine.

    Args:
        ray: the address, as ``ray_cluster`` takes it; None for this machine.
        processes: how many processes, without an address.
        on_loss: told of each process or machine that was lost, in one sentence.
    """
    return local_processes(processes, on_loss) if ray is None else ray_cluster(ray, on_loss)


@contextmanager
def ray_cluster(
    address: str, on_loss: Callable[[str], None] = lambda _: None
) -> Iterator[Executor]:
    """Yield an executor over the processors of a Ray cluster.

    Args:
        address: "HOST:PORT" of its head; "auto" for the one that this machine belongs to; "local"
            for a new one, of this machine alone, which ends with the work.
        on_loss: told of each machine that was lost, in one sentence.

    Raises:
        SabaccError: where Ray is not installed, no cluster answers, a node has other sources than
            this machine, or no processor is left.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
    except ImportError:
        raise SabaccError(f"--ray: Ray is not installed; {how_to_install('ray')}") from None
    own: dict[str, Any] = {}
    if address == "local":
        own = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        if address not in ("local", "auto"):
            _check_answers(address)  # Ray itself waits for minutes
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except (OSError, ValueError, RuntimeError) as error:
        raise SabaccError(
            f"--ray: no Ray cluster answers at {address!r}; start one with `ray start --head`, and "
            "name the address that it prints; where it has a token, set RAY_AUTH_MODE=token here, "
            f"too ({_first_line(error)})"
        ) from None
    try:
        with redirect_stdout(cast("IO[str]", _WithoutRaylet(sys.stdout))):
            yield partial(_run, _Cluster(on_loss))
    finally:
        with redirect_stdout(io.StringIO()):  # what that thread has left
            ray.shutdown()


class _WithoutRaylet:
    """A stream without what a thread of Ray prints: a page for each lost machine."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text of any other thread."""
        if threading.current_thread().name == "ray_listen_error_messages":
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _check_answers(address: str) -> None:
    """Raise an OSError where nothing answers at "HOST:PORT", a ValueError for another text."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), timeout=CONNECTING).close()


def _run(
    cluster: _Cluster, function: Callable[[T], R], items: Iterable[T]
) -> Iterator[tuple[T, R]]:
    """Run items on the cluster, some in flight at a time; see ``ray_cluster``."""
    import ray

    call = ray.remote(max_retries=MAX_RETRIES, num_cpus=1)(_call)
    sent, waiting = ray.put(function), iter(items)
    in_flight: dict[Any, T] = {}
    try:
        while True:
            free = max(1, int(IN_FLIGHT * cluster.watch())) - len(in_flight)
            for item in islice(waiting, max(0, free)):
                in_flight[call.remote(source_digest(), sent, item)] = item
            if not in_flight:
                return
            for done in ray.wait(list(in_flight), timeout=WAIT)[0]:
                item = in_flight.pop(done)
                try:
                    error, result = pickle.loads(ray.get(done))
                except ray.exceptions.RayError as lost:
                    raise SabaccError(
                        f"--ray: {item} could not be run: {_first_line(lost)}"
                    ) from lost
                if error is not None:
                    raise error
                yield item, result
    finally:
        for unread in in_flight:  # nobody will read their answers
            ray.cancel(unread, force=True)


def _call(sources: str, function: Callable[[Any], Any], item: object) -> bytes:
    """Run an item on a node, if the node has the same sources."""
    if sources == source_digest():
        return answer(function, item)
    return answer(_refuse, version("sabacc-env"))


def _refuse(found: str) -> None:
    raise SabaccError(
        f"--ray: the machine {platform.node()} has other sources of sabacc-env (version {found}) "
        "than this one; install the same on all"
    )


class _Cluster:
    """The machines of the cluster, watched while the work runs."""

    def __init__(self, on_loss: Callable[[str], None]) -> None:
        self._on_loss = on_loss
        self._alive: set[str] = set()
        self._processors = 0.0
        self._last_seen = self._head_seen = time.monotonic()

    def watch(self) -> float:
        """Return the number of processors; tell of machines that were lost since the last call.

        Raises:
            SabaccError: where there has been no processor, or no head, for a while.
        """
        import ray

        try:
            _check_answers(ray.get_runtime_context().gcs_address)
        except OSError:  # whatever asks a lost head waits for a minute; then Ray ends the program
            if time.monotonic() - self._head_seen > PATIENCE:
                raise SabaccError(
                    "--ray: the head of the cluster is lost; what has ended is saved: start a "
                    "cluster again, and resume"
                ) from None
            return self._processors
        self._head_seen = time.monotonic()
        nodes = {node["NodeID"]: node for node in ray.nodes() if node["Alive"]}
        for _ in self._alive - nodes.keys():
            self._on_loss("a machine of the cluster was lost; its work is run again elsewhere")
        self._alive = set(nodes)
        self._processors = sum(node["Resources"].get("CPU", 0.0) for node in nodes.values())
        if self._processors:
            self._last_seen = self._head_seen
        elif self._head_seen - self._last_seen > PATIENCE:
            raise SabaccError(
                "--ray: no machine with a processor is left in the cluster; what has ended is "
                "saved: add one with `ray start --address`, and resume"
            )
        return self._processors


@cache
def source_digest() -> str:
    """Return a hash of the version and of all sources of this project."""
    digest = hashlib.sha256(version("sabacc-env").encode())
    for name in ("sabacc_env", "sabacc_agents", "sabacc_training"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        folder = Path(spec.origin).parent
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{name}/{path.relative_to(folder).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), repr(error))
