"""Scripted hands under options that no published rule set has."""

from __future__ import annotations

from tests.support.scenarios.scenario import Scenario

HOUSE_RULES = (
    Scenario(
        name="casino: the excess is measured against a junked second-highest bettor",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="",
        moves="0 stand; 1 stand; 0 raise 20; 1 raise 50; see pot 74; 0 junk",
        net=(-24, 20),
        winners=(1,),
        pots=((44, (1,)),),
        sabacc_pot=4,
        revealed=False,
    ),
    Scenario(
        name="the Sabacc pot is the main pot's: a zero hand that wins a side pot does not take it",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t +3t  +1t -1t  +9t +9s  +9c  0a",
        credits=(14, 100, 100),
        overrides={"rounds": 1, "ranking": "alta_yarith_bespin"},
        moves="0 draw; 1 stand; 2 stand; 0 raise 10; 1 raise 20; 2 call",
        net=(22, -4, -24),
        winners=(0, 1),
        pots=((36, (0, 1, 2)), (20, (1, 2))),
        sabacc_pot=6,
    ),
    Scenario(
        name="junk in the card phase only, yet it is the way out of a call that cannot be paid",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +3t +4t  +9t +9s  +9c",
        credits=(100, 14, 100),
        overrides={"rounds": 1, "short_call": "junk", "junk_when": "cards"},
        moves="""
            0 can stand draw discard_draw swap junk; 0 stand; 1 stand; 2 stand
            0 can check raise; 0 raise 20; 1 can junk; 1 junk; 2 can call raise; 2 call
        """,
        net=(22, -4, -24),
        winners=(0,),
        pots=((46, (0, 2)),),
        sabacc_pot=6,
    ),
    Scenario(
        name="doubles without effect, and a double Spike that redraws one card",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  +3t +4t  +9c  -3t -5t",
        dice=((3, 3), (1, 1)),
        overrides={"rounds": 2, "doubles": "none", "double_spike": "redraw_one"},
        moves="""
            0 stand; 1 stand; 0 check; 1 check; see hand 0 +1t +2t; 0 stand; 1 stand
            0 can redraw; 0 redraw +1t; 1 redraw +3t; see discard +9c +1t +3t
            0 check; 1 check
        """,  # both have -1 with two cards; the sum of absolute values is 9 to 5
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="junk face up with a Spike Card: one batch by id; redraw_one leaves Spike Cards",
        rules="yarith_bespin",
        num_players=3,
        dealer=2,
        deck="+9t -1t  +4t -4s  +5s -5t  +5t -1c +1c  -7s -6s",
        dice=((1, 1),),
        overrides={"rounds": 1, "junk_face_up": True, "double_spike": "redraw_one"},
        moves="""
            0 check; 1 check; 2 check; 0 stand; 1 stand; 2 stand
            0 junk; see discard +5t +9t -1t; see junked none; 1 check; 2 check
            see phase dice; 1 can redraw; 1 cannot redraw -1c; 1 redraw +4t; 2 redraw -5t
            see discard +5t +9t -1t +4t -5t; see spike 2 +1c
        """,  # +5 -6 and the Spike Card +1
        net=(-30, -30, 60),
        winners=(2,),
        pots=((60, (1, 2)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="starting credits by seat",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  +3t +4t",
        overrides={"rounds": 1, "starting_credits": (50, 60)},
        moves="see credits 46 56; 0 stand; 1 stand; 0 check; 1 check; see credits 50 56",
        net=(0, -4),
        winners=(0,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name='"most raises a phase" does not count the bet',
        rules="casino",
        num_players=2,
        dealer=1,
        deck="",
        overrides={"rounds": 1, "max_raises": 0},
        moves="0 stand; 1 stand; 0 can check raise; 0 raise 5; 1 can call junk; 1 junk",
        net=(0, -4),
        winners=(0,),
        pots=((4, (0,)),),
        sabacc_pot=4,
        revealed=False,
    ),
)
