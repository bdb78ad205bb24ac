"""Blueprints as files: a policy for bets by public state and bucket of hands.

The file (``saved_files``) has the arrays of a ``Blueprint``, the policy packed by LZMA.
"""

from __future__ import annotations

import lzma
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.buckets import HAND_BUCKETS
from sabacc_agents.blueprint.public_states import (
    NUM_PATTERNS,
    num_bettings,
    num_public_states,
)
from sabacc_agents.saved_files import (
    bet_sizes_as_json,
    read_arrays,
    read_description,
    write_arrays,
)
from sabacc_env.actions import BetSize, encode_bet_sizes, num_actions
from sabacc_env.array_types import Ints
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet

FORMAT: Final = "sabacc-blueprint"
VERSION: Final = 4

LEVELS: Final = 31
"""What weights of actions are rounded to: they add up to about so much. With 255 files are half as
large again."""

MOST_MEMORY: Final = 2**26
"""The bytes that a policy may take while it is unpacked, beside itself. Ours take 9 MB."""

NUM_PLAYERS: Final = 2
"""A blueprint is for tables of two."""

MOST_DEEPER: Final = 1.25
"""How many times a stack may be deeper than a solved one that it is played as. At 15 antes local
best response wins 501 ± 86 mante/hand from zoo:casino-2p-blueprint where it plays the strategies
for 25 antes, and 806 ± 123 where it plays those for 10."""


@dataclass(frozen=True)
class Blueprint:
    """A policy for the bets of two seats.

    Attributes:
        rules: the rules that it was solved for.
        more_rules: other rules that it may play, with the same abstract game.
        bet_sizes: what the bet actions mean.
        stacks: (n,) float32: the stacks at the start of a hand, in antes, that it has strategies
            for, in rising order.
        edges: (betting phases, HAND_BUCKETS - 1) float32: the lowest values of all buckets of hands
            but the first (``buckets``).
        actions: (k,) the actions that it takes. CALL stands for a check where one is legal.
        states: (m,) int32: the public states that it knows, in rising order. Those of the
            stack with number i begin at i * num_states.
        policy: (m, HAND_BUCKETS, k) uint8: the weights of the actions, whose ratios are those of
            their probabilities; all 0 where a hand was never met.
        codes: (NUM_PATTERNS,) int64: what public states call patterns of card actions
            (``pattern_codes``).
        metadata: plain data about how it was solved.
    """

    rules: RuleSet
    bet_sizes: Sequence[BetSize]
    stacks: NDArray[np.float32]
    edges: NDArray[np.float32]
    actions: NDArray[np.int64]
    states: NDArray[np.int32]
    policy: NDArray[np.uint8]
    codes: NDArray[np.int64]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    more_rules: tuple[RuleSet, ...] = ()

    @property
    def num_states(self) -> int:
        """One more than the largest number of a public state."""
        return num_public_states(self.rules, self.codes)

    @property
    def all_rules(self) -> tuple[RuleSet, ...]:
        """The rules that it may play."""
        return self.rules, *self.more_rules

    def nearest_stacks(self, stacks: NDArray[np.float64]) -> Ints:
        """Return the numbers of the stacks that hands are played as, by their own, in antes.

        It is the nearest one by ratio. But of a smaller one the table does not know how much can be
        bet, so it counts only up to ``MOST_DEEPER`` times itself.
        """
        solved = self.stacks.astype(np.float64)
        limits = np.minimum(np.sqrt(solved[1:] * solved[:-1]), MOST_DEEPER * solved[:-1])
        return np.searchsorted(limits, stacks).astype(np.int64)


def save_blueprint(path: str | Path, blueprint: Blueprint) -> None:
    """Write a blueprint to a file that ends in ``.safetensors``."""
    names = "stacks", "edges", "actions", "states", "codes"
    arrays = {name: getattr(blueprint, name) for name in names}
    packed = lzma.compress(np.ascontiguousarray(blueprint.policy).tobytes())
    arrays["policy"] = np.frombuffer(packed, np.uint8)
    description = {
        "rules": blueprint.rules.canonical(),
        "more_rules": [rules.canonical() for rules in blueprint.more_rules],
        "num_players": NUM_PLAYERS,
        "bet_sizes": bet_sizes_as_json(blueprint.bet_sizes),
        "solved": dict(blueprint.metadata),
    }
    write_arrays(path, arrays, FORMAT, VERSION, description)


def load_blueprint(path: str | Path) -> Blueprint:
    """Read a blueprint.

    Raises:
        SabaccError: for a file that cannot be read, or is not a blueprint of this version.
    """
    description = read_description(path, FORMAT, VERSION, "blueprint")
    arrays = read_arrays(path)
    try:
        blueprint = Blueprint(
            rules=RuleSet.from_canonical(description["rules"]),
            bet_sizes=tuple(description["bet_sizes"]),
            metadata=description["solved"],
            more_rules=tuple(map(RuleSet.from_canonical, description.get("more_rules", ()))),
            **arrays | {"policy": _unpacked_policy(arrays)},
        )
        encode_bet_sizes(blueprint.bet_sizes)
    except (KeyError, TypeError, SabaccError) as error:
        raise SabaccError(f"{path}: its description is damaged ({error})") from None
    except (ValueError, lzma.LZMAError):
        raise SabaccError(f"{path}: its policy cannot be unpacked") from None
    if not _is_blueprint(blueprint):
        raise SabaccError(f"{path}: its arrays are not those of a blueprint")
    return blueprint


def _unpacked_policy(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Return the policy in a file. No more memory is taken than its states and actions need."""
    shape = len(arrays["states"]), HAND_BUCKETS, len(arrays["actions"])
    size = math.prod(shape)
    unpacked = lzma.LZMADecompressor(memlimit=MOST_MEMORY)
    policy = unpacked.decompress(arrays["policy"].tobytes(), size + 1)
    return np.frombuffer(policy, np.uint8).reshape(shape)


def _is_blueprint(blueprint: Blueprint) -> bool:
    """Say whether the arrays have the types, the shapes and the range that they must have."""
    stacks, edges, actions = blueprint.stacks, blueprint.edges, blueprint.actions
    states, policy, codes = blueprint.states, blueprint.policy, blueprint.codes
    types = [array.dtype for array in (stacks, edges, actions, states, policy, codes)]
    return bool(
        types == [np.float32, np.float32, np.int64, np.int32, np.uint8, np.int64]
        and stacks.ndim == 1
        and len(stacks) > 0
        and stacks[0] > 0
        and (np.diff(stacks) > 0).all()
        and edges.shape == (num_bettings(blueprint.rules), HAND_BUCKETS - 1)
        and policy.shape == (len(states), HAND_BUCKETS, len(actions))
        and states.ndim == 1
        and len(states) > 0
        and (np.diff(states) > 0).all()
        and codes.shape == (NUM_PATTERNS,)
        and 0 <= codes.min() <= codes.max() < NUM_PATTERNS
        and 0 <= states[0] <= states[-1] < len(stacks) * blueprint.num_states
        and len(actions) > 0
        and 0 <= actions.min() <= actions.max() < num_actions(blueprint.bet_sizes)
    )
