"""``sabacc watch``: one hand between agents, move by move."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text
from sabacc_agents.language_models.agent import ModelAgent
from sabacc_agents.loading import load

from sabacc_env.errors import SabaccError
from sabacc_env.game import Game
from sabacc_env.hand_histories import HandHistory, HandHistoryWriter
from sabacc_env.rules.limits import MAX_SEATS
from sabacc_training.config.base import validated
from sabacc_training.config.game import GameConfig
from sabacc_training.evaluation.evaluate import Entrant
from sabacc_training.evaluation.watch import (
    Step,
    check_speed,
    narrate,
    play_hand,
    show,
)


def watch(
    *agents: str,
    rules: str = "casino",
    seed: int | None = None,
    speed: float | None = None,
    record: Path | None = None,
) -> None:
    """Watch one hand between agents to its end, with all cards visible.

    Args:
        agents: One for each seat, 2 to 8: registered names, zoo:NAME, saved networks,
            module:Class, process:COMMAND, or model:NAME.
        rules: A rule set's name, the path of a rules file, or a rung of the ladder.
        seed: The seed of deck, dice, dealer and the agents' random numbers; by default one is drawn
            and shown.
        speed: Moves a second; by default all moves are shown at once.
        record: A file to add the hand to, which `sabacc replay` steps through.
    """
    if not 2 <= len(agents) <= MAX_SEATS:
        raise SabaccError(f"agents: {len(agents)} given; name one for each seat, 2 to {MAX_SEATS}")
    check_speed(speed)
    if seed is None:
        seed = secrets.randbits(32)
    config = validated(GameConfig, {"rules": rules})
    rule_set, bet_sizes = config.rule_set, config.bet_sizes
    game = Game(rule_set, num_players=len(agents), seed=seed)
    players = [load(agent, rule_set, len(agents), bet_sizes) for agent in agents]
    names = [Entrant(spec=agent).name for agent in agents]
    writer = None if record is None else HandHistoryWriter(record)
    console = Console(highlight=False)
    console.print(Text(f"{rule_set.title}, seed {seed}", "bold"))
    played: list[Step] = []

    def steps() -> Iterator[Step]:
        for step in play_hand(game, players, bet_sizes, seed):
            played.append(step)
            yield step

    try:
        show(console, narrate(game, steps(), names), speed)
    except KeyboardInterrupt:
        console.print("stopped")
        return
    finally:
        for name, player in zip(names, players, strict=True):
            if isinstance(player, ModelAgent):
                usage = player.usage
                console.print(Text(f"{name}: {usage.text(usage.cost(player.settings))}"))
    if writer is not None:
        final = played[-1].after if played else game
        told = [step.told for step in played]
        writer.write(
            HandHistory.from_game(
                final, names, bet_sizes=bet_sizes, told=told, origin={"seed": seed}
            )
        )
