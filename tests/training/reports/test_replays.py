"""Hands in a report, step by step: what the steps say."""

from __future__ import annotations

from sabacc_training.reports.model import CostlyHand
from sabacc_training.reports.replays import SharedPictures, costly_replay

import sabacc_env

COPIES = ("tight (seat 0)", "loose", "tight (seat 2)")


def test_steps_tell_copies_of_an_agent_apart():
    game = sabacc_env.Game("casino", 3, seed=1)
    while game.net_credits is None:
        game.play(game.legal_moves()[0])
    hand = CostlyHand(
        agents=("tight", "loose", "tight"),
        seat=0,
        cost=4,
        deal=0,
        net_credits=tuple(game.net_credits),
        history=game.to_dict(),
    )
    replayed = costly_replay(hand, SharedPictures())
    steps = [step for _, steps in replayed.phases for step in steps]
    assert all(f"{name} has " in steps[0].words for name in COPIES)
    assert [step.agent for step in steps[1:]] == [COPIES[turn.seat] for turn in game.history]
    assert all(
        f"{name} {net:+,d}" in replayed.result
        for name, net in zip(COPIES, game.net_credits, strict=True)
    )
