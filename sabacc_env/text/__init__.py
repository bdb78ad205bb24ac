"""Text for people and language models: what one seat may know, and reading what they answer."""

from sabacc_env.text.observation import MAX_TEXT_LENGTH, TEXT_CHARACTERS, observation_text
from sabacc_env.text.parsing import parse_action, parse_move

__all__ = [
    "MAX_TEXT_LENGTH",
    "TEXT_CHARACTERS",
    "observation_text",
    "parse_action",
    "parse_move",
]
