"""The zoo: trained networks that come with the package, in this folder.

Each is a file ``NAME.safetensors`` with its card, ``NAME.json``, beside it; ``sabacc zoo`` lists
them, and ``zoo:NAME`` is the spec of one wherever an agent is named.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sabacc_agents.zoo.model_card import Card
from sabacc_env.errors import SabaccError, named

PREFIX: Final = "zoo:"
"""What the spec of a member begins with."""

FOLDER = Path(__file__).parent
"""Where they are."""


def members() -> tuple[str, ...]:
    """Return the names of all members."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.safetensors")))


def is_member(spec: str | Path) -> bool:
    """Say whether a spec means a member of the zoo.

    >>> is_member("zoo:casino-2p"), is_member("runs/casino-2p.safetensors")
    (True, False)
    """
    return isinstance(spec, str) and spec.startswith(PREFIX)


def network_file(name: str) -> Path:
    """Return the file of a member's network.

    Raises:
        SabaccError: for a name that no member has; lists those there are.
    """
    if name not in members():
        there_are = f"there are {', '.join(members())}" if members() else "it is empty"
        raise SabaccError(f"agent: the zoo has no member {named(name)}; {there_are}")
    return FOLDER / f"{name}.safetensors"


def read_card(name: str) -> Card:
    """Return a member's card.

    Raises:
        SabaccError: for a name that no member has, or a card that cannot be read.
    """
    return Card.read(network_file(name).with_suffix(".json"))
