"""An immutable mapping from card actions to their fees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from sabacc_env.rules.limits import MAX_CREDITS


class Fees(Mapping[str, int]):
    """Fees in credits by card action; an action that is not listed, or listed with 0, is free.

    Hashable, picklable, and equal to any mapping with the same fees.

    >>> Fees({"swap": 0, "draw": 10})
    Fees({'draw': 10})
    """

    __slots__ = ("_amounts",)

    def __init__(self, amounts: Mapping[str, int] | None = None) -> None:
        self._amounts = {kind: amount for kind, amount in sorted((amounts or {}).items()) if amount}

    def __getitem__(self, kind: str) -> int:
        return self._amounts[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._amounts)

    def __len__(self) -> int:
        return len(self._amounts)

    def __hash__(self) -> int:
        return hash(tuple(self._amounts.items()))

    def __repr__(self) -> str:
        return f"Fees({self._amounts})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let pydantic check a plain dict of credits and then wrap it."""
        amount = Annotated[int, Field(ge=0, le=MAX_CREDITS)]
        return core_schema.no_info_after_validator_function(
            cls,
            handler(dict[str, amount]),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )
