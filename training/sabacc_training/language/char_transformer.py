"""A small transformer that reads a prompt and writes an answer, character by character.

It is an encoder-decoder (Vaswani et al. 2017). The encoder reads characters through a strided
convolution, as CANINE does (Clark et al. 2022): attention over a quarter as many positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

CHARACTERS: Final = "\n" + "".join(map(chr, range(32, 127)))
"""What is read and written; other characters are read as one that is unknown."""

PADDING: Final = 0
UNKNOWN: Final = 1
NUM_TOKENS: Final = len(CHARACTERS) + 2
END: Final = CHARACTERS.index("\n") + 2
"""The token that ends an answer: a line break. It also stands before the first character."""

STRIDE: Final = 4
"""Characters of a prompt to each position of the encoder."""

_TOKENS: Final = {character: token for token, character in enumerate(CHARACTERS, 2)}


def encode(text: str) -> list[int]:
    """Return the tokens of a text.

    >>> decode(encode("raise to 2"))
    'raise to 2'
    """
    return [_TOKENS.get(character, UNKNOWN) for character in text]


def decode(tokens: Sequence[int]) -> str:
    """Return the text of tokens, up to the first line break."""
    text = "".join(CHARACTERS[token - 2] if token >= 2 else "?" for token in tokens)
    return text.partition("\n")[0]


def prompt_tokens(prompts: Sequence[str], context: int) -> Tensor:
    """Return the last characters of each prompt, (prompts, context) int64, padded on the left."""
    rows = torch.full((len(prompts), context), PADDING)
    for row, prompt in zip(rows, prompts, strict=True):
        tokens = encode(prompt[-context:])
        row[context - len(tokens) :] = torch.tensor(tokens)
    return rows


def answer_tokens(answers: Sequence[str]) -> Tensor:
    """Return answers with the line break that ends them, (answers, length) int64, padded."""
    rows = [torch.tensor([*encode(answer), END]) for answer in answers]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)


KeysValues: TypeAlias = tuple[Tensor, Tensor]
"""Of attention: (rows, heads, positions, width of a head) each."""


@dataclass(frozen=True)
class Memory:
    """What the decoder attends to: keys and values of each of its layers.

    Attributes:
        layers: for each layer those of the prompts, a row each.
    """

    layers: list[KeysValues]

    def repeated(self, times: int) -> Memory:
        """Return the memory of each prompt so many times, one after another."""
        return Memory(
            [
                (keys.repeat_interleave(times, 0), values.repeat_interleave(times, 0))
                for keys, values in self.layers
            ]
        )


class CharTransformer(nn.Module):
    """Reads the last ``context`` characters of a prompt and writes an answer of one line.

    Args:
        context: characters that are read, a multiple of ``STRIDE``.
        max_answer: the most characters of an answer, its line break counted.
        width: of the hidden states.
        heads: attention heads.
        layers: of the encoder, and of the decoder.
    """

    def __init__(
        self,
        context: int = 1152,
        max_answer: int = 48,
        width: int = 64,
        heads: int = 4,
        layers: int = 2,
    ) -> None:
        super().__init__()
        self.context = context
        self.max_answer = max_answer
        self.embedding = nn.Embedding(NUM_TOKENS, width, padding_idx=PADDING)
        self.stem = nn.Conv1d(width, width, 2 * STRIDE, STRIDE, STRIDE // 2)
        self.prompt_positions = nn.Parameter(0.02 * torch.randn(context // STRIDE, width))
        self.answer_positions = nn.Parameter(0.02 * torch.randn(max_answer, width))
        self.encoder = nn.ModuleList(_EncoderBlock(width, heads) for _ in range(layers))
        self.decoder = nn.ModuleList(_DecoderBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, NUM_TOKENS)

    def read(self, prompts: Sequence[str]) -> Memory:
        """Return what the decoder attends to in these prompts."""
        characters = self.embedding(prompt_tokens(prompts, self.context))
        hidden = functional.gelu(self.stem(characters.transpose(1, 2))).transpose(1, 2)
        hidden = hidden + self.prompt_positions
        for block in self.encoder:
            hidden = block(hidden)
        decoder = cast("Iterable[_DecoderBlock]", self.decoder)
        return Memory([block.attend_to.keys_values(hidden) for block in decoder])

    def forward(self, memory: Memory, answers: Tensor) -> Tensor:
        """Return the logits of each token of answers given those before it.

        Args:
            memory: of the prompts.
            answers: (answers, length) int64, as ``answer_tokens`` makes them.

        Returns:
            (answers, length, NUM_TOKENS).
        """
        before = torch.cat([torch.full_like(answers[:, :1], END), answers[:, :-1]], dim=1)
        hidden = self.embedding(before) + self.answer_positions[: answers.shape[1]]
        for block, read in zip(self.decoder, memory.layers, strict=True):
            hidden, _ = block(hidden, read)
        logits: Tensor = self.head(self.norm(hidden))
        return logits

    @torch.no_grad()
    def sample(self, memory: Memory, generator: torch.Generator) -> list[str]:
        """Return an answer to each prompt, drawn character by character."""
        count = len(memory.layers[0][0])
        tokens = torch.full((count, self.max_answer), PADDING)
        last = torch.full((count, 1), END)
        written: list[KeysValues | None] = [None] * len(self.decoder)
        for place in range(self.max_answer):
            hidden = self.embedding(last) + self.answer_positions[place]
            for layer, block in enumerate(self.decoder):
                hidden, written[layer] = block(hidden, memory.layers[layer], written[layer])
            probabilities = self.head(self.norm(hidden))[:, 0].softmax(-1)
            last = torch.multinomial(probabilities, 1, generator=generator)
            tokens[:, place] = last[:, 0]
            if (tokens == END).any(dim=1).all():
                break
        return [decode(row) for row in tokens.tolist()]


class _Attention(nn.Module):
    """Multi-head attention whose keys and values may be kept."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.queries = nn.Linear(width, width)
        self.keys_and_values = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)

    def _split(self, hidden: Tensor) -> Tensor:
        rows, positions, _ = hidden.shape
        return hidden.view(rows, positions, self.heads, -1).transpose(1, 2)

    def keys_values(self, hidden: Tensor) -> KeysValues:
        """Return the keys and values of each head."""
        keys, values = self.keys_and_values(hidden).chunk(2, dim=-1)
        return self._split(keys), self._split(values)

    def forward(self, hidden: Tensor, keys: Tensor, values: Tensor, causal: bool) -> Tensor:
        queries = self._split(self.queries(hidden))
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=causal)
        output: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return output


