"""Solving the last betting phase of a hand, from the view of a seat that is to bet in it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.agent import BlueprintAgent
from sabacc_agents.blueprint.card_choices import card_choices, free_win_probabilities
from sabacc_agents.blueprint.observed_turns import first_round
from sabacc_agents.resolving.bet_sizes import pots_of, translate_bets
from sabacc_agents.resolving.bet_tree import considered_raises, grow_tree, new_tree
from sabacc_agents.resolving.cfr import new_solution, solve
from sabacc_agents.resolving.course import MAX_MOVES, ZERO, new_course, write_course
from sabacc_agents.resolving.hand_classes import NUM_CLASSES, write_classes
from sabacc_agents.resolving.hand_ranges import (
    KNOWN_KINDS,
    Bets,
    hands_of,
    new_scratch,
    write_range,
)
from sabacc_agents.resolving.phase_solution import PhaseSolution, TurnStrategy
from sabacc_agents.resolving.showdown import NewHands, Showdown, redealt_probability
from sabacc_agents.resolving.spike_ranges import SPIKE_KINDS, spike_hands_of, write_spike_range
from sabacc_env.actions import CALL, FIRST_BET, BetSize, encode_bet_sizes
from sabacc_env.array_types import Ints
from sabacc_env.engine.layout import GAME_DTYPE
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.engine.search.determinization import InformationState, sample_determinization
from sabacc_env.errors import SabaccError
from sabacc_env.game.determinization import information_state_of, make_workspace
from sabacc_env.game.view import GameView
from sabacc_env.observation import OBSERVATION_SIZE, decode
from sabacc_env.rules import RuleSet

MAX_KEPT: Final = 8192
"""How many solutions are kept, in case that the same phase goes on. Each takes some 40 KB."""

MAX_ITERATIONS: Final = 100_000


@dataclass(frozen=True)
class RangeSettings:
    """How ranges are drawn from public moves. All are shares.

    Attributes:
        own_epsilon: how often this agent is taken to play its cards otherwise than the blueprint.
            It counts the cards that it has seen, which the blueprint's choices do not.
        epsilon: how often the other seat is taken to play its cards otherwise, and its bets.
        unread_bets: the share of the other seat's range in which its bets do not count.

    Raises:
        SabaccError: for a share that is 0 or less, or above 1.
    """

    own_epsilon: float = 0.02
    epsilon: float = 0.2
    unread_bets: float = 0.6

    def __post_init__(self) -> None:
        for name, share in asdict(self).items():
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
                raise SabaccError(f"{name}: give a number above 0, at most 1, not {share!r}")


DEFAULT_RANGES: Final = RangeSettings()


def check_iterations(iterations: int) -> None:
    """Check the number of iterations.

    Raises:
        SabaccError: for one that is out of range.
    """
    if isinstance(iterations, bool) or not isinstance(iterations, int):
        raise SabaccError(f"iterations: give a whole number, not {iterations!r}")
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise SabaccError(f"iterations: give 1 to {MAX_ITERATIONS:,}, not {iterations}")


def check_rules(rules: RuleSet) -> None:
    """Check that the last betting phase can be solved again.

    After it all hands stay or are new, and ranges know the card actions of blueprints, cards that
    are bought, and Spike Cards.

    Raises:
        SabaccError: for other rules.
    """
    if rules.phases.count("betting") != 1:
        raise SabaccError(
            f"{rules.name}: a resolving agent needs rules with one betting phase in a round, not "
            f"{', '.join(rules.phases)}"
        )
    redealt_probability(rules)
    known = SPIKE_KINDS if rules.spike_card else KNOWN_KINDS
    if unknown := [kind for kind in rules.card_actions if kind not in known]:
        raise SabaccError(f"{rules.name}: a resolving agent does not know {unknown[0]}")


class LastPhase:
    """Solves last betting phases again.

    Args:
        blueprint: the agent whose moves the ranges are drawn from.
        rules: the rules in play.
        bet_sizes: what the bet actions mean.
        iterations: of CFR.
        settings: how ranges are drawn.

    Raises:
        SabaccError: for rules that ``check_rules`` refuses, or a wrong number of iterations.
    """

    def __init__(
        self,
        blueprint: BlueprintAgent,
        rules: RuleSet,
        bet_sizes: Sequence[BetSize],
        iterations: int,
        settings: RangeSettings,
    ) -> None:
        check_rules(rules)
        check_iterations(iterations)
        self._blueprint = blueprint
        self._rules = rules
        self._iterations = iterations
        self._settings = settings
        self._record = rules_record(rules)
        self._sizes = encode_bet_sizes(bet_sizes)
        self._considered = considered_raises(self._sizes)
        actions = blueprint.blueprint.actions
        self._is_call, self._is_raise = actions == CALL, actions >= FIRST_BET
        raises = actions[self._is_raise] - FIRST_BET
        self._raises = np.array([pots_of(bet_sizes[size]) for size in raises.tolist()])
        solved_for = blueprint.blueprint.rules
        win_probs = free_win_probabilities(solved_for)
        table = win_probs.table
        self._deck_counts = table.deck_counts.astype(np.int64)
        hands = hands_of(win_probs, card_choices(solved_for), blueprint.buckets, rules)
        self._first = hands.first
        self._write_range: Callable[..., int] = partial(write_range, hands)
        if rules.spike_card:
            self._write_range = partial(write_spike_range, spike_hands_of(solved_for, hands))
        self.ranks = np.unique(table.strengths, return_inverse=True)[1]
        self._redealt = float(redealt_probability(rules))
        self._new_hands = NewHands(rules, table, self.ranks)
        self._is_zero_rank = np.zeros(int(self.ranks.max()) + 1)
        self._is_zero_rank[self.ranks[table.is_zero & (table.sizes > 0)]] = 1
        self._masses = np.zeros((3, len(self.ranks)))
        self._by_rank = np.zeros((2, len(self._is_zero_rank)))
        self._scratch = new_scratch(table)
        self._workspace = make_workspace()
        self._determinization = np.zeros(1, GAME_DTYPE)
        self._course = new_course()
        self._tree = new_tree()
        self._solution = new_solution()
        self._kept: OrderedDict[Hashable, PhaseSolution] = OrderedDict()

    def is_at(self, view: GameView) -> bool:
        """Say whether a view is in the last betting phase."""
        return view.phase == "betting" and view.round == self._rules.rounds

    def determinization(self, view: GameView) -> tuple[InformationState, NDArray[Any]]:
        """Return what a seat knows, and a hand that agrees with it, (1,) GAME_DTYPE.

        The next call writes over the hand.

        Raises:
            SabaccError: for a view whose history is incomplete.
        """
        info_state = information_state_of(view, self._sizes)
        found = self._determinization
        if not sample_determinization(info_state, self._workspace, 0, 0, found, 0):
            raise SabaccError("view: its history does not lead to the state that it shows")
        return info_state, found

    def strategy(self, view: GameView) -> TurnStrategy | None:
        """Return what the seat to act does with each hand at a view in the last betting phase.

        Of the seat's own hand nothing is read. None for a phase that is too large, after a
        reshuffle, where the course of the hand is not known, and where a seat may be bet out, as
        the blueprint does.

        Raises:
            SabaccError: for a view whose history is incomplete.
        """
        if len(view.history) > MAX_MOVES:
            return None
        course = self._course
        info_state, _ = self.determinization(view)
        write_course(info_state, self._workspace, course)
        moves = course.moves[: len(view.history)]
        if course.root["reshuffles"][0] > 0 or self._may_bet_out(course.root[0]):
            return None
        before, bets = course.counts.tolist()
        path = moves["code"][before:].tolist()
        phase = (
            view.seat,
            view.dealer,
            view.history[:before],
            view.taken_discards[:before],
            view.dice,
            view.discard_pile,
            view.spike_cards,
            view.credits_before,
            view.sabacc_pot,
        )
        # The first tree is that without any raise that is not considered. A later one has those
        # that were made. So the answer does not depend on what was asked before.
        in_tree = 0
        while True:
            solution = self._kept.get((phase, *path[:in_tree]))
            if solution is None:
                solution = self._solve(view, moves[:before], bets, path[:in_tree])
                if solution is None:
                    return None
                self._kept[phase, *path[:in_tree]] = solution
                if len(self._kept) > MAX_KEPT:
                    self._kept.popitem(last=False)
            found = solution.after(path)
            if isinstance(found, TurnStrategy):
                return found
            in_tree = found + 1

    def _may_bet_out(self, root: NDArray[Any]) -> bool:
        """Say whether a seat may bet more than the other has, which must junk then."""
        first, second = root["credits"][:2].tolist()
        return self._rules.short_call == "junk" and first != second

    def _solve(
        self, view: GameView, moves: NDArray[Any], bets: int, path: Sequence[int]
    ) -> PhaseSolution | None:
        """Solve the phase after these moves, with a tree that has a path; None if it is too large.

        ``self._course`` is that of the view.
        """
        ranges, showdown, class_of = self._ranges(view, moves, bets)
        root, codes = self._course.root[0], np.array(path, np.int64)
        if not grow_tree(self._tree, root, self._record, self._sizes, self._considered, codes):
            return None
        solve(self._tree, self._solution, ranges, showdown, self._iterations)
        return PhaseSolution.of(self._tree, self._solution, class_of)

    def _ranges(
        self, view: GameView, moves: NDArray[Any], bets: int
    ) -> tuple[NDArray[np.float32], Showdown, Ints]:
        """Return what the moves before the phase tell of both hands.

        Returns:
            (2, classes) the ranges; what decides the hand; (ranks,) the class of each rank.
        """
        settings, masses = self._settings, self._masses
        unseen = self._deck_counts.copy()
        spikes = [card for card in view.spike_cards if card is not None]
        for card in (*view.discard_pile, *view.known_cards[0], *view.known_cards[1], *spikes):
            unseen[card.value + ZERO] -= 1
        exact = self._bets(moves, bets)
        columns = len(self._blueprint.blueprint.actions)
        smoothed = (1 - settings.epsilon) * exact.chances + settings.epsilon / columns
        sizes = np.zeros(2, np.int64)

        def write(seat: int, chances: NDArray[np.float64], epsilon: float, found: Any) -> None:
            sizes[seat] = self._write_range(
                moves,
                exact._replace(chances=chances),
                seat,
                epsilon,
                unseen,
                self._scratch,
                found,
            )

        own, other, unread = view.seat, 1 - view.seat, masses[2]
        write(own, exact.chances, settings.own_epsilon, masses[own])
        write(other, smoothed, settings.epsilon, masses[other])
        write(other, np.ones_like(smoothed), settings.epsilon, unread)
        part = slice(*self._first[sizes[other] : sizes[other] + 2])
        share = settings.unread_bets
        masses[other, part] = (1 - share) * masses[other, part] + share * unread[part]
        ranges = np.zeros((2, NUM_CLASSES), np.float32)
        is_zero = np.zeros(NUM_CLASSES, np.float32)
        class_of = np.zeros(len(self._is_zero_rank), np.int64)
        write_classes(
            masses,
            self._first,
            sizes,
            self.ranks,
            self._is_zero_rank,
            self._by_rank,
            class_of,
            ranges,
            is_zero,
        )
        first, second = [card.value + ZERO for card in spikes] or sizes.tolist()
        showdown = Showdown(
            is_zero,
            float(self._course.root["sabacc_pot"][0]),
            self._redealt,
            float(self._new_hands.wins[first, second]),
            float(self._new_hands.takes[first, second]),
        )
        return ranges, showdown, class_of

    def _bets(self, moves: NDArray[Any], bets: int) -> Bets:
        """Return what the blueprint says of the bets among some moves."""
        is_bet = moves["is_bet"] > 0
        rows = self._course.rows[:bets].view(np.float32).reshape(bets, OBSERVATION_SIZE)
        observations = rows[moves["row"][is_bet]]
        decoded = decode(observations)
        policies = self._blueprint.policies(observations)
        found = Bets(
            chances=np.ones((len(moves), policies.shape[1])),
            positions=np.zeros(len(moves), np.int64),
            bettings=np.zeros(len(moves), np.int64),
        )
        found.positions[is_bet] = decoded.seats_after_dealer == 0
        found.bettings[is_bet] = decoded.round - first_round(self._rules)
        said = moves[is_bet]
        shares = translate_bets(said["raised"], said["least"], said["all_in"], self._raises)
        columns = np.zeros((len(said), policies.shape[2]))
        columns[:, self._is_call] = shares[:, :1]
        columns[:, self._is_raise] = shares[:, 1:]
        found.chances[is_bet] = np.einsum("nbk,nk->nb", policies, columns)
        return found
