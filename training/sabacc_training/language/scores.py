"""The score of an agent on the form of the language-model leaderboard: regrets, a margin, refusals.

Any agent can be scored, so that a language model stands beside random play and the zoo.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.language_models.agent import ModelAgent
from sabacc_agents.loading import load

from sabacc_env import agent_calls
from sabacc_env.actions import encode_bet_sizes
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.rules import load_rules
from sabacc_training.evaluation.guarded_agent import GuardedAgent
from sabacc_training.evaluation.rows import Mean, Row
from sabacc_training.language.episode import TextEpisodes
from sabacc_training.language.task import TextTask, text_task
from sabacc_training.statistics.estimate import MILLI, Estimate
from sabacc_training.variance_reduction.measure import play_reduced
from sabacc_training.variance_reduction.values import shipped_value_function

RUNGS: Final = ("one_draw", "little_casino", "with_dice")
"""The solved games whose decisions are asked for."""

RULES: Final = "casino"
OPPONENT: Final = "zoo:casino-2p"

OnPart = Callable[[str], None]
"""Called with the name of a part that begins."""


class Score(Row):
    """A row of the leaderboard."""

    agent: str
    decisions: int
    """Decisions of each rung."""

    deals: int
    """Deals of the margin; each is played from both seats."""

    regrets: dict[str, Mean]
    """For each rung the mean regret of a decision, in milli-antes, against the equilibrium."""

    margin: Mean
    """In casino over ``OPPONENT``, in mante/hand, with control variates taken off."""

    refused: float | None
    """The share of the requests to a language model whose answer was not legal or could not be
    read; None for an agent that does not answer in words."""

    failures: int
    """Decisions without a legal answer, for which the default was played."""


HEAD: Final = "agent", *RUNGS, RULES, "refused", "failures"


def texts(row: Score) -> tuple[str, ...]:
    """Return a row as it stands in tables under ``HEAD``."""
    regrets = (str(row.regrets[rung]) for rung in RUNGS)
    refused = "-" if row.refused is None else f"{100 * row.refused:.1f} %"
    return row.agent, *regrets, str(row.margin), refused, str(row.failures)


def check(agent: str) -> None:
    """Refuse, before any game, an agent that ``score`` refuses, and a model that does not answer.

    Raises:
        SabaccError: for such an agent.
    """
    for rung in RUNGS:
        text_task(rules=rung, kind="decision", retries=0).load(agent)
    loaded = load(agent, load_rules(RULES), 2)
    if isinstance(loaded, ModelAgent):
        loaded.check()


def score(agent: str, decisions: int, deals: int, on_part: OnPart = lambda _: None) -> Score:
    """Return the score of an agent.

    Args:
        agent: as ``sabacc_agents.load`` takes it; it must play all rule sets at two seats.
        decisions: of each rung, at least two; the same ones for every agent.
        deals: of the margin, at least two.
        on_part: called when a part begins.

    Raises:
        SabaccError: for an agent that cannot be loaded, or does not play one of the games.
    """
    regrets, guarded = {}, []
    for rung in RUNGS:
        on_part(f"{agent}: {rung}")
        task = text_task(rules=rung, kind="decision", retries=0)
        guarded.append(GuardedAgent(task.load(agent)))
        found = decision_regrets(guarded[-1], task, decisions)
        regrets[rung] = Mean.of(Estimate.from_values(MILLI * found))
    on_part(f"{agent}: {RULES}")
    rules = load_rules(RULES)
    guarded.append(GuardedAgent(load(agent, rules, 2)))
    opponent = load(OPPONENT, rules, 2)
    values = shipped_value_function(rules)
    played = play_reduced(rules, [agent, OPPONENT], [guarded[-1], opponent], deals, values)
    return Score(
        agent=agent,
        decisions=decisions,
        deals=deals,
        regrets=regrets,
        margin=Mean.of(played.estimates()[1]),
        refused=_refused(guarded),
        failures=sum(each.failures.total() for each in guarded),
    )


def decision_regrets(agent: GuardedAgent, task: TextTask, decisions: int) -> NDArray[np.float64]:
    """Return the regret of an agent's move in decisions of a rung, (decisions,), in antes.

    The agent sees each decision by itself, at a table of its own.
    """
    episodes = TextEpisodes(task)
    buffers = TurnBuffers(task.rule_set, encode_bet_sizes(task.bet_sizes))
    shown: list[Any] = []
    masks, asked = [], []
    for seed in range(decisions):
        episodes.reset(seed)
        game = episodes.game
        game.write_turn(buffers)
        shown.append(agent_calls.agent_input(game, agent, buffers.observation.copy()))
        masks.append(buffers.mask.copy())
        assert episodes.decision is not None  # it is on a path that the equilibrium takes
        asked.append(episodes.decision)
    agent.reset(decisions)
    rows = list(chain(*shown)) if agent_calls.wants_views(agent) else np.concatenate(shown)
    rng, tables = np.random.default_rng(0), np.arange(decisions)
    actions = agent_calls.actions(agent, rows, np.stack(masks), rng, tables)
    pairs = zip(asked, actions.tolist(), strict=True)
    return np.array([decision.regret(action) for decision, action in pairs])


def _refused(agents: Sequence[GuardedAgent]) -> float | None:
    """Return the share of a model's requests whose answer was refused."""
    requests = sum(agent.usage.requests for agent in agents)
    return sum(agent.usage.refused for agent in agents) / requests if requests else None
