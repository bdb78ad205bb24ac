"""Tournaments: all pairs of several agents over the same deals, kept pair by pair."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator
from sabacc_agents.saved_files import is_saved, located

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import read_bytes, remove_partial_files, write_bytes, write_text
from sabacc_training.config.base import dump
from sabacc_training.evaluation.evaluate import (
    Entrant,
    Evaluation,
    Pair,
    chance_of,
    pair_of,
    play_pair,
)
from sabacc_training.evaluation.margins import Estimate, Match
from sabacc_training.evaluation.progress import MatchProgress
from sabacc_training.jobs.locking import locked_folder, made_folder

CHECKSUM_SIZE: Final = hashlib.sha256().digest_size


class TournamentConfig(Evaluation):
    """A tournament: who takes part, beside what an evaluation says."""

    agents: tuple[Entrant, ...]
    """Who takes part, at least two: specs, or tables with ``spec`` and ``label``."""

    output: Path | None = None
    """The folder for results; without, ``runs/tournaments/`` and the configuration's name."""

    @model_validator(mode="after")
    def _check_agents(self) -> Self:
        names = [agent.name for agent in self.agents]
        if len(names) < 2:
            raise SabaccError(f"agents: {len(names)} given; a tournament needs at least 2")
        for name in names:
            if names.count(name) > 1:
                raise SabaccError(f'agents: two are called "{name}"; give one another label')
        return self

    @property
    def pairs(self) -> tuple[tuple[Entrant, Entrant], ...]:
        """All pairs of agents, in order."""
        return tuple(itertools.combinations(self.agents, 2))

    @property
    def hands(self) -> int:
        """The hands of all pairs together."""
        return len(self.pairs) * self.deals * 2


@dataclass(frozen=True)
class Standing:
    """One agent's place: its margin over the others, averaged deal by deal.

    Attributes:
        name: what results call it.
        margin: over the mean of its opponents; all pairs play the same deals, so the interval
            over deals accounts for what its matches have in common.
        seen: whether any of its pairs met in training.
    """

    name: str
    margin: Estimate
    seen: bool


def play_tournament(
    config: TournamentConfig,
    output: Path,
    *,
    resume: bool = False,
    progress: MatchProgress | None = None,
) -> list[Pair]:
    """Play all pairs; write each as it ends, and at the end the results, under ``output``.

    Files: ``config.json``; ``pairs/*.npy``, every hand's net credits (see ``Match.net``; NumPy
    reads them, and a checksum follows); ``pairs.csv`` and ``ranking.csv``; ``results.json`` with
    both. The same configuration gives the same bytes.

    Args:
        config: who plays what.
        output: the folder for results; without ``resume``, not one that has another
            configuration's.
        resume: take pairs that are there already and were decided by the same things: rules,
            deals, seed, agents (a saved network by its content), version of this package. A file
            that is damaged, or of something else, counts as absent.
        progress: told of every hand.

    Raises:
        SabaccError: for a spec that names no agent, stakes that the rules do not know, or a folder
            with another configuration's results, or that another process writes into.
    """
    for agent in config.agents:
        config.load(agent)  # a wrong spec shows now and not after hours
    with locked_folder(output):
        return _play_into(config, output, resume, progress)


def _play_into(
    config: TournamentConfig, output: Path, resume: bool, progress: MatchProgress | None
) -> list[Pair]:
    settings = dump(config.model_copy(update={"output": None})).encode()
    if not resume and read_bytes(output / "config.json") not in (None, settings):
        raise SabaccError(
            f"{output}: holds what another configuration made; name another folder (--output), or "
            f"take the pairs that both have in common (--resume)"
        )
    write_bytes(output / "config.json", settings)
    folder = output / "pairs"
    with made_folder(folder):
        remove_partial_files(folder)
        played = [_play_or_take(config, pair, folder, resume, progress) for pair in config.pairs]
    _write_results(config, played, output)
    return played


def _play_or_take(
    config: TournamentConfig,
    entrants: tuple[Entrant, Entrant],
    folder: Path,
    resume: bool,
    progress: MatchProgress | None,
) -> Pair:
    first, second = entrants
    path = folder / f"{_digest(config, first, second)}.npy"
    net = _kept(path, config.deals) if resume else None
    if net is None:
        pair = play_pair(config, first, second, progress)
        _keep(path, pair.match.net)
        return pair
    if progress is not None:
        progress.skip(2 * config.deals)
    return pair_of(first, second, Match(net, config.rule_set.ante_unit))


