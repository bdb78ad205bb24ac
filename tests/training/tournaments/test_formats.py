"""Formats: which agents sit at a table together."""

from __future__ import annotations

from collections import Counter

import pytest
from sabacc_training.config.base import validated
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Format
from sabacc_training.tournaments.tasks import all_tasks

from sabacc_env.errors import SabaccError

AGENTS = ["a", "b", "c", "d", "e", "f", "g"]


def test_pairs_are_all_pairs_and_copies_all_ordered_ones():
    assert len(Format(kind="pairs").tables(AGENTS, 0)) == 21
    copies = Format(kind="copies", num_players=4).tables(AGENTS, 0)
    assert len(copies) == 42
    assert ("b", "a", "a", "a") in copies


def test_mixed_tables_are_all_combinations_while_they_are_few():
    tables = Format(kind="mixed", num_players=3).tables(AGENTS, 0)
    assert len(set(map(frozenset, tables))) == len(tables) == 35


@pytest.mark.parametrize("lineups", [5, 14, 30])
def test_drawn_tables_have_each_agent_equally_often(lineups):
    drawn = Format(kind="mixed", num_players=4, lineups=lineups)
    tables = drawn.tables(AGENTS, 3)
    assert len(set(map(frozenset, tables))) == len(tables) == lineups
    assert all(len(set(table)) == 4 for table in tables)
    counts = Counter(name for table in tables for name in table)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert tables == drawn.tables(AGENTS, 3) != drawn.tables(AGENTS, 4)


def test_a_lineup_of_several_formats_is_played_once():
    data = {"agents": ["random", "tight"], "formats": ["pairs", "copies-2"], "deals": 10}
    config = validated(TournamentConfig, data)
    lineups = [task.lineup for task in all_tasks(config, range(10))]
    assert lineups == [("random", "tight"), ("tight", "random")]


@pytest.mark.parametrize(
    ("formats", "sentence"),
    [
        ([], "formats: none given"),
        (["pairs", "pairs"], "formats: pairs is given twice"),
        (["pairs-3"], "pairs are played at 2 seats, not 3"),
        (["copies-9"], "9 is not allowed: input should be less than or equal to 8"),
        (["triples"], 'formats.0: "triples" is not allowed'),
        (["mixed-4"], "formats: mixed-4 needs at least 4 agents, not 3"),
        ([{"kind": "copies", "lineups": 4}], "copies plays all its tables"),
    ],
)
def test_a_wrong_format_is_one_sentence(formats, sentence):
    data = {"agents": ["random", "tight", "loose"], "formats": formats}
    with pytest.raises(SabaccError) as refused:
        validated(TournamentConfig, data)
    assert sentence in str(refused.value)


def test_a_game_for_three_seats_alone_is_played_at_three():
    game = {"agents": ["random", "tight"], "rules": "side_pots", "deals": 10}
    config = validated(TournamentConfig, game | {"formats": ["copies-3"]})
    assert {len(lineup) for lineup in config.all_lineups} == {3}
    with pytest.raises(SabaccError, match=r"^formats: pairs: num_players: 2 is not from 3 to 3$"):
        validated(TournamentConfig, game)


def test_too_many_tables_are_refused_without_a_number():
    with pytest.raises(SabaccError, match="has 38,760 tables; say how many to draw"):
        Format(kind="mixed", num_players=6).tables([str(number) for number in range(20)], 0)
