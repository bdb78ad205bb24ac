"""``sabacc score``: rows of the language-model leaderboard (``language.scores``)."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import check_writable, make_folder, write_bytes
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.jobs.torch_threads import one_torch_thread
from sabacc_training.language import scores
from sabacc_training.language.scores import RULES, RUNGS


def score(*agents: str, decisions: int = 500, deals: int = 500, output: Path | None = None) -> None:
    """Score agents as the leaderboard of language models does.

    For each of three solved games the mean regret of a decision, in milli-antes; the margin in
    casino over zoo:casino-2p, in mante/hand; and the share of answers that were refused.

    Args:
        agents: Language models (model:NAME), or any other agents, to compare.
        decisions: Decisions of each solved game.
        deals: Deals of the margin; each is played from both seats.
        output: A JSON file for the rows.
    """
    if not agents:
        raise SabaccError("agents: give at least one")
    if min(decisions, deals) < 2:
        raise SabaccError("decisions, deals: give at least 2 of each")
    if output is not None:
        check_writable(output)
        make_folder(output.parent)
    for agent in agents:
        scores.check(agent)
    with one_torch_thread(), BenchProgress() as progress:
        progress.start(len(agents) * len((*RUNGS, RULES)))
        rows = [scores.score(agent, decisions, deals, progress.next) for agent in agents]
    table = Table(*scores.HEAD)
    for row in rows:
        table.add_row(*scores.texts(row))
    Console(highlight=False).print(table)
    if output is not None:
        dumped = json.dumps([row.model_dump() for row in rows], indent=1)
        write_bytes(output, f"{dumped}\n".encode())
