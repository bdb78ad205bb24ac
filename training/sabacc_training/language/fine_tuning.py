"""Fine-tuning of a small language model by exact regrets: first imitation, then policy gradients.

The model of ``char_transformer`` first learns to tell its hand and to name any of the legal moves
that a prompt lists. Then it answers each prompt several times, and the gradient raises the
log_probs of answers whose reward is above the mean of their prompt, as in GRPO (Shao et al. 2024),
without its division by the deviation (Liu et al. 2025). GRPO's KL divergence from the policy before
keeps answers legal and apart. The reward is minus the regret of the move, in antes, so no luck of
cards or opponents is in it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import torch
from pydantic import BaseModel, Field
from torch import Tensor, nn

from sabacc_env.errors import SabaccError
from sabacc_env.storage.checksums import pack_with_checksum
from sabacc_env.storage.files import write_bytes
from sabacc_training.config.base import Config
from sabacc_training.config.run import Count, Positive, Weight
from sabacc_training.jobs.checkpoint_file import read_checkpoint
from sabacc_training.language.char_transformer import (
    PADDING,
    CharTransformer,
    answer_tokens,
)
from sabacc_training.language.episode import Turn
from sabacc_training.runs.checkpoint import refuse_malformed_state
from sabacc_training.statistics.estimate import MILLI, Estimate

FORMAT: Final = b"sabacc-env fine-tuning 1\n"

TRAINING_SEEDS: Final = 2**32
"""Seeds of training begin at this times the run's seed + 1; those of evaluation are below it."""

WARM_UP: Final = 50
"""Steps of imitation in which the learning rate rises from 0."""

MAX_GRAD_NORM: Final = 1.0

EVALUATION_BATCH: Final = 64

_LISTED: Final = re.compile(r"^\d+: (.+)$", re.MULTILINE)
_HAND: Final = re.compile(r"^Your hand: (.+?);", re.MULTILINE)


class Episodes(Protocol):
    """Single decisions in words: ``TextEpisodes``, or a server through ``OpenEnvEpisodes``."""

    def reset(self, seed: int) -> Turn:
        """Return the decision of a seed."""
        ...

    def step(self, text: str) -> Turn:
        """Take the answer to it."""
        ...


class FineTuning(Config):
    """How a model is fine-tuned."""

    purpose: ClassVar[str] = "fine-tuning"

    rules: str = "one_draw"
    """A rung of the ladder, whose decisions are asked for. A server decides that itself."""

    url: str | None = None
    """The address of an OpenEnv server, started with ``kind=decision retries=0``; without one the
    decisions are asked for in this process."""

    seed: int = Field(0, ge=0, lt=2**31)
    """Decides the first weights, the decisions and the answers."""

    imitation_prompts: Count = 1000
    """Prompts that imitation learns from."""

    imitation_steps: int = Field(400, ge=0)
    """Gradient steps of imitation."""

    imitation_learning_rate: Positive = 1e-3
    """Adam's learning rate in imitation."""

    updates: Count = 200
    """Updates by rewards, after imitation."""

    prompts: Count = 32
    """Prompts of an update, and of a step of imitation."""

    answers: int = Field(8, ge=2)
    """Answers to each prompt of an update."""

    learning_rate: Positive = 1e-3
    """Adam's learning rate in the first update; it falls linearly to 0."""

    kl_coef: tuple[Weight, Weight] = (0.2, 0.0)
    """Weight of the KL divergence from the policy that imitation left: its first and its last
    value, linear between. Without it all answers to a prompt are soon the same, and nothing tells
    any more which would be better."""

    refusal_cost: Weight = 1.0
    """What an answer costs that is not legal or cannot be read, in antes, beside the regret of the
    move that is then played."""

    evaluation_decisions: int = Field(1000, ge=2)
    """Decisions of an evaluation, always the same ones, none of which is trained on."""

    evaluate_every: Count = 50
    """Updates between two evaluations."""


class Evaluation(BaseModel):
    """What the answers of a model are worth.

    Attributes:
        update: how many updates the model has had.
        regret: the mean regret of a decision, in milli-antes.
        half_width: half the width of its 95 % interval.
        refused: the share of answers that are not legal, or cannot be read.
    """

    update: int
    regret: float
    half_width: float
    refused: float


