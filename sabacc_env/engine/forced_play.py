"""Playing with forced chance outcomes, for whoever enumerates them."""

from typing import Final

from sabacc_env.engine.chance import force_chance
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Record
from sabacc_env.engine.step import deal, play_action

DEAL: Final = -1
"""In place of an action: the deal, which comes before the first decision."""


@jit
def play_with_forced_chance(
    g: Record, r: Record, sizes: Record, action: int, number: int, product: int
) -> None:
    """Play an action, or deal, with forced chance outcomes (``chance.force_chance``)."""
    force_chance(g, number, product)
    if action == DEAL:
        deal(g, r)
    else:
        play_action(g, r, action, sizes)
