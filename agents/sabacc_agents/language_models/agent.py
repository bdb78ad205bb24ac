"""An agent that asks a language model; docs/your-own-agent.md says how it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.external.failures import Failure, RowsFailedError
from sabacc_agents.language_models.spec import ModelSpec
from sabacc_agents.language_models.usage import Usage
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.errors import IllegalMove, SabaccError, how_to_install
from sabacc_env.game.view import GameView
from sabacc_env.rules import RuleSet
from sabacc_env.rules.text import page, paragraph
from sabacc_env.text import observation_text, parse_action

if TYPE_CHECKING:
    from sabacc_agents.language_models.endpoint import Complete

_SECTIONS: Final = ("Table", "Card phase", "Dice phase", "Betting phase", "Junking")
"""The sections on the rules that the system's message has; every prompt has the others."""

_ANSWER: Final = (
    "You are asked for one move at a time. Think as long as you need, and end with a line that "
    'names your move, such as "Answer: stand".'
)


class ModelAgent:
    """Lets a language model decide. Each decision is a conversation of its own.

    Args:
        rules, num_players, bet_sizes: the game.
        spec: ``model:NAME``; see ``ModelSpec``.

    Attributes:
        spec: the same; messages call the agent by it.
        settings: what the spec says.

    Raises:
        SabaccError: for a wrong spec, or one that does not say where the model is.
    """

    wants = "views with events"

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        *,
        spec: str,
    ) -> None:
        self.spec = spec
        self.settings = ModelSpec.parse(spec)
        try:
            from sabacc_agents.language_models.endpoint import Endpoint
        except ModuleNotFoundError as error:
            raise SabaccError(
                f"agent: {spec!r} needs {error.name}; {how_to_install('train')}"
            ) from None
        self._endpoint = Endpoint(self.settings)
        self._bet_sizes = bet_sizes
        self._system = _message("system", system_text(rules))

    @property
    def usage(self) -> Usage:
        """What was asked so far, and what that used up."""
        return self._endpoint.usage

    def reset(self, num_tables: int) -> None:
        """Do nothing: a prompt tells all of a hand."""

    def act(
        self,
        observations: Sequence[GameView],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Ask for an action for each row.

        Raises:
            RowsFailedError: if some rows have no answer.
        """
        actions = np.zeros(len(observations), dtype=np.int64)
        failures: dict[int, Failure] = {}
        for row, answer in enumerate(self._endpoint.ask_each(self._decide, observations)):
            if isinstance(answer, Failure):
                failures[row] = answer
            else:
                actions[row] = answer
        if failures:
            raise RowsFailedError(actions, failures)
        return actions

    def check(self) -> None:
        """Ask for a word, so that a wrong address, key or name of the model shows at once.

        Raises:
            SabaccError: if there is no answer.
        """
        question = [_message("user", "Say yes.")]
        (answer,) = self._endpoint.ask_each(lambda complete, asked: complete(asked), [question])
        if isinstance(answer, Failure):
            raise SabaccError(f"agent: {self.spec!r}: {answer.message}")

    async def _decide(self, complete: Complete, view: GameView) -> int | Failure:
        """Ask for one decision, again where the answer is no legal move."""
        prompt = observation_text(view, bet_sizes=self._bet_sizes)
        messages = [self._system, _message("user", prompt)]
        for _ in range(self.settings.retries + 1):
            answer = await complete(messages)
            try:
                return parse_action(answer, view, self._bet_sizes)
            except IllegalMove as error:
                self.usage.refused += 1
                refusal = str(error)
            messages += [_message("assistant", answer), _message("user", refusal)]
        return Failure("illegal", refusal)


def system_text(rules: RuleSet) -> str:
    """Return what a model is told before any decision.

    >>> from sabacc_env.rules import load_rules
    >>> print(system_text(load_rules("casino"))[:49])
    You play Corellian Spike Sabacc, and want to win.
    """
    sections = (
        f"{section.title}\n{paragraph(section.sentences)}"
        for section in page(rules)
        if section.title in _SECTIONS
    )
    return "\n\n".join(["You play Corellian Spike Sabacc, and want to win.", *sections, _ANSWER])


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}
