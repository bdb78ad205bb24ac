"""Scripted hands in which the draw pile runs out."""

from __future__ import annotations

from tests.support.scenarios.scenario import EIGHT_CARDS, Scenario

RESHUFFLES = (
    Scenario(
        name="D1: the draw that empties the pile; the top discard stays, the rest return",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  -1t -2t  +3t  -3t 0a 0b",
        dice=((2, 2),),
        overrides=EIGHT_CARDS,
        reshuffles=("-1t +1t +3t",),
        moves="""
            0 discard_draw +1t; 1 discard_draw -1t
            see discard +3t +1t -1t; see draw 0b; see draw_pile_size 1
            0 redraw +2t; see discard +2t; see draw_by_id +1t +3t -1t; see hand 0 -3t 0b
            1 redraw -2t; see discard +2t -2t; see draw_pile_size 2; ordered: see hand 1 -1t 0a
            0 check; 1 check
        """,  # seat 0 has -3; seat 1 has +1, +3 or -1, each of them better
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="D1: a wipe-out that reshuffles may redraw its own discards",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  -1t -2t  +3t  -3t 0a 0b",
        dice=((1, 1),),
        overrides=EIGHT_CARDS,
        reshuffles=("-1t +1t +2t +3t",),
        moves="""
            0 stand; 1 stand
            see hand 0 -3t 0a; see discard -2t; see draw_pile_size 3
            ordered: see hand 1 -1t 0b
            ordered: see draw +1t +2t +3t
            0 check; 1 check
        """,  # seat 0 has -3; seat 1 has a Sylop with +1, +2, +3 or -1
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="D1: single cards returning again and again",
        rules="casino",
        num_players=2,
        dealer=1,
        deck="+1t +2t  -1t -2t  +3t  -3t 0a 0b",
        dice=((2, 2),),
        overrides=EIGHT_CARDS,
        moves="""
            0 draw; 1 draw; see draw 0b; see draw_pile_size 1
            0 redraw +1t; see discard +1t; see draw +3t; see draw_pile_size 1
            1 redraw -1t; see discard -1t; see draw +1t; see draw_pile_size 1
            see hand 0 -3t 0b +2t; see hand 1 -2t 0a +3t
            0 check; 1 check
        """,  # +1 beats -1
        net=(-4, 0),
        winners=(1,),
        pots=((4, (0, 1)),),
        sabacc_pot=4,
    ),
    Scenario(
        name="D1: junked cards return; a seat's discard is on the pile before its draw",
        rules="casino",
        num_players=3,
        dealer=2,
        deck="+1t +2t  -1t -2t  +4t +5t  +3t  -3t -4t -5t 0a",
        dice=((5, 6), (2, 2)),
        # Two rounds would need 14 cards: the house lets nobody draw without discarding.
        overrides={
            "rounds": 2,
            "seats": (3, 3),
            "highest_value": 5,
            "suits": 1,
            "sylops": 1,
            "card_actions": ("stand", "discard_draw", "swap"),
        },
        moves="""
            0 discard_draw +1t; 1 discard_draw -1t; 2 stand; see draw -5t 0a
            0 raise 5; 1 call; 2 junk; see junked +4t +5t; see discard +3t +1t -1t
            0 discard_draw +2t; see hand 0 -5t -3t; see draw_pile_size 1
            1 discard_draw -2t; see hand 1 -4t 0a; see discard -2t; see junked none
            see phase dice; see draw_by_id +1t +2t +3t +4t +5t -1t; see draw_pile_size 6
            0 redraw -5t; 1 redraw 0a; see discard -2t -5t 0a; see draw_pile_size 4
            0 raise 10; 1 junk
        """,
        reshuffles=("+1t +2t +3t +4t +5t -1t",),
        net=(7, -9, -4),
        winners=(0,),
        pots=((16, (0,)),),
        sabacc_pot=6,
        revealed=False,
    ),
    Scenario(
        name="D9: a tie that no draw can break goes to the first tied seat",
        rules="orsl",
        num_players=2,
        dealer=1,
        deck="+1t +2t  +1s +2s  -1s  -1t  -2t -2s",
        overrides={"seats": (2, 2), "rounds": 1, "highest_value": 2, "suits": 2, "sylops": 0},
        moves="""
            0 draw; 1 buy_discard; see discard -2t; see draw -2s; see draw_pile_size 1
            0 check; 1 check
            see discard -2s -2t; see draw_pile_size 0
        """,  # each seat draws one -2 after the other: eight tied rounds
        net=(30, -50),
        winners=(0,),
        pots=((70, (0, 1)),),
        sabacc_pot=20,
    ),
)