def ranking(pairs: Sequence[Pair]) -> list[Standing]:
    """Return every agent's standing, best first."""
    names = dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second))
    standings = []
    for name in names:
        own = [pair for pair in pairs if name in (pair.first, pair.second)]
        margins = [
            pair.match.margins if pair.first == name else -pair.match.margins for pair in own
        ]
        mean = Estimate.of(np.mean(margins, axis=0))
        standings.append(Standing(name, mean, any(pair.seen for pair in own)))
    return sorted(standings, key=lambda standing: -standing.margin.mean)


# Files.


def _digest(config: TournamentConfig, first: Entrant, second: Entrant) -> str:
    """Return a hash of everything that decides a pair's hands."""
    decides = {
        "version": version("sabacc-env"),
        "rules": config.rule_set.digest,
        "agents": [_identity(first.spec), _identity(second.spec)],
        "chance": chance_of(first, second),
        **{
            key: getattr(config, key)
            for key in ("bet_sizes", "credits", "sabacc_pot", "deals", "seed", "num_tables")
        },
    }
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:24]


def _identity(spec: str) -> str:
    """Return what makes an agent this one: a saved network's content, otherwise its spec."""
    return hashlib.sha256(located(spec).read_bytes()).hexdigest() if is_saved(spec) else spec


def _keep(path: Path, net: NDArray[np.int64]) -> None:
    """Write a pair's hands, then a checksum of them and of which pair's they are."""
    buffer = io.BytesIO()
    np.save(buffer, net)
    array = buffer.getvalue()
    write_bytes(path, array + _checksum(path, array))


def _kept(path: Path, deals: int) -> NDArray[np.int64] | None:
    """Return what ``_keep`` wrote; None if the file is absent, damaged or something else."""
    data = read_bytes(path) or b""
    array, checksum = data[:-CHECKSUM_SIZE], data[-CHECKSUM_SIZE:]
    if checksum != _checksum(path, array):
        return None
    try:
        net = np.load(io.BytesIO(array), allow_pickle=False)
    except (ValueError, EOFError):
        return None
    return net if net.shape == (deals, 2, 2) and net.dtype == np.int64 else None


def _checksum(path: Path, array: bytes) -> bytes:
    return hashlib.sha256(path.stem.encode() + array).digest()


def _write_results(config: TournamentConfig, pairs: Sequence[Pair], output: Path) -> None:
    pair_rows = [_pair_row(pair, len(pairs)) for pair in pairs]
    standings = ranking(pairs)
    standing_rows = [_standing_row(standing, len(standings)) for standing in standings]
    results = {
        "unit": "mante/hand: thousandths of hand ante + Sabacc ante, a hand",
        "config": config.model_dump(mode="json", exclude={"output"}),
        "pairs": pair_rows,
        "ranking": standing_rows,
    }
    write_text(output / "pairs.csv", _csv(pair_rows))
    write_text(output / "ranking.csv", _csv(standing_rows))
    write_text(output / "results.json", json.dumps(results, indent=2) + "\n")


def _pair_row(pair: Pair, comparisons: int) -> dict[str, Any]:
    match = pair.match
    return {
        "first": pair.first,
        "second": pair.second,
        **_estimate_row(match.margin, comparisons),
        "single_sd": round(match.single_sd, 3),
        "saving": round(match.saving, 3) if np.isfinite(match.saving) else None,
        "seen_in_training": pair.seen,
    }


def _standing_row(standing: Standing, comparisons: int) -> dict[str, Any]:
    return {
        "agent": standing.name,
        **_estimate_row(standing.margin, comparisons),
        "seen_in_training": standing.seen,
    }


def _estimate_row(estimate: Estimate, comparisons: int) -> dict[str, Any]:
    """Return an estimate with the half-width of its own interval, and of all at once."""
    return {
        "deals": estimate.deals,
        "margin": round(estimate.mean, 3),
        "half_width": round(estimate.half_width(), 3),
        "half_width_all": round(estimate.half_width(comparisons), 3),
        "sd": round(estimate.sd, 3),
    }


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
