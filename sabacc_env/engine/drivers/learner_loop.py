"""The compiled loop of one learner's seat at each table: the other seats play until it is to act.

A learner's result counts only in episodes in which it has acted. Its seat moves on by one at every
episode. A seat whose agent is no compiled policy waits for its action: then Python asks the agent,
and calls again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sabacc_env.engine.chance import POLICY, next_word, stream
from sabacc_env.engine.drivers.batch import (
    Games,
    Results,
    Starts,
    Turns,
    is_legal_action,
    play_turn,
    prefetch_later,
    write_forms,
)
from sabacc_env.engine.drivers.move_log import MoveLog, end_logged_hand, log_move
from sabacc_env.engine.drivers.policy_code import NO_POLICY, call_policy
from sabacc_env.engine.drivers.results import write_outcome
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import Array
from sabacc_env.engine.observation.planes import write_planes
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.token_log import read_tokens

NO_ACTION: Final = -1
"""In ``actions``: none is given, for a compiled policy is to act."""

MAX_DECISIONS: Final = 1024
"""A call plays no more at a table, so that Ctrl-C is heard."""

# Events at a table, as bits.
HAND_ENDED: Final = 1
EPISODE_BEGAN: Final = 2
ILLEGAL: Final = 4
"""A policy has chosen an illegal action, which is in ``refused``."""


class Learners(NamedTuple):
    """The learner's seat at each table, who plays the others, and what its hands brought."""

    seats: Array  # (n,) int64
    members: Array  # (n, seats) int64: the index of the policy that plays a seat
    acted: Array  # (n,) bool: whether the learner has acted in this episode
    final_rows: Array  # (n,) OBSERVATION_DTYPE: what it saw at the end of its last episode
    final_planes: Array  # (n, *PLANES_SHAPE) int8, likewise; (0, ...) if not wanted
    final_tokens: Array  # (n, length) int16, likewise; (0, ...) if not wanted
    outcomes: Array  # (n,) OUTCOME_DTYPE: how its last hand ended
    outcome_rules: Array  # (n,) int64: the index of the rules of that hand
    hands: Array  # (n,) int64: how many hands counted
    margins: Array  # (n,) float64: in antes: what it won in them more than each other seat, summed
    refused: Array  # (n,) int64: the illegal action of a policy
    log: MoveLog  # the moves of its hands, if they are wanted


class LearnerStep(NamedTuple):
    """What one step of the learners brought, at every table."""

    rewards: Array  # (n,) float64: net credits, in antes
    hand_finished: Array  # (n,) bool: a hand of the learner's
    episode_over: Array  # (n,) bool: its episode
    illegal: Array  # (n,) bool: its action was illegal, and the engine played none
    events: Array  # (n,) int8, bits: what else happened since they were heeded


@jit
def play_learners(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    learners: Learners,
    step: LearnerStep,
    policies: Any,
    call_number: int,
    draws: bool,
    tables: Array,
    actions: Array,
) -> None:
    """Play an action at each of these tables, and then policies until another is to be asked.

    That is the learner, or an agent that is no policy. With ``draws`` a table stops where an
    episode begins too: who plays in it is still to be drawn, and what the next one starts from.
    ``policies`` are the ``policy_codes`` that ``learners.members`` numbers. Their random words come
    from a stream for (seed, table, call number).
    """
    for i in range(len(tables)):
        prefetch_later(games, turns, tables, i)
        table = tables[i]
        low, high = stream(starts.seed[0], starts.seed[1], POLICY, table)
        state, increment = stream(low, high, POLICY, call_number)
        action = actions[i]
        for _ in range(MAX_DECISIONS):
            if action != NO_ACTION:
                began = play_and_count(games, turns, results, starts, learners, step, table, action)
                if began and draws:
                    break
            seat = turns.seats[table]
            if seat < 0 or seat == learners.seats[table]:
                break
            code = policies[learners.members[table, seat]]
            if code == NO_POLICY:
                break
            state, word = next_word(state, increment)
            action = call_policy(code, seat, turns.rows[table], turns.legal[table], word)
            if not is_legal_action(turns.legal[table], action):
                learners.refused[table] = action
                step.events[table] |= ILLEGAL
                break
        write_forms(games, turns, table)


@inlined
def play_and_count(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    learners: Learners,
    step: LearnerStep,
    table: int,
    action: int,
) -> bool:
    """Play a legal action, and count what it ends; return whether an episode began."""
    results.finished[table] = False
    results.match_finished[table] = False
    num_players = int(games.records[table].num_players)
    for seat in range(num_players):
        results.net_credits[table, seat] = 0
    if turns.seats[table] == learners.seats[table]:
        learners.acted[table] = True
    if len(learners.log.moves) > 0:
        log_move(learners.log, games, table, action)
    play_turn(games, turns, results, starts, True, table, action)
    if not results.finished[table]:
        return False
    if len(learners.log.moves) > 0:
        end_logged_hand(learners.log, table)
    step.events[table] |= HAND_ENDED
    if learners.acted[table]:
        count_hand(games, turns, results, learners, step, table)
    if not results.match_finished[table]:
        return False
    step.events[table] |= EPISODE_BEGAN
    learners.acted[table] = False
    learners.seats[table] = (learners.seats[table] + 1) % num_players
    return True


@inlined
def count_hand(
    games: Games,
    turns: Turns,
    results: Results,
    learners: Learners,
    step: LearnerStep,
    table: int,
) -> None:
    """Count a hand of the learner's that has just ended."""
    g = results.final_games[table]
    r = games.rules[results.final_rule_of[table]]
    learner = learners.seats[table]
    net = results.net_credits[table, learner]
    unit = int(r.hand_ante) + int(r.sabacc_ante)
    step.rewards[table] += net / unit
    step.hand_finished[table] = True
    write_outcome(g, r, learners.outcomes[table])
    learners.outcome_rules[table] = results.final_rule_of[table]
    learners.hands[table] += 1
    margin = 0
    for seat in range(int(g.num_players)):
        margin += net - results.net_credits[table, seat]
    learners.margins[table] += margin / unit
    if results.match_finished[table]:
        step.episode_over[table] = True
        observe(g, r, learner, learners.final_rows[table])
        if len(learners.final_planes) > 0:
            write_planes(g, learner, learners.final_planes[table])
        if len(learners.final_tokens) > 0:
            last = 1 - turns.sequences.current[table]
            row = learners.final_tokens[table]
            read_tokens(turns.sequences, table, last, learner, int(g.num_players), row)
