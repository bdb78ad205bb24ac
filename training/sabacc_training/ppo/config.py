"""Configuration of a run of the PPO trainer: typed, frozen, read from a file."""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from sabacc_agents.networks.network import MAX_RECALLED_DECISIONS

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_training.config.base import Config
from sabacc_training.config.game import RulesConfig
from sabacc_training.config.run import (
    Count,
    PoolConfig,
    Positive,
    RunConfig,
    Share,
    TableCount,
    Weight,
    Width,
)
from sabacc_training.ppo.network_inputs import CriticInput

NETWORK_KEYS: Final = ("initial", "hidden_sizes", "recalled_decisions")
"""The hyperparameters that the weights of a policy depend on."""


class PPOHyperparameters(Config):
    """Hyperparameters of PPO with action masks and a KL term; gamma is 1.

    A pair of numbers is a linear schedule: its first and its last value.
    """

    later = frozenset(
        {
            "initial",
            "critic_warmup",
            "reward",
            "advantage_unit",
            "log_barrier_coef",
            "recalled_decisions",
            "magnet_tau",
            "trembles",
            "tremble_decisions",
        }
    )

    num_tables: TableCount = 4096
    """Tables played side by side."""

    rollout_steps: Count = 32_768
    """Decisions of the learner in a rollout, at least. As many more can be carried over from the
    rollout before, because their hands were not over then. If there are more, the oldest are
    dropped, so at full tables, where hands last long, ``rollout_steps`` should be several times
    ``num_tables`` (watch ``rollout/dropped_fraction``)."""

    minibatch_size: Count = 4096
    """Decisions in a gradient step, or all of a rollout that has fewer. All minibatches have this
    size, so they overlap a little or leave some decisions out."""

    n_epochs: Count = 2
    """Passes over a rollout in an update."""

    learning_rate: tuple[Positive, Weight] = (2e-3, 0.0)
    """Adam's learning rate."""

    ent_coef: tuple[Weight, Weight] = (0.02, 0.002)
    """Weight of the entropy bonus in the loss, over the legal actions."""

    log_barrier_coef: tuple[Weight, Weight] = (0.0, 0.0)
    """Weight of a log barrier in the loss: of the mean negative log probability of the legal
    actions. It keeps the probability of bad actions above about the weight over what they lose,
    so that they come back when they become good. An entropy bonus lets them vanish."""

    magnet: Literal["none", "periodic", "moving_average", "teachers"] = "moving_average"
    """The policy that the KL term of the loss pulls towards (magnetic mirror descent, Sokota et al.
    2023; a moving average as the magnet, as in EMAgnet). ``none`` leaves plain PPO;
    ``periodic`` is a copy of the policy, renewed every ``magnet_update_interval`` updates;
    ``moving_average`` is an average of policies, the one that is saved unless ``magnet_tau`` makes
    another; ``teachers`` are saved networks."""

    teachers: tuple[str, ...] = ()
    """Saved networks of the PPO trainer, as ``sabacc_agents.load`` takes them: one for each rule
    set of the run, in the same order."""

    kl_coef: Weight = 0.1
    """Weight of the KL divergence from the magnet in the loss, over the legal actions."""

    magnet_update_interval: Count = 20
    """Updates between two copies, where ``magnet = "periodic"``."""

    magnet_tau: Share | None = None
    """Weight of the newest policy in the average that is the magnet, where
    ``magnet = "moving_average"``; by default ``polyak_tau``, and then the magnet is what is saved.
    A smaller ``polyak_tau`` saves an average of more policies, which has less of the noise of
    single updates. As the magnet, such an average would hold the policy back."""

    clip_range: Positive = 0.2
    """PPO's clip range: how far the probability ratio may move from 1 and still be rewarded."""

    gae_lambda: Share = 0.8
    """Lambda of generalised advantage estimation."""

    max_grad_norm: Positive = 0.5
    """The largest norm of each network's gradient; a longer gradient is scaled down to it."""

    critic_input: CriticInput = "everything"
    """What the critic sees, in training only: the policy's own inputs (``own_hand``), the other
    seats' hands as well (``all_hands``), or even the cards and dice to come (``everything``). The
    more it sees, the less variance its value estimates leave to luck."""

    hidden_sizes: tuple[Width, ...] = Field((256, 256), min_length=1)
    """Widths of the hidden layers, the same for the policy and for the critic. With ``initial`` the
    policy has those of the network."""

    recalled_decisions: int = Field(0, ge=0, le=MAX_RECALLED_DECISIONS)
    """How many of its own last decisions of the hand the networks recall: the cards that the seat
    held, drew and could take at these, beside the observation. An observation has the cards of
    now."""

    initial: str | None = None
    """A saved network of the PPO trainer that the policy begins as: ``zoo:NAME`` or a path. It was
    made for the rules and the bet sizes of the run, at any number of seats, and maybe for more
    rules. By default the policy begins with random weights."""

    critic_warmup: Share = 0.1
    """With ``initial``: the share of the run in which only the critic learns, at the beginning. The
    critic begins with random weights, and its first values would lead the policy away from what it
    begins as."""

    reward: Literal["net_credits", "margin"] = "net_credits"
    """What a hand is worth to a seat: its net credits, or what it wins more than the mean of the
    others, at two seats half of that, as margins are measured. The two differ where there is a
    Sabacc pot: with ``margin`` two seats win what each other loses."""

    reward_scale: Positive = 10.0
    """Antes won that make a reward of 1. In games for points a reward is a point."""

    advantage_unit: Literal["ante", "stake"] = "ante"
    """What advantages are measured in before they are normalised: in antes, or each in what is at
    stake at its decision, the pot and what there is to call. In antes, large pots make most of each
    gradient, and the entropy bonus decides how small ones are played."""

    trembles: tuple[Share, Share] = (0.0, 0.0)
    """The share of hands in which a seat of the learner trembles: it plays a few decisions at
    random. The other seats learn what to answer, and the seat itself how to go on. So a policy
    learns about play that it has long given up."""

    tremble_decisions: Count = 8
    """The most random decisions in such a hand. Their number is drawn evenly."""

    precision: Literal["auto", "bfloat16", "float32"] = "auto"
    """Precision of matrix products; the weights are float32 throughout. ``auto`` is bfloat16 where
    the processor multiplies it faster. The same seed gives another run in another precision; a run
    that is resumed stays in the precision that it began in."""

    @model_validator(mode="after")
    def _check_teachers(self) -> Self:
        if bool(self.teachers) != (self.magnet == "teachers"):
            raise SabaccError('teachers: give teachers exactly when magnet = "teachers"')
        return self

    @model_validator(mode="after")
    def _check_magnet_tau(self) -> Self:
        if self.magnet_tau is not None and self.magnet != "moving_average":
            raise SabaccError(
                f'magnet_tau: the magnet is "{self.magnet}"; give magnet_tau only with '
                'magnet = "moving_average"'
            )
        return self

    @model_validator(mode="after")
    def _check_minibatch_size(self) -> Self:
        if self.minibatch_size > self.rollout_steps:
            raise SabaccError(
                f"minibatch_size: {self.minibatch_size} is more than the {self.rollout_steps} "
                "decisions of a rollout (rollout_steps); lower the one or raise the other"
            )
        return self


