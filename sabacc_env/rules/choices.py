"""The words that the fields of a rule set can hold (RULES.md sections 2 to 6)."""

from typing import Final, Literal

Phase = Literal["cards", "dice", "betting"]

CardAction = Literal[
    "stand",
    "draw",
    "buy_discard",
    "discard_draw",
    "swap",
    "replace",
    "replace_spike",
    "discard_drawn",
]

SECOND_CHOICES: Final = ("replace", "replace_spike", "discard_drawn")
"""The card actions that decide on a drawn card after it is seen."""

FEE_ACTIONS: Final = ("draw", "buy_discard", "discard_draw", "swap")
"""The card actions that can cost a fee."""

Redraw = Literal["none", "redraw_one", "redraw_all"]

JunkTime = Literal["facing_bet", "betting", "cards"]

ShortCall = Literal["all_in", "junk"]

Ranking = Literal["casino", "spacers", "alta_orsl", "alta_three_en", "alta_yarith_bespin"]
