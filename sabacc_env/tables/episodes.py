"""Whole episodes by compiled policies: the fastest way to results, without a record for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes
from sabacc_env.arguments import check_credits, check_int, check_sequence
from sabacc_env.engine.chance import POLICY, next_word, stream
from sabacc_env.engine.drivers import policy_loop
from sabacc_env.engine.drivers.batch import Starts
from sabacc_env.engine.drivers.policy_code import Policy, policy_codes
from sabacc_env.engine.layout import MAX_SEATS, NUM_KINDS
from sabacc_env.engine.observation.blocks import COLUMNS
from sabacc_env.errors import IllegalMove, SabaccError
from sabacc_env.game.game import Game
from sabacc_env.game.keys import hand_key, split_key
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.tables.arrays import TableArrays
from sabacc_env.tables.cpu import DECISIONS_PER_CHUNK, Cpu
from sabacc_env.tables.hand_starts import int_array, key_words
from sabacc_env.tables.settings import TableSettings

DECISIONS_A_HAND: Final = 16
"""About as many as hands have, to hear Ctrl-C between parts of some hundredths of a second."""

ROUNDS: Final = len(COLUMNS.round_no)
TOTALS: Final = 16
"""Rounds and totals by which moves are counted; those beyond count as the last."""


Choose = Callable[[int, TurnBuffers], int]
"""Returns the action of a seat, from the buffers that its decision was written into."""


class Episodes(NamedTuple):
    """What episodes brought.

    Attributes:
        net_credits: (n, seats) int64, what each seat won, over all hands of its episode.
        hands_dealt: (n, seats) int64, in how many hands each seat was dealt in. The largest of an
            episode is the number of its hands; a seat with fewer could not pay its antes any more.
        moves: (seats, rounds, totals, kinds) int64, how often each seat played each kind of move
            (``KINDS``), by round (the last one is round 4 or later) and by the total of its hand
            without sign (the last one is 15 or more).
        moves_by_hand: (seats, hands, kinds) int64, the same by what its hand would have ranked, in
            the order of ``HAND_NAMES``.
        reveals: (seats, hands, 2) int64, how often a hand was revealed, and won the main pot.
    """

    net_credits: NDArray[np.int64]
    hands_dealt: NDArray[np.int64]
    moves: NDArray[np.int64]
    moves_by_hand: NDArray[np.int64]
    reveals: NDArray[np.int64]


def play_episodes(
    rules: str | Path | RuleSet,
    policies: Sequence[Policy],
    keys: ArrayLike,
    *,
    seed: int | None = None,
    hands: int = 1,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    credits: Sequence[int] | None = None,
    sabacc_pot: int = 0,
    threads: int = 1,
) -> Episodes:
    """Play an episode for each key from its start to its end, each seat by its compiled policy.

    It plays the hands that ``Tables`` plays with these keys. What the policies draw is decided by
    the seed and the episode's key, so an episode is the same whatever is played beside it. Ctrl-C
    is heard within a second.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        policies: a function made by ``sabacc_env.policies.policy`` for each seat.
        keys: (n,) 64-bit keys, of the first hand of each episode; the key decides the first dealer.
            The later hands of a match have the keys ``hand_key(key, 0, hand)``, which follow.
        seed: decides what the policies draw; None is random.
        hands: hands in an episode: a single one, or a match of at most so many: credits, Sabacc pot
            and dealer carry over, and it ends early when fewer than two seats can pay their antes.
        bet_sizes: what the bet actions mean.
        credits: each seat's credits before the first antes; by default the rules' own.
        sabacc_pot: credits in the Sabacc pot before the first antes.
        threads: how many threads play; results do not depend on it.

    Raises:
        SabaccError: for a wrong argument; names it.
        IllegalMove: for a policy that chose an illegal action: names the episode and the action.

    >>> from sabacc_env.policies import always_raise, calling_station
    >>> played = play_episodes("orsl", [always_raise, calling_station], range(1000), seed=0)
    >>> played.net_credits.shape, int(played.hands_dealt.max())
    ((1000, 2), 1)
    """
    from sabacc_env.policies import one_a_seat  # compiled when imported

    rules = load_rules(rules)
    seats = len(check_sequence("policies", policies))
    threads = check_int("threads", threads, 1, 1024)
    words = _words_of(keys)
    n = len(words)
    settings = TableSettings.check(
        rules, threads, seats, seed=seed, hands=hands, bet_sizes=bet_sizes, packed=False
    )
    codes = policy_codes(one_a_seat(policies, seats))
    stacks = check_credits(rules, seats, credits, sabacc_pot)
    if not rules.points and sum(stack >= rules.ante_unit for stack in stacks) < 2:
        raise SabaccError(
            f"credits: fewer than two seats can pay the antes of {rules.ante_unit} credits"
        )
    starts = Starts(
        seed=np.array(split_key(settings.seed)),
        keys=np.zeros((threads, 2), dtype=np.int64),
        dealers=np.zeros(0, dtype=np.int64),
        credits=np.tile(np.array(stacks + [0] * (MAX_SEATS - seats)), (threads, 1)),
        sabacc_pots=np.full(threads, sabacc_pot),
        rule_pool=np.zeros(0, dtype=np.int64),
    )
    names = len(HAND_NAMES[rules.ranking])
    episodes = policy_loop.Episodes(
        keys=words,
        net_credits=np.zeros((n, seats), dtype=np.int64),
        hands_dealt=np.zeros((n, seats), dtype=np.int64),
        moves=np.zeros((threads, seats, ROUNDS, TOTALS, NUM_KINDS), dtype=np.int64),
        moves_by_hand=np.zeros((threads, seats, names, NUM_KINDS), dtype=np.int64),
        reveals=np.zeros((threads, seats, names, 2), dtype=np.int64),
        illegal=np.full((threads, 2), -1),
    )
    cpu = Cpu(threads)
    arrays = TableArrays(settings, cpu)
    batches = arrays.games, arrays.turns, arrays.results, starts, episodes, codes
    decisions = min(DECISIONS_A_HAND * settings.hands, DECISIONS_PER_CHUNK)
    for indices, _ in cpu.chunks(np.arange(n), decisions):
        cpu.run(policy_loop.play_episodes, batches, arrays.indices, indices)
        for table in np.flatnonzero(episodes.illegal[:, 0] >= 0):
            episode, action = map(int, episodes.illegal[table])
            what = settings.illegal(action, int(arrays.turns.seats[table]))
            raise IllegalMove(f"policies: episode {episode}: {what}")
    return Episodes(
        episodes.net_credits,
        episodes.hands_dealt,
        *(each.sum(axis=0) for each in (episodes.moves, episodes.moves_by_hand, episodes.reveals)),
    )


def replay_episode(
    rules: str | Path | RuleSet,
    num_players: int,
    key: int,
    choose: Choose,
    *,
    hands: int = 1,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    credits: Sequence[int] | None = None,
    sabacc_pot: int = 0,
) -> list[Game]:
    """Play an episode of ``Tables`` or ``play_episodes`` again; return its hands at their ends.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_players: seats at the table.
        key: the key of the first hand.
        choose: returns the action of each decision, in order: ``policy_choices``, or what was
            recorded.
        hands: hands in the episode, at most.
        bet_sizes: what the bet actions mean.
        credits: each seat's credits before the first antes; by default the rules' own.
        sabacc_pot: credits in the Sabacc pot before the first antes.

    >>> from sabacc_env.policies import random_legal
    >>> policies = [random_legal] * 3
    >>> played = play_episodes("casino", policies, [5, 6, 7], seed=1)
    >>> (hand,) = replay_episode("casino", 3, 6, policy_choices(policies, 6, seed=1))
    >>> hand.net_credits == played.net_credits[1].tolist()
    True
    """
    game = Game(rules, num_players, key=key, credits=credits, sabacc_pot=sabacc_pot)
    buffers = TurnBuffers(game.rules, encode_bet_sizes(bet_sizes))
    played = []
    for hand in range(hands):
        if hand:
            game = _next_hand(game, hand_key(key, 0, hand))
        game.set_episode_position(hand, hands)
        seat = game.write_turn(buffers)
        while seat >= 0:
            seat = game.play_action(buffers, choose(seat, buffers))
        played.append(game)
        if not game.can_deal_next_hand():
            break
    return played


def policy_choices(policies: Sequence[Policy], key: int, *, seed: int) -> Choose:
    """Return what ``play_episodes`` lets policies choose in an episode, for ``replay_episode``.

    Args:
        policies: one for each seat.
        key: the key of its first hand.
        seed: that of ``play_episodes``.
    """
    from sabacc_env.policies import legal_bits, observation_rows, one_a_seat

    codes = policy_codes(one_a_seat(policies, len(policies)))
    low, high = split_key(key & 2**64 - 1)
    state, increment = stream(*stream(*split_key(seed), POLICY, low), POLICY, high)
    chosen = np.zeros(1, dtype=np.int64)

    def choose(seat: int, buffers: TurnBuffers) -> int:
        nonlocal state
        state, word = next_word(state, increment)
        seen = observation_rows(buffers.observation[None]), legal_bits(buffers.mask[None])
        policy_loop.choose_actions(codes[seat], *seen, np.array([word]), chosen)
        return int(chosen[0])

    return choose


def _next_hand(game: Game, key: int) -> Game:
    """Deal the next hand of a match: dealer, credits and Sabacc pot carry over."""
    carried: dict[str, Any] = {"dealer": (game.dealer + 1) % game.num_players}
    if not game.rules.points:
        carried |= {"credits": game.credits, "sabacc_pot": game.sabacc_pot}
    return Game(game.rules, game.num_players, key=key, **carried)


def _words_of(keys: ArrayLike) -> NDArray[np.int64]:
    """Return the words of given keys, (n, 2)."""
    try:
        given = int_array(keys)
    except (ValueError, TypeError, OverflowError) as error:
        raise SabaccError("keys: give whole numbers of 64 bits") from error
    if given.ndim != 1:
        raise SabaccError(f"keys: give one for each episode, (n,), not {given.shape}")
    return key_words(given)