class FineTuner:
    """Fine-tunes a model, step by step; all that it does derives from the configuration.

    Args:
        config: how.
        episodes: who asks.

    Attributes:
        model: the model.
        steps: steps of imitation and updates so far.
        rewards: the mean reward of each update.
        evaluations: the evaluations so far.
    """

    def __init__(self, config: FineTuning, episodes: Episodes) -> None:
        self.config = config
        self._episodes = episodes
        torch.manual_seed(config.seed)
        self.model = CharTransformer()
        self._reference = CharTransformer()  # what imitation leaves
        self._generator = torch.Generator().manual_seed(config.seed)
        self._optimizer = torch.optim.Adam(self.model.parameters())
        self.steps = 0
        self.rewards: list[float] = []
        self.evaluations: list[Evaluation] = []
        self._imitated: list[tuple[str, list[str]]] = []
        self._evaluated: list[str] = []

    def check_episodes(self) -> None:
        """Ask for one decision, so that a server of something else shows at once.

        Raises:
            SabaccError: where the episodes are no single decisions.
        """
        first = next(iter(self._seeds(0, 1)))
        prompt = self._episodes.reset(first).text
        if not _HAND.search(prompt) or not _LISTED.search(prompt):
            raise SabaccError("url: the prompts of this server do not tell the hand and the moves")
        self._answered(first, imitated_answers(prompt)[0])

    @property
    def total_steps(self) -> int:
        """Steps of imitation and updates in all."""
        return self.config.imitation_steps + self.config.updates

    @property
    def updates(self) -> int:
        """Updates so far."""
        return max(self.steps - self.config.imitation_steps, 0)

    @property
    def evaluation_is_due(self) -> bool:
        """Whether the model is to be evaluated before the next step."""
        due = self.updates % self.config.evaluate_every == 0 or self.steps == self.total_steps
        known = self.evaluations and self.evaluations[-1].update == self.updates
        return due and self.steps >= self.config.imitation_steps and not known

    def step(self) -> float:
        """Do a step of imitation or an update; return its loss, or its mean reward."""
        if self.steps < self.config.imitation_steps:
            found = self._imitate()
        else:
            if self.updates == 0:
                self._optimizer = torch.optim.Adam(self.model.parameters())
                self._reference.load_state_dict(self.model.state_dict())
            found = self._update()
            self.rewards.append(found)
        self.steps += 1
        return found

    def _seeds(self, begin: int, count: int) -> range:
        first = (self.config.seed + 1) * TRAINING_SEEDS + begin
        return range(first, first + count)

    def _asked(self, seeds: Sequence[int]) -> list[str]:
        return [self._episodes.reset(seed).text for seed in seeds]

    # Imitation.

    def _imitate(self) -> float:
        """Raise the log_probs of answers that name a legal move, any of those that are listed."""
        config = self.config
        if not self._imitated:
            prompts = self._asked(self._seeds(0, config.imitation_prompts))
            self._imitated = [(prompt, imitated_answers(prompt)) for prompt in prompts]
        chosen = [self._imitated[row] for row in self._drawn(len(self._imitated), config.prompts)]
        answers = [listed[self._drawn(len(listed), 1)[0]] for _, listed in chosen]
        tokens = answer_tokens(answers)
        memory = self.model.read([prompt for prompt, _ in chosen])
        log_probs = _taken(self.model(memory, tokens).log_softmax(-1), tokens)
        rate = config.imitation_learning_rate * min(1, (self.steps + 1) / WARM_UP)
        return self._descend(-log_probs.mean(), rate)

    def _drawn(self, below: int, count: int) -> list[int]:
        found: list[int] = torch.randint(below, (count,), generator=self._generator).tolist()
        return found

    # Policy gradients.

    def _update(self) -> float:
        """Raise the log_probs of answers that are better than others to the same prompt."""
        config = self.config
        begin = config.imitation_prompts + self.updates * config.prompts
        seeds = self._seeds(begin, config.prompts)
        prompts = self._asked(seeds)
        with torch.no_grad():
            memory = self.model.read(prompts).repeated(config.answers)
        answers = self.model.sample(memory, self._generator)
        groups = [
            answers[row : row + config.answers] for row in range(0, len(answers), config.answers)
        ]
        rewards = torch.tensor(list(map(self._rewards, seeds, groups)))
        advantages = (rewards - rewards.mean(dim=1, keepdim=True)).flatten()
        tokens = answer_tokens(answers)[:, : self.model.max_answer]
        distributions = self._distributions(self.model, prompts, tokens)
        log_probs = _taken(distributions, tokens)
        kl = self._kl(distributions, prompts, tokens)
        left = 1 - self.updates / config.updates
        first, last = config.kl_coef
        loss = -(advantages * log_probs).mean() + (last + (first - last) * left) * kl.mean()
        self._descend(loss, config.learning_rate * left)
        return float(rewards.mean())

    def _rewards(self, seed: int, answers: Sequence[str]) -> list[float]:
        """Return the reward of each answer to a prompt; equal answers are played once."""
        known = {answer: self._answered(seed, answer) for answer in dict.fromkeys(answers)}
        cost = self.config.refusal_cost
        return [
            turn.reward - cost * (turn.refusal is not None)
            for turn in map(known.__getitem__, answers)
        ]

    def _answered(self, seed: int, answer: str) -> Turn:
        self._episodes.reset(seed)
        turn = self._episodes.step(answer)
        if not turn.done or turn.regret is None:
            raise SabaccError(
                "url: this server does not ask for single decisions; start it with "
                "kind=decision retries=0"
            )
        return turn

    def _distributions(
        self, model: CharTransformer, prompts: Sequence[str], tokens: Tensor
    ) -> Tensor:
        """Return the log_probs of all characters at each place of the answers to prompts."""
        logits: Tensor = model(model.read(prompts).repeated(self.config.answers), tokens)
        return logits.log_softmax(-1)

    def _kl(self, distributions: Tensor, prompts: Sequence[str], tokens: Tensor) -> Tensor:
        """Return the KL divergence from the reference in each answer, summed over its places."""
        with torch.no_grad():
            reference = self._distributions(self._reference, prompts, tokens)
        at_places = (distributions.exp() * (distributions - reference)).sum(-1)
        return (at_places * (tokens != PADDING)).sum(1)

    def _descend(self, loss: Tensor, learning_rate: float) -> float:
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRAD_NORM)
        self._optimizer.step()
        return float(loss.detach())

    # Evaluation.

    def evaluate(self) -> Evaluation:
        """Answer the decisions of the evaluation once each; keep and return what they are worth."""
        seeds = range(self.config.evaluation_decisions)
        if not self._evaluated:
            self._evaluated = self._asked(seeds)
        generator = torch.Generator().manual_seed(self.config.seed)
        answers = []
        for begin in range(0, len(seeds), EVALUATION_BATCH):
            prompts = self._evaluated[begin : begin + EVALUATION_BATCH]
            with torch.no_grad():
                answers += self.model.sample(self.model.read(prompts), generator)
        turns = list(map(self._answered, seeds, answers))
        regrets = np.array([turn.regret or 0.0 for turn in turns])
        estimate = Estimate.from_values(MILLI * regrets)
        found = Evaluation(
            update=self.updates,
            regret=estimate.mean,
            half_width=estimate.half_width(),
            refused=float(np.mean([turn.refusal is not None for turn in turns])),
        )
        self.evaluations.append(found)
        return found

    # Saving.

    @property
    def _identity(self) -> dict[str, Any]:
        """All that decides what is done: the address of a server does not."""
        return self.config.model_dump(mode="json", exclude={"url"})

    def save(self, path: Path) -> None:
        """Write everything that ``restore`` needs, in one step."""
        state = {
            "model": self.model.state_dict(),
            "reference": self._reference.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "generator": self._generator.get_state(),
            "steps": self.steps,
            "rewards": self.rewards,
            "evaluations": [each.model_dump() for each in self.evaluations],
        }
        buffer = io.BytesIO()
        torch.save(state, buffer)
        header = self._identity
        write_bytes(path, pack_with_checksum(FORMAT, header, buffer.getvalue()))

    def restore(self, path: Path) -> None:
        """Go on from what ``save`` wrote.

        Raises:
            SabaccError: for a file that is missing, damaged, or of another configuration.
        """
        header, data = read_checkpoint(path, FORMAT)
        if header != self._identity:
            raise SabaccError(
                f"{path}: was made with another configuration; resume with the same keys, or start "
                "afresh in another folder"
            )
        with refuse_malformed_state(path):
            state: dict[str, Any] = torch.load(io.BytesIO(data), weights_only=True)
            self.model.load_state_dict(state["model"])
            self._reference.load_state_dict(state["reference"])
            self._optimizer.load_state_dict(state["optimizer"])
            self._generator.set_state(state["generator"])
            self.steps = int(state["steps"])
            self.rewards = list(map(float, state["rewards"]))
            self.evaluations = [Evaluation(**each) for each in state["evaluations"]]


def imitated_answers(prompt: str) -> list[str]:
    r"""Return an answer for each legal move that a prompt lists.

    An answer tells the hand first, as models do who reason before they answer. What was written
    decides what follows more easily than what stands somewhere in the prompt.

    >>> imitated_answers("Your hand: 0a; total +0, Sabacc.\n6: check\n29: raise to 1")
    ['0a. Answer: check', '0a. Answer: raise to 1']
    """
    hand = _HAND.search(prompt)
    assert hand is not None
    return [f"{hand[1]}. Answer: {move}" for move in _LISTED.findall(prompt)]


def _taken(distributions: Tensor, tokens: Tensor) -> Tensor:
    """Return the log_prob of each answer, (answers,): the sum over its characters."""
    at_places = distributions.gather(2, tokens[..., None])[..., 0]
    return (at_places * (tokens != PADDING)).sum(1)
