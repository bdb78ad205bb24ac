"""Recorded hands as a page: one HTML file that needs nothing else, and opens without a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_env.hand_histories import HandHistory
from sabacc_training.reports.page import environment
from sabacc_training.reports.replays import SharedPictures, replay_of

MAX_HANDS: Final = 200
"""The most hands of a page: a hand takes some 50 kB."""


def recorded_page(title: str, hands: Sequence[tuple[str, HandHistory]]) -> str:
    """Return recorded hands as the text of one HTML file.

    Args:
        title: the title of the page.
        hands: the hands, each with its heading.

    Raises:
        SabaccError: for more than ``MAX_HANDS``, or a hand that does not replay as recorded.
    """
    if len(hands) > MAX_HANDS:
        raise SabaccError(f"a page has at most {MAX_HANDS} hands, not {len(hands):,}")
    pictures = SharedPictures()
    replays = [
        (heading, replay_of(hand.positions(), hand.seats, pictures, hand.told))
        for heading, hand in hands
    ]
    return (
        environment()
        .get_template("recorded.html")
        .render(
            title=title,
            hands=replays,
            drawings={
                "nodes": pictures.nodes,
                "replays": [replay.pictures for _, replay in replays],
            },
        )
    )
