"""The page of the zoo: its members with their cards."""

from __future__ import annotations

from collections.abc import Sequence

from sabacc_agents.zoo import members, read_card
from sabacc_agents.zoo.model_card import ModelCard, deal_counts

from tools.markdown import table


def zoo_page() -> str:
    """Return the page, without its title."""
    cards = [read_card(name) for name in members()]
    if not cards:
        return "There are no members yet.\n"
    return overview(cards) + "".join(section(card) for card in cards)


def overview(cards: Sequence[ModelCard]) -> str:
    """Return the members, a line each."""
    head = ("member", "plays", "learnt from", "hours", "lowest margin, mante/hand")
    rows = []
    for card in cards:
        lowest = card.lowest_result
        margin = f"{lowest.margin} over `{lowest.opponent}`" if lowest else "-"
        rows.append(
            (f"`{card.name}`", card.games_text, card.learnt_from, f"{card.hours:.2f}", margin)
        )
    return table(head, rows)


def section(card: ModelCard) -> str:
    """Return a member's card."""
    met = ", ".join(f"`{name}`" for name in card.opponents) or card.sole_opponent
    teachers = ", ".join(f"`{name}`" for name in card.teachers)
    taught = f", and its policy was pulled towards {teachers}" if teachers else ""
    text = (
        f"\n## {card.name}\n\n"
        f"Trained on {card.learnt_from} in {card.hours:.2f} hours, seed {card.seed}. In "
        f"training it met {met}{taught}. `{card.retrain}` trains it again, and "
        f"`sabacc zoo {card.name} --measure` measures it again.\n"
    )
    for rules, digest in card.rules.items():
        margins = card.margins(rules)
        if margins:
            seats = sorted({n for of_seats in margins.values() for n in of_seats})
            head = (f"{rules}, over", *(f"{n} seats" for n in seats), "deals")
            rows = [
                (
                    f"`{opponent}`" + "*" * (opponent in card.opponents),
                    *(of_seats.get(n, "") for n in seats),
                    deal_counts(of_seats.values()),
                )
                for opponent, of_seats in margins.items()
            ]
            text += f"\n{table(head, rows)}"
        if folds := card.folds(rules):
            sizes = list(dict.fromkeys(size for of_sizes in folds.values() for size in of_sizes))
            head = (f"{rules}, folds in round", *(f"to a bet of {size}" for size in sizes))
            lines = [
                (number, *(of_sizes.get(size, "") for size in sizes))
                for number, of_sizes in folds.items()
            ]
            text += f"\n{table(head, lines)}"
        text += f"\nRules `{digest[:16]}`, observation `{card.observation_version}`.\n"
    for bound in card.bounds:
        text += f"\n{bound.sentence} `{bound.command}` finds it again.\n"
    return text
