"""The compiled entry points that write the forms of observation of one game.

They take arrays of one record, and the sequences of one table.
"""

from sabacc_env.engine.chance import force_chance
from sabacc_env.engine.forced_play import DEAL
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import FIRST_CARD_ACTION, MAX_HAND, RAISE, RAISE_TO, Array, Record
from sabacc_env.engine.observation.planes import write_planes
from sabacc_env.engine.observation.state import write_state
from sabacc_env.engine.token_log import Sequences, deal_and_log, play_and_log, read_tokens


@jit
def deal_hand_and_log(games: Array, rules: Array, sequences: Sequences) -> None:
    """Deal a game that is ready for its deal, as ``deal_hand`` does, and begin its sequences."""
    deal_and_log(games[0], rules[0], sequences, 0)


@jit
def replay_and_log(games: Array, buffers: Array, sequences: Sequences, moves: Array) -> None:
    """Play moves that ``pack_move`` packed, and append what happens to the sequences."""
    g = games[0]
    for i in range(len(moves)):
        code = code_of_move(g, int(moves[i]))
        play_and_log(g, buffers[0].rules, code, buffers[0].sizes, sequences, 0)


@jit
def replay_forced_and_log(
    games: Array, buffers: Array, sequences: Sequences, actions: Array, numbers: Array
) -> None:
    """Deal and play actions with forced chance, and append what happens to the sequences.

    ``actions`` begin with ``DEAL``; each has the number that forces what chance follows it.
    """
    g = games[0]
    for i in range(len(actions)):
        force_chance(g, int(numbers[i]), 0)
        if actions[i] == DEAL:
            deal_and_log(g, buffers[0].rules, sequences, 0)
        else:
            play_and_log(g, buffers[0].rules, int(actions[i]), buffers[0].sizes, sequences, 0)


@jit
def code_of_move(g: Record, move: int) -> int:
    """Return the code of a packed move of the seat to act."""
    kind = move >> 32 & 255
    if kind == RAISE:
        return RAISE_TO + (move & 0xFFFFFFFF)
    if kind < FIRST_CARD_ACTION:
        return kind
    slot = 0
    seat = int(g.seat_to_act)
    while slot < MAX_HAND - 1 and g.cards[seat, slot] != move & 255:
        slot += 1
    return FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND + slot


@jit
def write_tokens(games: Array, sequences: Sequences, seat: int, tokens: Array) -> None:
    """Write the sequence of a seat into a row."""
    read_tokens(sequences, 0, sequences.current[0], seat, int(games[0].num_players), tokens)


@jit
def write_card_planes(games: Array, seat: int, planes: Array) -> None:
    """Write what a seat sees of the cards into an array of ``PLANES_SHAPE``."""
    write_planes(games[0], seat, planes)


@jit
def write_hand_state(
    games: Array, rules: Array, scratch: Array, rows: Array, cards: Array, dice: Array
) -> None:
    """Write the state of a hand; arguments as of ``state.write_state``."""
    write_state(games[0], rules[0], scratch, rows, cards, dice)
