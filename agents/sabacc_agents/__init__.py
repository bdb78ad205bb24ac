"""Agents: rule-based ones, search, saved networks, and the zoo of trained networks.

``load`` makes an agent from a spec: a registered name, ``zoo:NAME``, the path of a saved network,
``module:Class``, ``process:COMMAND``, or ``model:NAME``.
"""

from sabacc_agents.loading import load, trained_against
from sabacc_agents.networks.agent import NetworkAgent, RecallingNetworkAgent
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_agents.networks.network import (
    Network,
    NetworkInfo,
    load_network,
    read_info,
    save_network,
)
from sabacc_agents.saved_files import is_saved

__all__ = [
    "FeatureExtractor",
    "Network",
    "NetworkAgent",
    "NetworkInfo",
    "RecallingNetworkAgent",
    "is_saved",
    "load",
    "load_network",
    "read_info",
    "save_network",
    "trained_against",
]
