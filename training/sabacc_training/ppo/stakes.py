"""What is at stake at each decision: the pot, and what there is to call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.networks.features import FeatureExtractor

from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import COLUMNS, OBSERVATION_SIZE, blocks
from sabacc_env.rules import RuleSet
from sabacc_env.rules.limits import MAX_SEATS
from sabacc_env.tables import Tables
from sabacc_training.ppo.rollout_buffer import Decisions


class Stakes:
    """Reads what is at stake from the inputs of decisions.

    Args:
        extractor: computes the inputs.
        rule_sets: the rule sets of the tables, in their order.
        reward_scale: antes that make a reward of 1, except in games for points.
    """

    def __init__(
        self, extractor: FeatureExtractor, rule_sets: Sequence[RuleSet], reward_scale: float
    ) -> None:
        betting = blocks(np.arange(OBSERVATION_SIZE, dtype=np.float32)).betting
        features = [
            int(betting[COLUMNS.betting.pot_per_start]),
            int(betting[COLUMNS.betting.to_call_per_start]),
        ]
        self._inputs = np.searchsorted(extractor.columns, features)
        self._antes = np.array([1.0 if rules.points else reward_scale for rules in rule_sets])
        # Observations divide by the mean of the credits that the seats start with.
        self._antes_per_start = np.array(
            [np.mean(starting_credits(rules, MAX_SEATS)) / rules.ante_unit for rules in rule_sets]
        )

    def of(self, decisions: Decisions, tables: Tables) -> NDArray[np.float32]:
        """Return what is at stake at n decisions, (n,), as rewards count it.

        It is at least an ante, and in games for points always a point.

        Args:
            decisions: the decisions.
            tables: the tables where they were taken.
        """
        parts = decisions.inputs[:, self._inputs].float().sum(dim=1).cpu().numpy()
        rule_of = tables.rule_of[decisions.tables]
        antes = np.maximum(parts * self._antes_per_start[rule_of], 1.0)
        return np.asarray(antes / self._antes[rule_of], np.float32)
