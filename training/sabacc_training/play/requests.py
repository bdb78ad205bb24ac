"""What clients may send: each message checked, and refused in one sentence where it is wrong."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from sabacc_env.errors import SabaccError
from sabacc_env.storage.strict_model import StrictModel

MAX_LENGTH: Final = 2000
"""The most characters of a message."""
MAX_SECONDS: Final = 60
"""The most seconds that agents can wait before they move."""


class Join(StrictModel):
    """Take a free seat, or come back to one's own; the first message of every connection."""

    type: Literal["join"]
    seat_token: Annotated[str, Field(max_length=100)] | None = None
    watch: bool = False


class Play(StrictModel):
    """Play a move; ``turn`` says of which state of the table, so that nothing is played twice."""

    type: Literal["move"]
    turn: int
    move: Annotated[str, Field(max_length=100)]


class Deal(StrictModel):
    """Deal the next hand."""

    type: Literal["deal"]
    turn: int


class Hints(StrictModel):
    """Ask what the moves are worth."""

    type: Literal["hints"]
    turn: int


class Coach(StrictModel):
    """Ask what the own moves of the last hand have cost."""

    type: Literal["coach"]
    turn: int


class Pace(StrictModel):
    """Say how fast agents move, and whether they wait."""

    type: Literal["pace"]
    seconds: Annotated[float, Field(ge=0, le=MAX_SECONDS)]
    paused: bool


Request = Join | Play | Deal | Hints | Coach | Pace

_REQUESTS: Final[TypeAdapter[Request]] = TypeAdapter(
    Annotated[Request, Field(discriminator="type")]
)


def read_request(text: str) -> Request:
    """Return the message of a client.

    Raises:
        SabaccError: for text that is no such message; says what is wrong.
    """
    if len(text) > MAX_LENGTH:
        raise SabaccError(f"the message is longer than {MAX_LENGTH:,} characters")
    try:
        return _REQUESTS.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SabaccError(
            f"the message is not understood: {f'{where}: ' if where else ''}{first['msg']}"
        ) from None
