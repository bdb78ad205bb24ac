"""Classes of hands by their strength, for two ranges at once."""

from __future__ import annotations

from typing import Final

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array

NUM_CLASSES: Final = 64
"""The classes of hands that are told apart."""

SPARE: Final = 8
"""Classes that are kept for heavy ranks, and for the border between zero hands and others."""

WIDER: Final = 1.25
"""Where these are not enough, the share of a class grows so until they are."""


@jit
def write_classes(
    masses: Array,
    first: Array,
    sizes: Array,
    ranks: Array,
    is_zero_rank: Array,
    by_rank: Array,
    class_of: Array,
    ranges: Array,
    is_zero: Array,
) -> None:
    """Write the class of each rank, and the ranges over classes.

    Ranks follow each other in a class, so a higher class is stronger. Classes have about equal
    shares of both ranges. A heavy rank has a class of its own, and no class has zero hands and
    others, because a zero hand wins the Sabacc pot, too.

    Args:
        masses: (2, hands) the ranges, filled for hands of the sizes.
        first: as in ``Hands``.
        sizes: (2,) the cards that each seat holds.
        ranks: (hands,) the rank of each hand among all strengths.
        is_zero_rank: (ranks,) whether hands of a rank total zero.
        by_rank: (2, ranks) scratch memory.
        class_of: (ranks,) filled.
        ranges: (2, classes) float32, zeros, filled.
        is_zero: (classes,) float32, zeros, filled.
    """
    by_rank[:] = 0
    for seat in range(2):
        for hand in range(first[sizes[seat]], first[sizes[seat] + 1]):
            by_rank[seat, ranks[hand]] += masses[seat, hand]
    share = 2 / (ranges.shape[1] - SPARE)
    while classify(by_rank, is_zero_rank, share, class_of) > ranges.shape[1]:
        share *= WIDER
    for rank in range(len(class_of)):
        if by_rank[0, rank] + by_rank[1, rank] > 0:
            is_zero[class_of[rank]] = is_zero_rank[rank]
            for seat in range(2):
                ranges[seat, class_of[rank]] += by_rank[seat, rank]


@jit
def classify(by_rank: Array, is_zero_rank: Array, share: float, class_of: Array) -> int:
    """Write the class of each rank, with at most a share of both ranges in each; count them.

    A class may have more than the share if it has one rank only.
    """
    number, inside, zeros = 0, 0.0, 0.0
    for rank in range(len(class_of)):
        mass = by_rank[0, rank] + by_rank[1, rank]
        if mass > 0:
            if inside > 0 and (inside + mass > share or zeros != is_zero_rank[rank]):
                number += 1
                inside = 0.0
            inside += mass
            zeros = is_zero_rank[rank]
        class_of[rank] = number
    return number + 1