class ExploiterHyperparameters(PPOHyperparameters):
    """Hyperparameters of an exploiter.

    The defaults let it keep up with the learner. Its entropy bonus may be large: where the learner
    meets it, it plays its most probable actions.
    """

    num_tables: TableCount = 1024
    rollout_steps: Count = 8192
    minibatch_size: Count = 1024
    learning_rate: tuple[Positive, Weight] = (2e-3, 2e-3)
    ent_coef: tuple[Weight, Weight] = (0.05, 0.05)
    magnet: Literal["none", "periodic", "moving_average", "teachers"] = "none"
    reward: Literal["net_credits", "margin"] = "margin"


class LeagueConfig(Config):
    """Exploiters: networks that learn best responses to the learner while it learns.

    Each plays against the current policy only, and learns before each update of the learner.
    """

    cold: int = Field(0, ge=0, le=8)
    """Exploiters that begin with random weights and learn to the end of the run."""

    warm: int = Field(0, ge=0, le=8)
    """Exploiters that begin as the learner, and begin anew as the learner's average policy after
    each ``warm_steps``. Their networks have the learner's sizes."""

    warm_steps: Count = 2_000_000
    """Decisions of a warm exploiter from one beginning to the next."""

    share: Share = 0.8
    """The share of the learner's hands that it plays against exploiters, all of them together. The
    rest is the pool's."""

    ppo: ExploiterHyperparameters = ExploiterHyperparameters()
    """How exploiters learn."""

    @property
    def exploiters(self) -> int:
        """How many there are: first the cold ones, then the warm ones."""
        return self.cold + self.warm


