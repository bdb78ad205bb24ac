"""Agents: rule-based ones, one that searches, and saved networks.

``load`` makes any of them from what a user writes: a registered name, the path of a saved network,
or ``module:Class``.
"""

from sabacc_agents.loading import is_saved, load, trained_against
from sabacc_agents.network import (
    Network,
    NetworkAgent,
    NetworkInfo,
    load_network,
    read_info,
    save_network,
)

__all__ = [
    "Network",
    "NetworkAgent",
    "NetworkInfo",
    "is_saved",
    "load",
    "load_network",
    "read_info",
    "save_network",
    "trained_against",
]
