"""Teachers: saved networks that play the games of a run already, which its policy is drawn to."""

from __future__ import annotations

import numpy as np
import torch
from sabacc_agents.networks.features import Outlook
from sabacc_agents.networks.network import load_network, named_layers
from sabacc_agents.saved_files import check_fit
from torch import Tensor

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.cpu import Device
from sabacc_training.ppo.mlp import Mlp
from sabacc_training.ppo.policy import logs_of
from sabacc_training.ppo.rollout_buffer import Rows


class Teachers:
    """A teacher for each rule set, asked about positions as the learner is shown them.

    Args:
        config: the run.
        outlook: what the learner is shown.
        device: where they think.

    Raises:
        SabaccError: for a network that does not play its rules at all the seats of the run, or is
            not of this trainer's kind.
    """

    def __init__(self, config: PPOConfig, outlook: Outlook, device: Device) -> None:
        self._config, self._outlook = config, outlook
        self._device = device
        specs = config.ppo.teachers
        self._teachers = {
            rules: self._teacher(spec, rules)
            for spec, rules in zip(specs, config.all_rules if specs else (), strict=True)
        }

    def _teacher(self, spec: str, rules: RuleSet) -> tuple[Mlp, Tensor]:
        """Return a network, and where what it is shown stands in what the learner is shown."""
        config, network = self._config, load_network(spec)
        info = network.info
        for players in dict.fromkeys(players for _, players in config.games):
            made_for = info.rules, info.num_players, info.bet_sizes
            check_fit(spec, made_for, rules, players, config.bet_sizes)
        if network.outlook is None or info.activation != "relu":
            raise SabaccError(f"{spec}: only a network of the PPO trainer can be a teacher")
        try:
            places = self._outlook.places_of(network.outlook)
        except SabaccError:
            raise SabaccError(
                f"{spec}: is shown more than the networks of this run, for it was made for more "
                f"seats or more rule sets"
            ) from None
        copy = Mlp(network.layer_sizes, self._device.made)
        for name, part in named_layers(copy.parts(copy.weights)).items():
            part.copy_(torch.from_numpy(network.weights[name]))
        copy.settle()
        return copy, torch.from_numpy(places).to(self._device.made.device)

    def logs(self, rows: Rows, tables: Tables) -> Tensor:
        """Return the logarithms of their probabilities of legal actions, (n, num_actions).

        Args:
            rows: decisions.
            tables: where these were taken.
        """
        shape = len(rows), tables.action_masks.shape[1]
        found = torch.zeros(shape, device=self._device.made.device)
        rule_of = tables.rule_of[rows.tables]
        for number, rules in enumerate(tables.rule_sets):
            network, places = self._teachers[rules]
            own = torch.from_numpy(np.flatnonzero(rule_of == number)).to(found.device)
            shown = rows.shown[own][:, places]
            found[own] = logs_of(network, shown, rows.legal[own], self._device)
        return found
