"""Every credit and every card is accounted for after every move of random hands."""

from __future__ import annotations

import numba
import numpy as np

from sabacc_env import RuleSet
from sabacc_env.actions import encode_bet_sizes
from sabacc_env.engine.chance import below, hand_key, stream
from sabacc_env.engine.layout import GAME_DTYPE, OVER
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.step import deal, play_action, reset_hand

BET_SIZES = encode_bet_sizes(("min", 0.5, 1, "max"))

# What is wrong, as the compiled loop reports it.
FINE, CREDITS, CARDS, NET, NO_MOVE = 0, 1, 2, 3, 4


@numba.njit
def _credits_of(g, points):
    total = int(g.sabacc_pot)
    for seat in range(int(g.num_players)):
        total += int(g.credits[seat])
    return total if g.phase == OVER or points else total + int(g.staked)


@numba.njit
def _cards_are_whole(g, r):
    """Say whether every card of the deck lies in exactly one place."""
    seen, count = int(g.junked_cards), 0
    for card in range(62):
        count += int(g.junked_cards) >> card & 1
    for seat in range(int(g.num_players)):
        for slot in range(int(g.num_cards[seat])):
            seen |= 1 << int(g.cards[seat, slot])
            count += 1
        if g.spikes[seat] >= 0:
            seen |= 1 << int(g.spikes[seat])
            count += 1
    for index in range(int(g.num_discards)):
        seen |= 1 << int(g.discards[index])
        count += 1
    for index in range(int(g.deck_next), int(g.deck_size)):
        seen |= 1 << int(g.deck[index])
        count += 1
    if g.drawn >= 0:
        seen |= 1 << int(g.drawn)
        count += 1
    deck = 0
    for index in range(int(r.deck_size)):
        deck |= 1 << int(r.deck[index])
    return seen == deck and count == r.deck_size


@numba.njit
def _play_hands(games, rules, bet_sizes, stacks, sabacc_pot, seed, hands):
    """Play random hands; return (what is wrong, the hand it is wrong in, moves played)."""
    g, r = games[0], rules[0]
    moves = 0
    for hand in range(hands):
        key_low, key_high = hand_key(seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF, 0, hand)
        for seat in range(len(stacks)):
            g.credits[seat] = stacks[seat]
        g.sabacc_pot = sabacc_pot
        before = _credits_of(g, True)
        reset_hand(g, r, key_low, key_high, hand % len(stacks))
        deal(g, r)
        state, increment = stream(key_low, key_high, 99, 0)
        while g.phase != OVER:
            if r.points == 0 and _credits_of(g, False) != before:
                return CREDITS, hand, moves
            if not _cards_are_whole(g, r):
                return CARDS, hand, moves
            legal = legal_actions(g, r, bet_sizes[0])
            count = 0
            for action in range(62):
                count += legal >> action & 1
            if count == 0:
                return NO_MOVE, hand, moves
            state, pick = below(state, increment, count)
            for action in range(62):
                if legal >> action & 1:
                    if pick == 0:
                        play_action(g, r, action, bet_sizes[0])
                        break
                    pick -= 1
            moves += 1
        net = 0
        for seat in range(len(stacks)):
            net += int(g.net_credits[seat])
        if _credits_of(g, r.points == 1) != before or not _cards_are_whole(g, r):
            return CREDITS, hand, moves
        if net != (0 if r.points else sabacc_pot - int(g.sabacc_pot)):
            return NET, hand, moves
    return FINE, hands, moves


def assert_conserved(
    rules: RuleSet, num_players: int, stacks: list[int], pot: int, seed: int, hands: int
) -> None:
    """Play random hands by these rules, and count credits and cards after every move."""
    games = np.zeros(1, GAME_DTYPE)
    games["num_players"] = num_players
    games["hands"] = 1
    wrong, hand, moves = _play_hands(
        games, rules_record(rules), BET_SIZES, np.array(stacks), pot, seed, hands
    )
    assert (wrong, hand) == (FINE, hands), f"after {moves} moves"
