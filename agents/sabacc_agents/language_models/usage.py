"""What a model was asked, and what that used up."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from sabacc_agents.language_models.spec import ModelSpec


@dataclass
class Usage:
    """Counts that add up over decisions, tasks and machines.

    Attributes:
        requests: requests that were sent, those after an error included.
        refused: answers that were no legal move, or could not be read.
        prompt_tokens: tokens of the prompts that were answered.
        completion_tokens: tokens of the answers.
        uncounted: answers whose tokens the endpoint did not tell.
    """

    requests: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0

    def cost(self, spec: ModelSpec) -> float:
        """Return what the tokens cost at the prices of a spec; 0 where it has none.

        >>> usage = Usage(prompt_tokens=500_000, completion_tokens=1_000)
        >>> usage.cost(ModelSpec.parse("model:price_in=0.5 price_out=2 my-model"))
        0.252
        """
        millionths = self.prompt_tokens * spec.price_in + self.completion_tokens * spec.price_out
        return millionths / 1_000_000

    def text(self, cost: float) -> str:
        """Return the counts in words, with what they cost.

        >>> Usage(12, 2, 9_000, 150).text(cost=0.0093)
        '12 requests, 2 answers refused, 9,000 tokens in, 150 tokens out, cost 0.0093'
        """
        counts = {
            "requests": self.requests,
            "answers refused": self.refused,
            "tokens in": self.prompt_tokens,
            "tokens out": self.completion_tokens,
        }
        if self.uncounted:
            counts["answers without a count of tokens"] = self.uncounted
        parts = [f"{count:,} {name}" for name, count in counts.items()]
        return ", ".join(parts + [f"cost {cost:,.4f}"] * bool(cost))


COUNTS: Final = tuple(field.name for field in fields(Usage))
"""The names of the counts, in their order."""
