"""Scripted hands about betting, all-in seats, pots and the Sabacc pot."""

from __future__ import annotations

from tests.support.scenarios.scenario import ONE_ROUND, TWO_ROUNDS, Scenario

BETTING_AND_POTS = (
    Scenario(
        name="casino: the others junk, so no Sabacc pot for a zero hand (D16), and no reveal",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+1t +2t  +5t -5s  +3t +4t  +9c",
        sabacc_pot_before=100,
        moves="""
            0 stand; 1 stand; 2 stand
            0 check; 1 raise 5; 2 can call raise junk; 2 junk
            see credits 196 191 196; see pot 11; see pot_of 0 1; see junked +3t +4t
            0 can call raise junk; 0 junk; see junked +1t +2t +3t +4t; see discard +9c
            see round 1; see hand 1 -5s +5t
        """,
        net=(-4, 2, -4),
        winners=(1,),
        pots=((6, (1,)),),
        sabacc_pot=106,
        revealed=False,
    ),
    Scenario(
        name="casino: side pots with three all-ins, an all-in winner takes the Sabacc pot",
        rules="casino",
        num_players=4,
        dealer=3,
        deck="+5t -5s  +2t -1s  +3t -1c  +4t +5s  +9c",
        credits=(14, 34, 64, 200),
        sabacc_pot_before=12,
        overrides=ONE_ROUND,
        moves="""
            0 stand; 1 stand; 2 stand; 3 stand
            0 may raise 1 10 1; 0 raise 10
            1 can call raise junk; 1 raise 30; 2 may raise 31 60 1; 2 raise 60
            3 can call junk; see pot 108; 3 call
        """,
        net=(54, 26, -4, -64),
        winners=(0, 1, 2),
        pots=((48, (0, 1, 2, 3)), (60, (1, 2, 3)), (60, (2, 3))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: an uncalled excess returns; all-in seats skip betting, not cards (D7)",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+2t +1t  +5t -1s  +9c",
        credits=(14, 200),
        moves="""
            0 stand; 1 stand; 0 check
            1 can check raise; 1 may raise 1 196 1; 1 raise 50
            0 can call junk; 0 call; see credits 0 146; see pot 64
            see round 2; see phase cards
            0 can stand draw discard_draw swap; 0 stand; 1 stand
            see round 3; see phase cards; 0 stand; 1 stand
        """,  # +3 beats +4
        net=(10, -14),
        winners=(0,),
        pots=((24, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: a seat whose ante took its last credit plays on, and nobody bets (D7)",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +1s  +1c +2t  +9c",
        credits=(4, 100),
        overrides=ONE_ROUND,
        moves="see credits 0 96; 0 stand; 1 stand",
        net=(0, -4),
        winners=(0,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: a fee may take the last credit: all-in with what was bet so far",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+5t -2t  +3t -1s  +4t -1c  +9c  -3t",
        credits=(14, 100, 100),
        overrides={"rounds": 1, "fees": {"draw": 10}},
        moves="""
            0 draw; see credits 0 96 96; see pot 16; 1 stand; 2 stand
            1 can check raise; 1 raise 20; 2 can call raise junk; 2 call
        """,
        net=(8, 16, -24),
        winners=(0, 1),
        pots=((16, (0, 1, 2)), (40, (1, 2))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: fees paid after an all-in are dead money in the main pot (D8)",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+1t -1s  +5t +4t  +6t -4s  -4c  -8t",
        credits=(14, 100, 100),
        overrides={"rounds": 2, "fees": {"draw": 3, "swap": 3}},
        moves="""
            0 stand; 1 stand; 2 stand; 0 raise 10; 1 raise 20; 2 call
            0 can stand discard_draw; 0 stand; 1 draw; 2 swap -4s
            1 check; 2 raise 5; 1 call
        """,
        net=(34, -2, -32),
        winners=(0, 1),
        pots=((42, (0, 1, 2)), (30, (1, 2))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: two pots, each with its own blind draw, clockwise from the first seat (D9)",
        rules="casino",
        num_players=3,
        dealer=0,
        deck="+5s -3c  +5c -3t  +5t -3s  +9c  +4t +1t +1s  0b -2t  0a -1s",
        credits=(14, 100, 100),
        overrides=ONE_ROUND,
        moves="""
            1 stand; 2 stand; 0 stand; 1 raise 30; 2 call; 0 can call junk; 0 call
            see discard +9c +4t +1t +1s 0b -2t 0a -1s
        """,  # the main pot: +1 and +1 tie, then the Sylop; the side pot: the other Sylop
        net=(-14, 6, 2),
        winners=(2, 1),
        pots=((36, (0, 1, 2)), (40, (1, 2))),
        sabacc_pot=6,
    ),
    Scenario(
        name="spacers: a blind draw also decides the house's Sabacc pot; +1 beats -1",
        rules="spacers",
        num_players=2,
        dealer=1,
        deck="+5t -5s  +5s -5t  +9c  -1t +1s",
        sabacc_pot_before=7,
        overrides={"rounds": 1, "hand_ante": 2, "sabacc_ante": 1},
        moves="""
            see credits 197 197; 0 may raise 2 196 2; 0 check; 1 check
            0 stand; 1 stand; 0 check; 1 check
            see discard +9c -1t +1s
        """,
        net=(-3, 10),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: a junked highest bettor's excess goes back to it",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +4t +1t  +9t +9s  +9c",
        credits=(14, 24, 200),
        overrides={"rounds": 2, "junk_when": "cards"},
        moves="""
            0 can stand draw discard_draw swap junk; 0 stand; 1 stand; 2 stand
            0 check; 1 check; 2 raise 50; 0 can call; 0 call; 1 can call; 1 call
            see pot 86; 0 stand; 1 stand; 2 junk
        """,
        net=(22, -4, -24),
        winners=(0, 1),
        pots=((36, (0, 1)), (20, (1,))),
        sabacc_pot=6,
    ),
    Scenario(
        name="casino: a layer that lost all its seats joins the outermost pot that has one",
        rules="casino",
        num_players=4,
        dealer=3,
        deck="+2t -1t  +4t +1t  +9t +9s  +8t +8s  +9c",
        credits=(14, 24, 200, 200),
        overrides={"rounds": 2, "junk_when": "cards"},
        moves="""
            0 stand; 1 stand; 2 stand; 3 stand
            0 check; 1 check; 2 raise 40; 3 can call raise; 3 call; 0 call; 1 call
            0 stand; 1 stand; 2 junk; 3 junk
        """,
        net=(34, 46, -44, -44),
        winners=(0, 1),
        pots=((48, (0, 1)), (70, (1,))),
        sabacc_pot=8,
    ),
    Scenario(
        name="casino: a seat that cannot pay its antes sits out, and the dealer moves on (D2)",
        rules="casino",
        num_players=3,
        dealer=0,
        deck="+1t +2t  +3t +4t",
        credits=(3, 100, 100),
        overrides=ONE_ROUND,
        moves="""
            see hand 0 none; see hand 2 +1t +2t; see credits 3 96 96; see pot_of 1 2
            2 stand; 1 stand; 2 check; 1 check
        """,
        net=(0, -4, 0),
        winners=(2,),
        pots=((4, (1, 2)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="casino: the house's bet and raise limits, step, and most raises",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +9t +9s  +2s +1s  +9c",
        overrides={
            "rounds": 1,
            "min_bet": 5,
            "max_bet": 20,
            "min_raise": 10,
            "max_raise": 30,
            "bet_step": 5,
            "max_raises": 2,
        },
        moves="""
            0 stand; 1 stand; 2 stand
            0 may raise 5 20 5; 0 cannot raise 7; 0 cannot raise 25; 0 raise 10
            1 may raise 20 40 5; 1 cannot raise 15; 1 raise 20
            2 may raise 30 50 5; 2 raise 50
            0 can call junk; 0 cannot raise 60; 0 call; 1 junk
        """,
        net=(72, -24, -54),
        winners=(0,),
        pots=((126, (0, 2)),),
        sabacc_pot=6,
    ),
    Scenario(
        name="casino: a raise is never short, a call may still be paid (D15)",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+2t -1t  +1s +1c  +9c",
        credits=(100, 19),
        overrides={"rounds": 1, "min_raise": 10},
        moves="0 stand; 1 stand; 0 raise 10; 1 can call junk; 1 call; see sabacc 4",
        net=(10, -14),
        winners=(0,),
        pots=((24, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="orsl: who cannot call must junk, and pays what is left of the penalty (D20)",
        rules="orsl",
        num_players=3,
        dealer=2,
        deck="",
        credits=(2000, 35, 2000),
        moves="""
            0 stand; 1 can stand discard_draw swap; 1 stand; 2 stand
            0 raise 50; 1 can junk; 1 cannot call; 1 junk
            see credits 1920 0 1970; see pot 115
            2 can call raise junk; 2 junk
        """,
        net=(45, -35, -40),
        winners=(0,),
        pots=((75, (0,)),),
        sabacc_pot=30,
        revealed=False,
    ),
    Scenario(
        name="orsl: nobody is all-in; a seat with no credits takes its turns",
        rules="orsl",
        num_players=2,
        dealer=1,
        deck="",
        credits=(30, 100),
        overrides=ONE_ROUND,
        moves="""
            0 can stand discard_draw swap; 0 stand; 1 stand
            0 can check junk; 0 check
            1 can check raise junk; 1 may raise 1 70 1; 1 raise 1
            0 can junk; 0 junk
        """,
        net=(-30, 10),
        winners=(1,),
        pots=((40, (1,)),),
        sabacc_pot=20,
        revealed=False,
    ),
    Scenario(
        name="orsl: junk without a bet; its penalty is paid although one seat remains (D20)",
        rules="orsl",
        num_players=2,
        dealer=0,
        deck="",
        moves="1 stand; 0 stand; 1 can check raise junk; 1 junk",
        net=(20, -40),
        winners=(0,),
        pots=((50, (0,)),),
        sabacc_pot=20,
        revealed=False,
    ),
    Scenario(
        name="orsl: the exact call is paid; a raise reopens the betting, a call does not",
        rules="orsl",
        num_players=3,
        dealer=1,
        deck="+5t -4t  +5s +4s  +6c -4c  +9c",
        credits=(50, 80, 2000),
        overrides=ONE_ROUND,
        moves="""
            2 stand; 0 stand; 1 stand
            2 check; 0 raise 10; 1 raise 20; 2 may raise 21 1970 1; 2 call
            0 can call junk; 0 call; see credits 0 30 2070
        """,  # seats 2, 0, 1 hold +1, +9, +2
        net=(-50, -50, 70),
        winners=(2,),
        pots=((120, (0, 1, 2)),),
        sabacc_pot=30,
    ),
    Scenario(
        name="spacers: whole antes (D21); an odd remainder only in a short call (D6)",
        rules="spacers",
        num_players=3,
        dealer=2,
        deck="+5t -4s  +6t -6s  +7t -4c  +9c",
        credits=(500, 17, 500),
        overrides={"rounds": 1, "hand_ante": 5},
        moves="""
            0 may raise 5 495 5; 0 cannot raise 7; 0 cannot raise 1; 0 raise 5
            1 may raise 10 10 5; 1 cannot raise 12; 1 raise 10
            2 may raise 15 495 5; 2 raise 20; 0 can call raise junk; 0 call
            1 can call junk; 1 call; see credits 475 0 475; see pot 67; see phase cards
            0 stand; 1 stand; 2 stand
            0 check; 2 check
        """,
        net=(-9, 34, -25),
        winners=(1, 0),
        pots=((51, (0, 1, 2)), (16, (0, 2))),
        sabacc_pot=0,
    ),
    Scenario(
        name="casino: check, then betting stops where only one seat still has credits (D7)",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+2t -1t  +4t +1t  +9t -1s  +9c",
        credits=(100, 14, 14),
        overrides=TWO_ROUNDS,
        moves="""
            0 stand; 1 stand; 2 stand
            0 check; 1 raise 4; 2 raise 10; 0 can call raise junk; 0 may raise 11 96 1; 0 call
            1 can call junk; 1 call
            see round 2; see phase cards; 0 stand; 1 stand; 2 stand
        """,  # after seat 1's call two seats have no credits, so round 2 has no betting
        net=(22, -14, -14),
        winners=(0,),
        pots=((36, (0, 1, 2)),),
        sabacc_pot=6,
    ),
)
