"""Specs of agents outside this process: processes, and language models behind an endpoint."""

from __future__ import annotations

from sabacc_agents.external.spec import ProcessSpec, is_process
from sabacc_agents.language_models.spec import ModelSpec, is_model


def outside_spec(spec: object) -> ProcessSpec | ModelSpec | None:
    """Return what a spec says of an agent outside this process; None for all other agents.

    Raises:
        SabaccError: as the ``parse`` of either.

    >>> outside_spec("process:perl agent.pl").name, outside_spec("tight")
    ('perl agent.pl', None)
    """
    if is_process(spec):
        return ProcessSpec.parse(str(spec))
    return ModelSpec.parse(str(spec)) if is_model(spec) else None


def with_timeout(spec: str, seconds: float) -> str:
    """Return a spec whose agent has so many seconds for a decision, if it says nothing itself.

    It is the spec of an agent outside this process.

    >>> ProcessSpec.parse(with_timeout("process:perl agent.pl", 0.5)).timeout_s
    0.5
    >>> ModelSpec.parse(with_timeout("model:timeout_s=3 my-model", 0.5)).timeout_s
    3.0
    """
    prefix, _, rest = spec.partition(":")
    return f"{prefix}:timeout_s={seconds!r} {rest}"
