"""How hands ended: as arrays for infos, alike at every step, and by names.

A single value is an array of shape () too: TorchRL asks each value of an info for its dtype, and
Gymnasium's vector environments and ``NumpyToTorch`` take no ``np.bool_``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Bools
from sabacc_env.engine.drivers.results import OUTCOME_DTYPE
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.hand_ranks import hand_name

SEATS_IN: Final = (np.arange(2**MAX_SEATS)[:, None] >> np.arange(MAX_SEATS) & 1).astype(np.int8)
"""(2**MAX_SEATS, MAX_SEATS), a row for each set of seats in bits: 1 for those in it."""
SEATS_IN.flags.writeable = False

TRUE: Final = np.array(True)
TRUE.flags.writeable = False


def no_result_info(num_players: int) -> dict[str, Any]:
    """Return what an info says of a step in which no hand ended, in new arrays."""
    return {
        "hand_finished": np.array(False),
        "net_credits": np.zeros(num_players, dtype=np.int64),
        "winners": np.full(num_players, -1, dtype=np.int64),
        "revealed": np.zeros(num_players, dtype=np.int8),
        "sabacc_pot": np.array(0, dtype=np.int64),
    }


def result_info(outcome: NDArray[Any], num_players: int) -> dict[str, Any]:
    """Return what an info says of a hand that ended, its arrays read-only.

    Args:
        outcome: one of ``OUTCOME_DTYPE``, (1,).
        num_players: seats at the table.
    """
    kept = np.frombuffer(outcome.tobytes(), OUTCOME_DTYPE)  # quicker than to copy each field
    return {
        "hand_finished": TRUE,
        "net_credits": kept["net_credits"][0, :num_players],
        # There are no more pots than seats.
        "winners": kept["winners"][0, :num_players],
        "revealed": SEATS_IN[kept["revealed"].item(), :num_players],
        "sabacc_pot": kept["sabacc_pot"].reshape(()),
    }


def result_infos(outcomes: NDArray[Any], finished: Bools, num_players: int) -> dict[str, Any]:
    """Return the same of many tables, a row or entry each, in new arrays.

    Args:
        outcomes: (n,) of ``OUTCOME_DTYPE``.
        finished: (n,) where a hand ended.
        num_players: seats at each table.
    """
    count = len(finished)
    infos = {
        "hand_finished": finished.copy(),
        "net_credits": np.zeros((count, num_players), dtype=np.int64),
        "winners": np.full((count, num_players), -1),
        "revealed": np.zeros((count, num_players), dtype=np.int8),
        "sabacc_pot": np.zeros(count, dtype=np.int64),
    }
    (ended,) = finished.nonzero()
    if len(ended):  # only these are read: the outcomes of thousands of tables fill no cache
        found = outcomes[ended]
        infos["net_credits"][ended] = found["net_credits"][:, :num_players]
        infos["winners"][ended] = found["winners"][:, :num_players]
        infos["revealed"][ended] = SEATS_IN[found["revealed"], :num_players]
        infos["sabacc_pot"][ended] = found["sabacc_pot"]
    return infos


def named_result(outcome: Any, ranking: str, agents: list[str]) -> dict[str, Any]:
    """Return how a hand ended, its seats and the revealed hands by name.

    Args:
        outcome: one record of ``OUTCOME_DTYPE``.
        ranking: that of the rules.
        agents: the name of each seat.
    """
    revealed, strengths = int(outcome["revealed"]), outcome["strengths"].tolist()
    return {
        "net_credits": outcome["net_credits"][: len(agents)].tolist(),
        "revealed_hands": {
            agent: hand_name(ranking, strengths[seat])
            for seat, agent in enumerate(agents)
            if revealed >> seat & 1
        },
        "winners": [agents[seat] for seat in outcome["winners"].tolist() if seat >= 0],
        "sabacc_pot": int(outcome["sabacc_pot"]),
    }
