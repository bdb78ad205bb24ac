"""How good a hand is: the chance that it beats what others hold at the end.

The distribution of final hands is not guessed: the game is played, by players who choose their
cards by these very percentiles and who check and call, until percentiles and hands agree. A seed
is fixed, so the tables of one rule set and number of players are always the same.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.hand_values import EMPTY, HandValues, hand_values
from sabacc_agents.reading import Bools, Cards, Floats, Ints
from sabacc_env.rules import RuleSet
