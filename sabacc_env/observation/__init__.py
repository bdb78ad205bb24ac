"""Reading observations: as facts, or the blocks of features by name.

``decode(observations).own_total`` is a fact: whole numbers, as the rules have them.
``blocks(observations).own_total`` are the features themselves, as views of the array.
"""

from sabacc_env.observation.decoding import DecodedObservations, DecodedOpponents, decode
from sabacc_env.observation.named_blocks import (
    BLOCKS,
    COLUMNS,
    OBSERVATION_SIZE,
    PACKED_SCALES,
    Blocks,
    blocks,
    feature_names,
    observation_version,
)

__all__ = [
    "BLOCKS",
    "COLUMNS",
    "OBSERVATION_SIZE",
    "PACKED_SCALES",
    "Blocks",
    "DecodedObservations",
    "DecodedOpponents",
    "blocks",
    "decode",
    "feature_names",
    "observation_version",
]
