"""Reading observations: as facts, the blocks of features by name, or tokens in words.

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
from sabacc_env.observation.state import StateBlocks, state_blocks, state_size
from sabacc_env.observation.tokens import (
    PAD,
    VOCABULARY_SIZE,
    decode_tokens,
    is_truncated,
    token_mask,
    token_names,
    vocabulary_version,
)

__all__ = [
    "BLOCKS",
    "COLUMNS",
    "OBSERVATION_SIZE",
    "PACKED_SCALES",
    "PAD",
    "VOCABULARY_SIZE",
    "Blocks",
    "DecodedObservations",
    "DecodedOpponents",
    "StateBlocks",
    "blocks",
    "decode",
    "decode_tokens",
    "feature_names",
    "is_truncated",
    "observation_version",
    "state_blocks",
    "state_size",
    "token_mask",
    "token_names",
    "vocabulary_version",
]
