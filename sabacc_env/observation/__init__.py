"""Reading observations: the blocks of features by name, as views of the array."""

from sabacc_env.observation.named_blocks import (
    BLOCKS,
    OBSERVATION_SIZE,
    PACKED_SCALES,
    Blocks,
    blocks,
    feature_names,
    observation_version,
)

__all__ = [
    "BLOCKS",
    "OBSERVATION_SIZE",
    "PACKED_SCALES",
    "Blocks",
    "blocks",
    "feature_names",
    "observation_version",
]
