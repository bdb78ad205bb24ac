"""The legal discrete actions of a view, by the bet sizes of an environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sabacc_env.actions import FIRST_BET, BetSize, encode_bet_sizes
from sabacc_env.engine.betting import total_of_size
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.game.move_codes import action_code
from sabacc_env.game.records import empty_record
from sabacc_env.moves import Move

if TYPE_CHECKING:
    from sabacc_env.game.view import GameView


def legal_actions(view: GameView, bet_sizes: Sequence[BetSize]) -> dict[int, Move]:
    """Return the legal discrete actions in ascending order, and the move that each makes.

    Raises:
        SabaccError: for what are no bet sizes.
    """
    sizes = encode_bet_sizes(bet_sizes)
    actions: dict[int, Move] = {}
    for move in view.legal_moves:
        if move.kind == "raise":
            actions |= _sized_raises(view, move, sizes[0])
        else:
            action = action_code(move, view.hand)
            assert action is not None
            actions[action] = move
    return actions


def _sized_raises(view: GameView, grid: Move, sizes: Any) -> dict[int, Move]:
    """Return the raises of the bet sizes; of several with one total only the first is legal."""
    assert grid.low is not None
    assert grid.high is not None
    records = empty_record()
    records["staked"] = sum(amount for amount, _ in view.pots)
    records["highest_bet"] = max(view.bets)
    records["bet_phase"][0, : view.num_players] = view.bets
    seat, rules = view.seat, rules_record(view.rules)
    actions: dict[int, int] = {}
    for index in range(int(sizes.amount)):
        total = total_of_size(records[0], rules[0], seat, grid.low, grid.high, sizes, index)
        actions.setdefault(int(total), FIRST_BET + index)
    return {action: Move("raise", amount=total) for total, action in actions.items()}
