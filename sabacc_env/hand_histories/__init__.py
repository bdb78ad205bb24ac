"""Recorded hands: a file with one line for each, and playing them again exactly."""

from sabacc_env.hand_histories.files import HandHistoryWriter, read_hand_histories
from sabacc_env.hand_histories.history import HandHistory, Told
from sabacc_env.hand_histories.recorder import HandRecorder

__all__ = ["HandHistory", "HandHistoryWriter", "HandRecorder", "Told", "read_hand_histories"]
