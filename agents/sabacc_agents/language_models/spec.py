"""The spec of a language model: ``model:NAME``, with settings before the name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self
from urllib.parse import urlsplit

from sabacc_agents.external.settings import (
    Reader,
    number,
    positive_number,
    seconds,
    split_spec,
    whole_number,
)
from sabacc_agents.saved_files import MODEL_PREFIX
from sabacc_env.errors import SabaccError, short_repr

KEY_VARIABLE: Final = "OPENAI_API_KEY"
"""The environment variable with the key. Nothing else has it: specs are written into results."""

EXAMPLE_URL: Final = "http://127.0.0.1:8000/v1"


def address(name: str, text: str) -> str:
    """Read the address of an endpoint, which holds no secret.

    >>> address("base_url", "http://127.0.0.1:8000/v1/")
    'http://127.0.0.1:8000/v1/'
    """
    try:
        parts = urlsplit(text)
        found, _ = parts.hostname, parts.port
    except ValueError:
        found = None
    if found is None or parts.scheme not in ("http", "https"):
        raise SabaccError(
            f"agent: {name}: {short_repr(text)} is not the address of an endpoint, such as "
            f"{EXAMPLE_URL}"
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise SabaccError(  # and not the address: it may be a secret
            f"agent: {name}: has more than a host and a path; put the key into the environment "
            f"variable {KEY_VARIABLE}"
        )
    return text


SETTINGS: Final[dict[str, Reader]] = {
    "base_url": address,
    "timeout_s": seconds,
    "retries": whole_number,
    "max_tokens": positive_number,
    "temperature": number,
    "max_concurrency": positive_number,
    "price_in": number,
    "price_out": number,
}


def is_model(spec: object) -> bool:
    """Say whether a spec means a language model behind an endpoint."""
    return isinstance(spec, str) and spec.startswith(MODEL_PREFIX)


@dataclass(frozen=True)
class ModelSpec:
    """Which model is asked, and how.

    Attributes:
        name: the name of the model, as its endpoint calls it.
        base_url: the address of the endpoint; None for the one that the environment names.
        timeout_s: seconds for a decision, everything that is asked again included.
        retries: how often an answer that is no legal move is asked for again.
        max_tokens: the most tokens of an answer; None leaves it to the endpoint.
        temperature: None leaves it to the endpoint.
        max_concurrency: requests that wait for their answers at the same time.
        price_in, price_out: what a million tokens of prompts and of answers cost.
    """

    name: str
    base_url: str | None = None
    timeout_s: float = 60.0
    retries: int = 1
    max_tokens: int | None = None
    temperature: float | None = None
    max_concurrency: int = 16
    price_in: float = 0.0
    price_out: float = 0.0

    @classmethod
    def parse(cls, spec: str) -> Self:
        """Read a spec.

        Raises:
            SabaccError: for one that does not name one model, or with a wrong setting.

        >>> ModelSpec.parse("model:temperature=0 qwen3:8b").name
        'qwen3:8b'
        """
        words, settings = split_spec(spec, MODEL_PREFIX, SETTINGS)
        if len(words) != 1:
            raise SabaccError(
                f"agent: {short_repr(spec)} does not name one model; write, for example, "
                f'"{MODEL_PREFIX}base_url={EXAMPLE_URL} my-model"'
            )
        return cls(words[0], **settings)

    @property
    def identity(self) -> str:
        """All that decides how it plays, as text: not the prices, nor how many it is asked at once.

        >>> cheap, dear = "model:price_in=1 my-model", "model:price_in=2 max_concurrency=4 my-model"
        >>> ModelSpec.parse(cheap).identity == ModelSpec.parse(dear).identity
        True
        """
        playing = replace(self, max_concurrency=1, price_in=0.0, price_out=0.0)
        return f"{MODEL_PREFIX}{playing}"
