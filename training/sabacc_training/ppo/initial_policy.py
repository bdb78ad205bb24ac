"""What the policy of a run begins as: random weights, or those of a saved network.

The inputs of a saved network need not be those of the run. The run takes up its totals. Columns
that only the saved network has are constant in the run, so their part of the first layer becomes
part of its bias. Inputs that only the run has, recalled ones among them, begin without weight. So
the policy begins with the probabilities of the saved network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_agents.networks.network import Network
from sabacc_agents.networks.recall import NUM_RECALLED

from sabacc_env.errors import SabaccError
from sabacc_env.tables import Tables
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.saved_networks import load_ppo_network


@dataclass(frozen=True)
class InitialPolicy:
    """The network of a policy before the first update.

    Attributes:
        extractor: computes its inputs.
        hidden_sizes: the widths of its hidden layers.
        weights: its weights by name, as they are saved; empty where they are random.
    """

    extractor: FeatureExtractor
    hidden_sizes: tuple[int, ...]
    weights: Mapping[str, NDArray[np.float32]]

    @classmethod
    def of_run(cls, config: PPOConfig) -> Self:
        """Return what the policy of a run begins as.

        Raises:
            SabaccError: if ``ppo.initial`` is not a network of the PPO trainer for the rules and
                the bet sizes of the run.
        """
        extractor = FeatureExtractor.for_games(
            config.all_rules, max(players for _, players in config.games)
        )
        if config.ppo.initial is None:
            return cls(extractor, config.ppo.hidden_sizes, {})
        games = [(rules, None) for rules in config.all_rules]
        saved, its_extractor = load_ppo_network(
            config.ppo.initial, games, config.bet_sizes, "the initial policy"
        )
        if saved.info.recalled_decisions > config.ppo.recalled_decisions:
            raise SabaccError(
                f"{config.ppo.initial}: recalls {saved.info.recalled_decisions} decisions; "
                f"ppo.recalled_decisions is {config.ppo.recalled_decisions}, so raise it to these"
            )
        extractor = extractor.with_totals_of(its_extractor)
        rules, players = config.games[-1]  # the largest table
        observation = Tables(rules, 1, players).flat_observations[0]
        size = extractor.size + config.ppo.recalled_decisions * NUM_RECALLED
        first = _first_layer(saved, its_extractor, extractor, size, observation)
        return cls(extractor, saved.layer_sizes[1:-1], {**saved.weights, **first})


def _first_layer(
    saved: Network,
    its_extractor: FeatureExtractor,
    extractor: FeatureExtractor,
    size: int,
    observation: NDArray[np.float32],
) -> dict[str, NDArray[np.float32]]:
    """Return the first layer of a saved network for the inputs of another extractor.

    Args:
        saved: the network.
        its_extractor: computes its inputs.
        extractor: computes the new inputs, its totals among them.
        size: the number of new inputs, the recalled ones after those of the extractor.
        observation: any observation of the run: what varies there is among the new inputs.
    """
    weight, bias = saved.weights["layers.0.weight"], saved.weights["layers.0.bias"]
    columns = its_extractor.columns
    stays = np.isin(columns, extractor.columns)
    of_columns, of_totals = weight[:, : len(columns)], weight[:, len(columns) : its_extractor.size]
    recalled = weight[:, its_extractor.size :]
    constant = of_columns[:, ~stays].astype(np.float64) @ observation[columns[~stays]]
    staying = FeatureExtractor(columns[stays], its_extractor.terms, its_extractor.factors)
    converted = np.zeros((len(weight), size), np.float32)
    converted[:, extractor.positions_of(staying)] = np.hstack([of_columns[:, stays], of_totals])
    converted[:, extractor.size : extractor.size + recalled.shape[1]] = recalled
    return {
        "layers.0.weight": converted,
        "layers.0.bias": (bias + constant).astype(np.float32),
    }
