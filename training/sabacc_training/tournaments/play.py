"""Playing the deals of a task: by asking the agents, or in the compiled loop by their policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sabacc_env.agent import Agent
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.game import Game
from sabacc_env.policies import Policy
from sabacc_env.tables import play_episodes, policy_choices, replay_episode
from sabacc_env.tables.episodes import Choose
from sabacc_training.evaluation.playing import (
    DealTables,
    PlayedDeals,
    generator,
    least_stack,
    match_ranks,
    play_deals,
)
from sabacc_training.jobs.torch_threads import one_torch_thread
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.play_statistics import PlayStatistics
from sabacc_training.variance_reduction.deal_corrections import DealCorrections
from sabacc_training.variance_reduction.values import load_value_function


@dataclass(frozen=True, eq=False)
class Play:
    """Deals that were played, each in all rotations.

    Attributes:
        deals: the results.
        corrections: (deals, rotations, places) float64, credits that control variates take off;
            None where there are none.
        counts: how each place played, as ``PlayStatistics.counts`` returns it.
        replay: returns the hands of an episode, deal * places + rotation, each at its end.
    """

    deals: PlayedDeals
    corrections: NDArray[np.float64] | None
    counts: dict[str, NDArray[np.int64]]
    replay: Callable[[int], list[Game]]


def play_by_asking(
    config: TournamentConfig,
    lineup: Lineup,
    agents: Sequence[Agent],
    keys: NDArray[np.uint64],
    rngs: Sequence[np.random.Generator],
) -> Play:
    """Play deals in batches, and ask each agent for its actions.

    Args:
        config: the game.
        lineup: who the agents are.
        agents: one for each place.
        keys: (deals,).
        rngs: one for each place; the random numbers of its agent.
    """
    rules, places = config.rule_set, len(agents)
    dealt = DealTables(
        rules,
        places,
        keys,
        bet_sizes=config.bet_sizes,
        hands=config.hands,
        credits=config.credits,
        sabacc_pots=config.sabacc_pot or None,
        num_tables=config.num_tables,
    )
    statistics = PlayStatistics(dealt, rules.ranking)
    corrections = _corrections(config, lineup, agents, dealt) if config.variance_reduction else None
    with one_torch_thread():
        played = play_deals(
            dealt,
            agents,
            rngs,
            tell=corrections is not None,
            observers=[statistics] if corrections is None else [statistics, corrections],
        )

    def replay(episode: int) -> list[Game]:
        actions = iter(statistics.actions(episode))
        return _replay(config, places, keys, episode, lambda *_: next(actions))

    taken_off = None if corrections is None else corrections.by_kind.sum(axis=2)
    return Play(played, taken_off, statistics.counts(), replay)


def _corrections(
    config: TournamentConfig, lineup: Lineup, agents: Sequence[Agent], dealt: DealTables
) -> DealCorrections:
    """Return what watches the loop; its samples of chance draw from a stream of their own."""
    values = load_value_function(config.value_function_file, config.rule_set)
    specs = [config.entrants[name].spec for name in lineup]
    seed = int(generator(config.seed, 2).integers(2**63))
    return DealCorrections(dealt, values, specs, agents, seed)


def play_by_policies(
    config: TournamentConfig,
    policies: Sequence[Policy],
    keys: NDArray[np.uint64],
    rngs: Sequence[np.random.Generator],
) -> Play:
    """Play deals in the compiled loop: the same hands, if the policies draw no random words.

    Args:
        config: the game.
        policies: one for each place.
        keys: (deals,).
        rngs: each draws the seed of a rotation.

    Raises:
        IllegalMove: for a policy that chose an illegal action.
    """
    rules, places = config.rule_set, len(policies)
    played = PlayedDeals.unplayed(len(keys), places)
    counts: dict[str, NDArray[np.int64]] = {}
    seeds = [int(rng.integers(2**64, dtype=np.uint64)) for rng in rngs]
    stacks = np.array(_stacks(config, places) or starting_credits(rules, places))

    def seated(rotation: int) -> list[Policy]:
        return [policies[(seat - rotation) % places] for seat in range(places)]

    for rotation in range(places):
        found = play_episodes(
            rules,
            seated(rotation),
            keys,
            seed=seeds[rotation],
            hands=config.hands,
            bet_sizes=config.bet_sizes,
            credits=_stacks(config, places),
            sabacc_pot=config.sabacc_pot,
        )
        seats = (np.arange(places) + rotation) % places  # of the places
        last = stacks + found.net_credits
        gone = np.where(last < least_stack(rules), found.hands_dealt, -1)
        played.net_credits[:, rotation] = found.net_credits[:, seats]
        played.hands[:, rotation] = found.hands_dealt.max(axis=1)
        played.ranks[:, rotation] = match_ranks(gone, last)[:, seats]
        for name in ("moves", "moves_by_hand", "reveals"):
            counts[name] = counts.get(name, 0) + getattr(found, name)[seats]

    def replay(episode: int) -> list[Game]:
        deal, rotation = divmod(episode, places)
        choose = policy_choices(seated(rotation), int(keys[deal]), seed=seeds[rotation])
        return _replay(config, places, keys, episode, choose)

    return Play(played, None, counts, replay)


def _replay(
    config: TournamentConfig, places: int, keys: NDArray[np.uint64], episode: int, choose: Choose
) -> list[Game]:
    """Play an episode, deal * places + rotation, again."""
    return replay_episode(
        config.rule_set,
        places,
        int(keys[episode // places]),
        choose,
        hands=config.hands,
        bet_sizes=config.bet_sizes,
        credits=_stacks(config, places),
        sabacc_pot=config.sabacc_pot,
    )


def _stacks(config: TournamentConfig, places: int) -> list[int] | None:
    """Return each seat's credits before the antes, if they are not the rules' own."""
    return None if config.credits is None else [config.credits] * places