class PPOConfig(RunConfig):
    """One run of the PPO trainer: self-play of all seats, and a pool of opponents."""

    later = RunConfig.later | {"league"}

    trainer: Literal["ppo"]
    """Selects this trainer."""

    max_players: int | None = Field(None, ge=2, le=8)
    """The largest number of seats, where tables have different numbers from ``num_players`` up to
    this one. Each number has as many tables."""

    more_rules: tuple[RulesConfig, ...] = ()
    """Further rule sets, each played at as many tables; one network plays all."""

    device: Literal["cpu", "cuda"] = "cpu"
    """Where networks are trained and tables are played. Agents that do not learn run on the CPU in
    either case."""

    ppo: PPOHyperparameters = PPOHyperparameters()
    """Hyperparameters."""

    league: LeagueConfig = LeagueConfig()
    """The exploiters; by default there are none."""

    @model_validator(mode="after")
    def _check_beside_rule_space(self) -> Self:
        learners = self._hyperparameters.items()
        for key, given in (
            ("max_players", self.max_players is not None),
            ("more_rules", bool(self.more_rules)),
            ("device", self.device == "cuda"),
            *((f"{key}.teachers", bool(ppo.teachers)) for key, ppo in learners),
            *((f"{key}.advantage_unit", ppo.advantage_unit == "stake") for key, ppo in learners),
        ):
            if given and self.rule_space is not None:
                raise SabaccError(f"{key}: leave it out with rule_space, which it does not go with")
        return self

    @model_validator(mode="after")
    def _check_games(self) -> Self:
        if self.max_players is not None and self.max_players < self.num_players:
            raise SabaccError(
                f"max_players: {self.max_players} is less than num_players = {self.num_players}"
            )
        if len(set(self.all_rules)) < len(self.all_rules):
            raise SabaccError("more_rules: names a rule set twice; name each once")
        for key, ppo in self._hyperparameters.items():
            if ppo.teachers and len(ppo.teachers) != len(self.all_rules):
                raise SabaccError(
                    f"{key}.teachers: names {len(ppo.teachers)} for {len(self.all_rules)} rule "
                    "sets; name one teacher for each rule set"
                )
            if ppo.num_tables < len(self.games):
                raise SabaccError(
                    f"{key}.num_tables: {ppo.num_tables} is less than the {len(self.games)} games "
                    "of the run (rule sets and numbers of seats), which need at least one table "
                    "each"
                )
        return self

    @property
    def _hyperparameters(self) -> dict[str, PPOHyperparameters]:
        """The hyperparameters of all that learn, by their keys."""
        exploiters = {"league.ppo": self.league.ppo} if self.league.exploiters else {}
        return {"ppo": self.ppo, **exploiters}

    def exploiter(self, index: int) -> PPOConfig:
        """Return the run of an exploiter: the same game, and hyperparameters of its own."""
        ppo = self.league.ppo
        if index >= self.league.cold:
            same = {key: getattr(self.ppo, key) for key in NETWORK_KEYS}
            ppo = ppo.model_copy(update=same | {"critic_warmup": 0.0})
        seed = np.random.SeedSequence([self.seed, index]).generate_state(1)
        own = {
            "seed": int(seed[0]),
            "polyak_tau": 1.0,
            "pool": PoolConfig(current=1.0, snapshots=0.0, scripted={}),
            "ppo": ppo,
            "league": LeagueConfig(),
        }
        return self.model_copy(update=own)

    @cached_property
    def all_rules(self) -> tuple[RuleSet, ...]:
        """Every rule set of the run."""
        if self.rule_space is not None:
            return super().all_rules
        return (self.rule_set, *(more.rule_set for more in self.more_rules))

    @cached_property
    def games(self) -> tuple[tuple[RuleSet, int], ...]:
        """Every game of the run: a rule set and a number of seats.

        With a rule space there is one, whose rule set stands for those that hands draw.
        """
        if self.rule_space is not None:
            return ((self.rule_set, self.num_players),)
        seats = range(self.num_players, (self.max_players or self.num_players) + 1)
        return tuple((rules, players) for rules in self.all_rules for players in seats)
