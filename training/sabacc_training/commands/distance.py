"""``sabacc distance``: how far any agent is from equilibrium in a game of the ladder."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from sabacc_env.errors import SabaccError
from sabacc_training.solved_games.agent_strategy import nash_conv
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung


def distance(name: str, *agents: str, asks: int = 1000) -> None:
    """Print NashConv of agents in a small game: what best responses would gain, in antes a hand.

    The agent plays all seats; what each seat would gain is added up. It is exact for agents that
    tell their chances, as scripted, learnt and solved ones do. Any other is asked again and again,
    which makes it a little too large.

    Args:
        name: A rung of the ladder, or a file of the same keys.
        agents: Registered names, zoo:NAME, saved networks, solved policies, or module:Class.
        asks: How often an agent that does not tell its chances is asked at an information state.
    """
    if not agents:
        raise SabaccError("agents: name one at least")
    if asks < 1:
        raise SabaccError(f"asks: {asks} are not enough; one at least")
    rung = load_rung(name)
    players = [rung.load(agent) for agent in agents]  # a wrong one shows before the tree is made
    tree = flatten(rung)
    table = Table("agent", "NashConv, antes", title=f"{rung.name}: {len(tree.nodes.seats):,} nodes")
    for agent, player in zip(agents, players, strict=True):
        table.add_row(agent, f"{nash_conv(tree, player, samples=asks):.6f}")
    Console(highlight=False).print(table)