class _MLP(nn.Sequential):
    """The two layers that follow attention, normalised before."""

    def __init__(self, width: int) -> None:
        super().__init__(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )


class _EncoderBlock(nn.Module):
    """Attention to all positions."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = _Attention(width, heads)
        self.mlp = _MLP(width)

    def forward(self, hidden: Tensor) -> Tensor:
        normed = self.norm(hidden)
        hidden = hidden + self.attention(normed, *self.attention.keys_values(normed), causal=False)
        output: Tensor = hidden + self.mlp(hidden)
        return output


class _DecoderBlock(nn.Module):
    """Attention to what is written so far, and to the prompt."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = _Attention(width, heads)
        self.prompt_norm = nn.LayerNorm(width)
        self.attend_to = _Attention(width, heads)
        self.mlp = _MLP(width)

    def forward(
        self, hidden: Tensor, read: KeysValues, written: KeysValues | None = None
    ) -> tuple[Tensor, KeysValues]:
        """Return the hidden states, and the keys and values of all that is written so far.

        Args:
            hidden: of the places that are new: several at the beginning, one after it.
            read: keys and values of the prompt.
            written: of the places before.
        """
        normed = self.norm(hidden)
        keys, values = self.attention.keys_values(normed)
        if written is not None:
            keys, values = (
                torch.cat(pair, 2) for pair in zip(written, (keys, values), strict=True)
            )
        hidden = hidden + self.attention(normed, keys, values, causal=written is None)
        hidden = hidden + self.attend_to(self.prompt_norm(hidden), *read, causal=False)
        return hidden + self.mlp(hidden), (keys, values)
