"""``sabacc solve``: a game of the ladder, solved exactly."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from sabacc_agents.equilibrium import save_policy
from sabacc_agents.saved_files import SUFFIX

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import check_writable, remove_partial_files
from sabacc_training.config.game import rungs
from sabacc_training.jobs.locking import locked_file
from sabacc_training.jobs.stopping import exit_when_stopped
from sabacc_training.solved_games.cfr import VARIANTS
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.progress import SolvingProgress
from sabacc_training.solved_games.rung import Rung, load_rung
from sabacc_training.solved_games.solver import Solution
from sabacc_training.solved_games.solver import solve as solve_game


def solve(
    name: str = "",
    *,
    target: float = 0.001,
    variant: str = "cfr+",
    iterations: int = 100_000,
    output: Path | None = None,
    resume: bool = False,
) -> None:
    """Solve a small game: print its value and the NashConv of the policy, and save the policy.

    Args:
        name: A rung of the ladder, or a file of the same keys; without one, the rungs are listed.
        target: The NashConv to reach, in antes.
        variant: The variant of CFR: cfr+ or dcfr.
        iterations: The largest number of iterations.
        output: The file for the policy; by default runs/solved/NAME.safetensors.
        resume: Resume from the checkpoint beside that file, as if there had been no stop.
    """
    if not name:
        for rung in map(load_rung, rungs()):
            print(f"{rung.name:15} {rung.num_players} players  {rung.rule_set.title}")
        return
    if variant not in VARIANTS:
        raise SabaccError(f"unknown variant {variant!r}; use one of {', '.join(VARIANTS)}")
    if not target > 0 or iterations < 1:
        raise SabaccError("target, iterations: both must be above 0")
    rung = load_rung(name)
    path = output or Path("runs", "solved", f"{Path(name).stem}.safetensors")
    if path.suffix != SUFFIX:
        raise SabaccError(f"{path}: a solved policy needs a file name that ends in {SUFFIX}")
    check_writable(path)
    with locked_file(path):
        solution = _solved(rung, path, target, variant, iterations, resume)
    Console(highlight=False).print(_table(solution))
    print(f"The policy is {path}")


def _solved(
    rung: Rung, path: Path, target: float, variant: str, iterations: int, resume: bool
) -> Solution:
    """Solve a game, save its policy, and return the solution."""
    checkpoint = path.with_suffix(".checkpoint")
    remove_partial_files(checkpoint.parent, checkpoint.name)
    if not resume and checkpoint.exists():
        raise SabaccError(
            f"{checkpoint}: was left by a run that stopped; resume it (--resume) or remove the file"
        )
    with exit_when_stopped(checkpoint), SolvingProgress(target) as progress:
        tree = flatten(rung, on_nodes=progress.on_nodes)
        solution = solve_game(
            tree,
            variant=variant,
            target=target,
            max_iterations=iterations,
            checkpoint=checkpoint,
            resume=resume,
            callback=progress,
        )
    save_policy(path, solution.to_policy())
    checkpoint.unlink(missing_ok=True)
    return solution


def _table(solution: Solution) -> Table:
    table = Table("seat", "wins, antes a hand", "best response wins", title=_title(solution))
    values, responses = solution.values.on_policy, solution.values.best_response
    for seat, (value, response) in enumerate(zip(values, responses, strict=True)):
        table.add_row(str(seat), f"{value:+.6f}", f"{response:+.6f}")
    guarantee = "" if len(values) == 2 else "; with three seats or more CFR need not converge"
    table.caption = f"NashConv {solution.values.nash_conv:.6f} antes{guarantee}"
    return table


def _title(solution: Solution) -> str:
    tree = solution.tree
    return (
        f"{tree.rung.name}: {len(tree.nodes.seats):,} nodes, {len(tree.states.seats):,} "
        f"information states, {solution.iterations:,} iterations of {solution.variant}"
    )
