"""Saved networks of the PPO trainer, as a run takes them up again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sabacc_agents.networks.features import FeatureExtractor
from sabacc_agents.networks.network import Network, load_network
from sabacc_agents.saved_files import SUFFIX, check_made_for, is_saved

from sabacc_env.actions import BetSize
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet


def load_ppo_network(
    spec: str,
    games: Iterable[tuple[RuleSet, int | None]],
    bet_sizes: Sequence[BetSize],
    role: str,
) -> tuple[Network, FeatureExtractor]:
    """Return a saved network, and the extractor of its inputs.

    Args:
        spec: a path or ``zoo:NAME``.
        games: the rule sets that it must play, with numbers of seats; None stands for any number.
        bet_sizes: what its bet actions must mean.
        role: what it is to be, for error messages.

    Raises:
        SabaccError: for a file that is not a network, or a network that was made for another game
            or by another trainer.
    """
    if not is_saved(spec):
        raise SabaccError(
            f"{short_repr(spec)}: only a saved network can be {role}; give zoo:NAME or a path that "
            f"ends in {SUFFIX}"
        )
    network = load_network(spec)
    info = network.info
    made_for = info.rules, info.num_players, info.bet_sizes
    for rules, players in games:
        check_made_for(spec, made_for, rules, players, bet_sizes, any_rules=info.any_rules)
    if network.extractor is None or info.activation != "relu":
        raise SabaccError(f"{spec}: only a network of the PPO trainer can be {role}")
    return network, network.extractor
