"""Scripted hands about dealing, card actions, dice, ranking and the reveal."""

from __future__ import annotations

from tests.support.scenarios.scenario import ONE_ROUND, Scenario

CARDS_AND_DICE = (
    Scenario(
        name="casino: three rounds with every action, a forced redraw and a Sabacc pot",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+5t +6t  -3s -4s  +9c  -10c -7c +1c -9s",
        dice=((1, 2), (3, 3), (2, 5)),
        moves="""
            see credits 196 196; see pot 4; see pot_of 0 1; see sabacc 4; see round 1
            see hand 0 +5t +6t; see discard +9c; see draw -10c -7c +1c
            0 can stand draw discard_draw swap; 0 cannot junk; 0 cannot check
            0 cannot swap +9c; 0 cannot discard_draw -3s; 0 cannot swap; 0 draw
            see hand 0 -10c +5t +6t; see phase cards
            1 swap -3s; see hand 1 -4s +9c; see discard -3s
            see phase betting
            0 can check raise; 0 may raise 1 196 1; 0 cannot raise 197; 0 cannot call; 0 check
            1 raise 10; 0 can call raise junk; 0 may raise 11 196 1; 0 cannot raise 10; 0 call
            see round 2; see pot 24
            0 discard_draw +5t; see hand 0 -10c -7c +6t; see discard -3s +5t
            1 stand
            see phase dice; 0 can redraw; 0 cannot redraw -4s; 0 redraw -10c
            see hand 0 -7c +1c +6t
            1 can redraw; 1 redraw -4s; see hand 1 -9s +9c; see discard -3s +5t -10c -4s
            0 check; 1 check
            0 stand; 1 stand
            0 raise 20; 1 raise 50; 0 may raise 51 186 1; 0 call; see round 3
        """,  # Pair beats Sabacc: 124 and the Sabacc pot's 4
        net=(-64, 64),
        winners=(1,),
        pots=((124, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: double Spike discards whole hands seat by seat, by id (D4)",
        rules="casino",
        num_players=2,
        dealer=0,
        deck="+5t +2t  -3s -8s  +9c  +4c  +1s +1c  -1s +2s +3s",
        dice=((1, 1),),
        overrides=ONE_ROUND,
        moves="""
            1 stand; 0 draw
            see hand 1 +1s +1c; see hand 0 -1s +2s +3s
            see discard +9c +2t +5t -3s -8s +4c
            1 check; 0 check
        """,  # +2 beats +4 and is no zero
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: a hand grows to five cards",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+10t -10s  +1t +2t  +9c  +10s -10t 0a",
        moves="""
            0 draw; 1 stand; 0 check; 1 check
            0 draw; 1 stand; 0 check; 1 check
            0 draw; 1 stand; see hand 0 -10t -10s 0a +10t +10s; 0 check; 1 check
        """,
        net=(4, -4),
        winners=(0,),
        pots=((4, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="black_spire: points, junk in the trading phase, doubles redraw whole hands",
        rules="black_spire",
        num_players=3,
        dealer=2,
        deck="+1t +2t  +5t +6t  +7t +8t  +9c  -1s  +1c +2c -3c  +4c -4s",
        dice=((4, 4), (1, 2), (2, 3)),
        moves="""
            see credits None None None; see pot 3
            0 can stand draw swap junk; 0 cannot discard_draw +1t; 0 junk
            see hand 0 none; see discard +9c; see junked +1t +2t; see pot_of 1 2
            1 draw; 2 cannot swap +9c; 2 swap +7t
            see discard +7t +5t +6t -1s +8t +9c
            see hand 1 -3c +1c +2c; see hand 2 -4s +4c
            1 stand; 2 stand; 1 stand; 2 stand
        """,  # Paired Sabacc beats Sabacc
        net=(-1, -1, 2),
        winners=(2,),
        pots=((3, (1, 2)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="black_spire: the last seat wins at once, without a turn",
        rules="black_spire",
        num_players=2,
        dealer=1,
        deck="",
        moves="0 junk; see round 1",
        net=(-1, 1),
        winners=(1,),
        pots=((2, (1,)),),
        sabacc_pot=0,
        revealed=False,
    ),
    Scenario(
        name="orsl: fees, the discard pile refilled (D18), doubles after the betting",
        rules="orsl",
        num_players=2,
        dealer=1,
        deck="+5t +6t  -3s -4s  +9c  +1c  -8c  +2c +3c -5c  +4c +6c -10c",
        dice=((4, 4), (1, 2), (3, 5)),
        moves="""
            see credits 1970 1970; see pot 40; see sabacc 20
            0 can stand draw buy_discard discard_draw swap
            0 buy_discard; see hand 0 +5t +6t +9c; see discard +1c; see pot 60
            1 draw; see hand 1 -8c -4s -3s; see pot 70; see phase betting
            0 can check raise junk; 0 check; 1 check
            see discard +1c +5t +6t +9c -3s -4s -8c
            see hand 0 -5c +2c +3c; see hand 1 -10c +4c +6c; see round 2
            0 stand; 1 stand; 0 check; 1 check
            0 stand; 1 stand; 0 check; 1 check
        """,  # two plain Sabaccs of three cards: the positive sum decides, 10 to 5
        net=(-50, 50),
        winners=(1,),
        pots=((70, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="orsl: junked cards beneath do not keep the discard pile from being empty (D18)",
        rules="orsl",
        num_players=3,
        dealer=2,
        deck="+5t +6t  -3s -4s  +7t +8t  +9c  +1c",
        moves="""
            0 stand; 1 stand; 2 stand
            0 check; 1 check; 2 junk; see junked +7t +8t; see discard +9c
            0 buy_discard; see discard +1c; see junked +7t +8t; 1 stand
            0 check; 1 junk
        """,
        net=(50, -40, -40),
        winners=(0,),
        pots=((100, (0,)),),
        sabacc_pot=30,
        revealed=False,
    ),
    Scenario(
        name="three_en: dice before the betting, Prime Sabacc beats Yee-Haa",
        rules="three_en",
        num_players=2,
        dealer=0,
        deck="-3t +3s  +10t -10s  0a  +9c  0b",
        moves="""
            1 buy_discard; see hand 1 -3t 0a +3s; see discard +9c
            0 draw
            1 raise 100; 0 raise 300; 1 call
            1 stand; 0 stand; 1 check; 0 check
            1 stand; 0 stand; 1 check; 0 check
        """,
        net=(350, -350),
        winners=(0,),
        pots=((670, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="yarith_bespin: Spike Cards, buying, doubles and a double Spike",
        rules="yarith_bespin",
        num_players=2,
        dealer=1,
        deck="""+5t +6t  -3s -4s  +2c +3c  -8t 0a  +1s +1c  +2s +3s  +9c
                +4s +4c -8c  +5s +5c -9c""",
        dice=((3, 3), (1, 1), (2, 4)),
        moves="""
            see round 0; see phase betting; see discard none; see spike 0 none
            0 can check raise junk; 0 raise 10; 1 call
            see round 1; see phase cards; see spike 0 +2c; see spike 1 +3c; see pot 60
            0 can stand draw; 0 draw; see drawn -8t; see pot 80; see hand 0 +5t +6t
            0 can replace replace_spike discard_drawn; 0 cannot replace +2c; 0 cannot stand
            0 replace +5t; see drawn none; see hand 0 -8t +6t; see discard +5t
            1 draw; 1 replace_spike; see spike 1 0a; see hand 1 -4s -3s; see discard +5t +3c
            0 check; 1 check
            see hand 0 +1s +1c; see spike 0 +2c; see hand 1 +2s +3s; see spike 1 0a
            see discard +5t +3c +6t -8t -3s -4s
            0 draw; 0 discard_drawn; see hand 0 +1s +1c; 1 stand
            0 check; 1 check
            see hand 0 +4s +4c; see spike 0 -8c; see hand 1 +5s +5c; see spike 1 -9c
            see discard +5t +3c +6t -8t -3s -4s +9c +1s +1c +2c +2s +3s 0a
            0 stand; 1 stand; 0 check; 1 check
        """,  # Paired Sabacc, Spike Card counted (D13)
        net=(60, -60),
        winners=(0,),
        pots=((120, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="yarith_bespin: Idiots' Array wins the hand pot but never the Sabacc pot",
        rules="yarith_bespin",
        num_players=2,
        dealer=1,
        deck="+2t +3t  +4t -8s  0a +4s",
        sabacc_pot_before=50,
        overrides=ONE_ROUND,
        moves="0 check; 1 check; 0 stand; 1 stand; 0 check; 1 check",
        net=(10, -30),
        winners=(0,),
        pots=((40, (0, 1)),),
        sabacc_pot=70,
    ),
    Scenario(
        name="yarith_bespin: a junked Spike Card goes with its hand, without penalty (D5)",
        rules="yarith_bespin",
        num_players=3,
        dealer=2,
        deck="+1t +2t  +4t -4s  +5t -5s  +3t -1c +1c",
        overrides=ONE_ROUND,
        moves="""
            0 check; 1 check; 2 check; 0 stand; 1 stand; 2 stand
            0 can check raise junk; 0 junk
            see spike 0 none; see junked +1t +2t +3t; see discard none; see pot 60
            1 check; 2 check
        """,  # +1 beats -1
        net=(-30, -30, 30),
        winners=(2,),
        pots=((60, (1, 2)),),
        sabacc_pot=30,
    ),
    Scenario(
        name="spacers: an opening bet, junked cards face up, the next swap takes the top one (D4)",
        rules="spacers",
        num_players=3,
        dealer=2,
        deck="+5t +2t  -2c +8t  +7t +6t  +9c",
        overrides=ONE_ROUND,
        moves="""
            see round 0; see credits 99 99 99; see pot 3; see sabacc 0
            0 can check raise; 0 cannot junk; 0 raise 1; 1 can call raise junk; 1 junk
            see discard +9c +8t -2c; see junked none
            2 call
            0 can stand draw discard_draw swap; 0 swap +5t
            see hand 0 -2c +2t; see discard +9c +8t +5t
            2 stand; 0 check; 2 check
        """,  # an Ace; there is no Sabacc pot
        net=(3, -1, -2),
        winners=(0,),
        pots=((5, (0, 2)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="spacers: everyone junks in the opening bet, so no round begins",
        rules="spacers",
        num_players=2,
        dealer=1,
        deck="",
        moves="0 raise 3; 1 junk; see round 0",
        net=(1, -1),
        winners=(0,),
        pots=((2, (0,)),),
        sabacc_pot=0,
        revealed=False,
    ),
    Scenario(
        name="spacers: the house's fees and look-then-discard after a plain gain only (D19)",
        rules="spacers",
        num_players=2,
        dealer=1,
        deck="+5t +2t  +7t +6t  +9c  -9c -7s -6c",
        overrides={
            "rounds": 2,
            "fees": {"draw": 1, "discard_draw": 1, "swap": 1},
            "look_then_discard": True,
        },
        moves="""
            0 check; 1 check
            0 draw; see drawn -9c; see hand 0 +2t +5t; see pot 3; 0 can keep discard_drawn
            0 discard_drawn; see discard +9c -9c; see drawn none; see hand 0 +2t +5t; see pot 3
            1 discard_draw +6t; see hand 1 -7s +7t; see pot 4
            0 check; 1 check
            0 draw; 0 keep; see hand 0 -6c +2t +5t; 1 stand; 0 check; 1 check
        """,
        net=(-3, 3),
        winners=(1,),
        pots=((5, (0, 1)),),
        sabacc_pot=0,
    ),
)
