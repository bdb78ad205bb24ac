"""Tournaments: all pairs of several agents over the same deals, saved pair by pair."""

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
from sabacc_agents.saved_files import is_saved, path_of

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import read_bytes, remove_partial_files, write_bytes, write_text
from sabacc_training.config.base import dump
from sabacc_training.evaluation.evaluate import (
    Entrant,
    MatchConfig,
    PairResult,
    pair_result,
    play_pair,
    rng_stream_of,
)
from sabacc_training.evaluation.match import MatchResult
from sabacc_training.evaluation.progress import MatchProgress
from sabacc_training.jobs.locking import created_folder, locked_folder
from sabacc_training.statistics.estimate import Estimate

CHECKSUM_SIZE: Final = hashlib.sha256().digest_size


class TournamentConfig(MatchConfig):
    """A tournament: the agents, and how each pair of them is compared."""

    purpose = "a tournament"

    agents: tuple[Entrant, ...]
    """The agents, at least two: specs, or tables with ``spec`` and ``label``."""

    output: Path | None = None
    """The folder for results; by default ``runs/tournaments/`` and the configuration's name."""

    @model_validator(mode="after")
    def _check_agents(self) -> Self:
        names = [agent.name for agent in self.agents]
        if len(names) < 2:
            raise SabaccError(f"agents: {len(names)} given; a tournament needs at least 2")
        for name in names:
            if names.count(name) > 1:
                raise SabaccError(f'agents: two have the label "{name}"; give each its own label')
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
    """The standing of an agent: its margin over the others, averaged deal by deal.

    Attributes:
        name: its name in results.
        margin: over the mean of its opponents. All pairs play the same deals, so the interval over
            deals accounts for what the matches have in common.
        met_in_training: whether it met an opponent, or an opponent met it, in training.
    """

    name: str
    margin: Estimate
    met_in_training: bool


def play_tournament(
    config: TournamentConfig,
    output: Path,
    *,
    resume: bool = False,
    progress: MatchProgress | None = None,
) -> list[PairResult]:
    """Play all pairs; write each pair when it ends, and the results at the end, to ``output``.

    Files: ``config.json``; ``pairs/*.npy`` with the net credits of every hand (see
    ``MatchResult.net_credits``; NumPy reads them, and a checksum follows); ``pairs.csv`` and
    ``ranking.csv``; ``results.json`` with both. The same configuration gives the same bytes.

    Args:
        config: the tournament.
        output: the folder for results. Without ``resume`` it must not hold the results of another
            configuration.
        resume: whether to load pairs that are there already and have the same rules, deals, seed,
            agents (a saved network by its content) and version of this package. A damaged file
            counts as absent.
        progress: shows the hands.

    Raises:
        SabaccError: for a spec that names no agent, for a folder with another configuration's
            results, or for one that another process writes into.
    """
    for agent in config.agents:
        config.load(agent)  # a wrong spec shows now and not after hours
    with locked_folder(output):
        return _play_into(config, output, resume, progress)


def _play_into(
    config: TournamentConfig, output: Path, resume: bool, progress: MatchProgress | None
) -> list[PairResult]:
    settings = dump(config.model_copy(update={"output": None})).encode()
    if not resume and read_bytes(output / "config.json") not in (None, settings):
        raise SabaccError(
            f"{output}: holds the results of another configuration; choose another folder "
            "(--output), or load the pairs that both have in common (--resume)"
        )
    write_bytes(output / "config.json", settings)
    folder = output / "pairs"
    with created_folder(folder):
        remove_partial_files(folder)
        played = [_play_or_load(config, pair, folder, resume, progress) for pair in config.pairs]
    _write_results(config, played, output)
    return played


def _play_or_load(
    config: TournamentConfig,
    entrants: tuple[Entrant, Entrant],
    folder: Path,
    resume: bool,
    progress: MatchProgress | None,
) -> PairResult:
    first, second = entrants
    path = folder / f"{_digest(config, first, second)}.npy"
    net_credits = _load_pair(path, config.deals) if resume else None
    if net_credits is None:
        pair = play_pair(config, first, second, progress)
        _save_pair(path, pair.match.net_credits)
        return pair
    if progress is not None:
        progress.skip(2 * config.deals)
    match = MatchResult(net_credits, config.rule_set.ante_unit)
    return pair_result(first, second, match)


def ranking(pairs: Sequence[PairResult]) -> list[Standing]:
    """Return every agent's standing, best first."""
    names = dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second))
    standings = []
    for name in names:
        own = [pair for pair in pairs if name in (pair.first, pair.second)]
        margins = [
            pair.match.deal_margins if pair.first == name else -pair.match.deal_margins
            for pair in own
        ]
        mean = Estimate.from_values(np.mean(margins, axis=0))
        standings.append(Standing(name, mean, any(pair.met_in_training for pair in own)))
    return sorted(standings, key=lambda standing: -standing.margin.mean)


# Files.


def _digest(config: TournamentConfig, first: Entrant, second: Entrant) -> str:
    """Return a hash of everything that determines a pair's hands."""
    inputs = {
        "version": version("sabacc-env"),
        "rules": config.rule_set.digest,
        "agents": [_identity(first.spec), _identity(second.spec)],
        "chance": rng_stream_of(first, second),
        **{
            key: getattr(config, key)
            for key in ("bet_sizes", "credits", "sabacc_pot", "deals", "seed", "num_tables")
        },
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()[:24]


def _identity(spec: str) -> str:
    """Return what identifies an agent: a hash of a saved network's content, otherwise its spec."""
    return hashlib.sha256(path_of(spec).read_bytes()).hexdigest() if is_saved(spec) else spec


def _save_pair(path: Path, net_credits: NDArray[np.int64]) -> None:
    """Write a pair's hands, then a checksum of them and of the pair's digest."""
    buffer = io.BytesIO()
    np.save(buffer, net_credits)
    array = buffer.getvalue()
    write_bytes(path, array + _checksum(path, array))


def _load_pair(path: Path, deals: int) -> NDArray[np.int64] | None:
    """Return what ``_save_pair`` wrote; None if the file is absent, damaged or another pair's."""
    data = read_bytes(path) or b""
    array, checksum = data[:-CHECKSUM_SIZE], data[-CHECKSUM_SIZE:]
    if checksum != _checksum(path, array):
        return None
    try:
        net_credits = np.load(io.BytesIO(array), allow_pickle=False)
    except (ValueError, EOFError):
        return None
    whole = net_credits.shape == (deals, 2, 2) and net_credits.dtype == np.int64
    return net_credits if whole else None


def _checksum(path: Path, array: bytes) -> bytes:
    return hashlib.sha256(path.stem.encode() + array).digest()


def _write_results(config: TournamentConfig, pairs: Sequence[PairResult], output: Path) -> None:
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


def _pair_row(pair: PairResult, comparisons: int) -> dict[str, Any]:
    match = pair.match
    reduction = match.variance_reduction
    return {
        "first": pair.first,
        "second": pair.second,
        **_estimate_row(match.margin, comparisons),
        "single_sd": round(match.hand_sd, 3),
        "saving": round(reduction, 3) if np.isfinite(reduction) else None,
        "seen_in_training": pair.met_in_training,
    }


def _standing_row(standing: Standing, comparisons: int) -> dict[str, Any]:
    return {
        "agent": standing.name,
        **_estimate_row(standing.margin, comparisons),
        "seen_in_training": standing.met_in_training,
    }


def _estimate_row(estimate: Estimate, comparisons: int) -> dict[str, Any]:
    """Return an estimate with the half-widths of its interval, alone and with all others."""
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
