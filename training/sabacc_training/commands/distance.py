"""``sabacc distance``: the NashConv of agents in a game of the ladder (``agent_policy``)."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from sabacc_env.errors import SabaccError
from sabacc_training.solved_games.agent_policy import nash_conv
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung


def distance(name: str, *agents: str, samples: int = 1000) -> None:
    """Print the NashConv of agents in a small game, in antes a hand.

    The agent plays all seats, and the gains of the seats by best responses are added up. The result
    is exact for agents that return their probabilities, as scripted, trained and solved agents do.
    Any other agent is sampled, which makes its NashConv a little too large.

    Args:
        name: A rung of the ladder, or a file of the same keys.
        agents: Registered names, zoo:NAME, saved networks, solved policies, or module:Class.
        samples: Calls in each information state of an agent that does not return probabilities.
    """
    if not agents:
        raise SabaccError("agents: give at least one")
    if samples < 1:
        raise SabaccError(f"samples: {samples} is too few; give at least 1")
    rung = load_rung(name)
    players = [rung.load(agent) for agent in agents]  # fail before the tree is built
    tree = flatten(rung)
    table = Table("agent", "NashConv, antes", title=f"{rung.name}: {len(tree.nodes.seats):,} nodes")
    for agent, player in zip(agents, players, strict=True):
        table.add_row(agent, f"{nash_conv(tree, player, samples=samples):.6f}")
    Console(highlight=False).print(table)
