"""Teachers: saved networks that play the games of a run, as the magnet of its policy."""

from __future__ import annotations

import numpy as np
import torch
from sabacc_agents.networks.features import FeatureExtractor
from torch import Tensor, nn

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.networks import forward_in_chunks, make_mlp, masked_log_probs
from sabacc_training.ppo.rollout_buffer import Decisions
from sabacc_training.ppo.saved_networks import load_ppo_network
from sabacc_training.ppo.threads import Workers
from sabacc_training.runs.weights import load_weights


class Teachers:
    """A teacher for each rule set of a run.

    Args:
        config: the run.
        extractor: computes the inputs of the learner.
        compute: where the teachers run.
        workers: the threads that share the work.

    Raises:
        SabaccError: for a network that does not play its rules at all the seats of the run, or that
            another trainer made.
    """

    def __init__(
        self, config: PPOConfig, extractor: FeatureExtractor, compute: Compute, workers: Workers
    ) -> None:
        self._config, self._extractor = config, extractor
        self._compute, self._workers = compute, workers
        specs = config.ppo.teachers
        self._teachers = {
            rules: self._load_teacher(spec, rules)
            for spec, rules in zip(specs, config.all_rules if specs else (), strict=True)
        }

    def _load_teacher(self, spec: str, rules: RuleSet) -> tuple[nn.Sequential, Tensor]:
        """Return a network, and the positions of its inputs among those of the learner."""
        config = self._config
        games = [game for game in config.games if game[0] == rules]
        saved, extractor = load_ppo_network(spec, games, config.bet_sizes, "a teacher")
        if saved.info.recalled_decisions:
            raise SabaccError(f"{spec}: recalls decisions, which a teacher cannot; give another")
        try:
            positions = self._extractor.positions_of(extractor)
        except SabaccError:
            raise SabaccError(
                f"{spec}: has inputs that the networks of this run lack, because it was made for "
                "more seats or more rule sets"
            ) from None
        network = make_mlp(saved.layer_sizes, self._compute, torch.Generator(), last_gain=1.0)
        load_weights(network.requires_grad_(False), saved.weights)
        return network, torch.from_numpy(positions).to(self._compute.device)

    def log_probs(self, decisions: Decisions, tables: Tables) -> Tensor:
        """Return the log probabilities of legal actions by the teacher of each table's rules.

        Args:
            decisions: n decisions.
            tables: the tables where they were taken.

        Returns:
            (n, num_actions); 0 in place of illegal actions.
        """
        masks = decisions.action_masks
        log_probs = torch.zeros(masks.shape, device=self._compute.device)
        rule_of = tables.rule_of[decisions.tables]
        for number, rules in enumerate(tables.rule_sets):
            network, positions = self._teachers[rules]
            rows = torch.from_numpy(np.flatnonzero(rule_of == number)).to(log_probs.device)
            inputs = decisions.inputs[rows][:, positions]
            logits = forward_in_chunks(network, inputs, self._compute, self._workers)
            log_probs[rows] = masked_log_probs(logits, masks[rows])
        return log_probs
