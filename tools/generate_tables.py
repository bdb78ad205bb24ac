"""Write the generated tables of the documentation: ``make tables``; a test holds them current."""

from __future__ import annotations

from sabacc_training.config.game import rungs
from sabacc_training.solved_games.best_response import policy_values
from sabacc_training.solved_games.cfr import CFRSolver
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.solved_games.solver import solve

from sabacc_env import actions, load_rules, rule_sets
from sabacc_env.actions import DEFAULT_BET_SIZES, action_names, num_actions
from sabacc_env.engine.layout import GAME_DTYPE, KINDS
from sabacc_env.engine.observation.blocks import Block
from sabacc_env.engine.observation.encoding import KIND_ENCODING
from sabacc_env.engine.observation.planes import PLANES, PLANES_SHAPE
from sabacc_env.engine.observation.state import STATE_BLOCKS
from sabacc_env.engine.observation.vocabulary import GROUPS
from sabacc_env.observation import BLOCKS, OBSERVATION_SIZE, VOCABULARY_SIZE, feature_names
from sabacc_env.rules import RuleSet
from tools import distances, reference_pages, short_calls, zoo_page
from tools.markdown import NOTE, ROOT, filled_page, table
from tools.result_pages import RESULT_PAGES


def observation_page() -> str:
    """Return what every index of the observation means."""
    first = 0
    overview = []
    for block in BLOCKS:
        last = first + len(block.features) - 1
        shape = " x ".join(map(str, block.shape))
        overview.append((f"{first}-{last}", f"`{block.name}`", shape))
        first = last + 1
    kinds = zip(KINDS, *KIND_ENCODING[: len(KINDS)].T.tolist(), strict=True)
    return (
        "# The observation\n\n"
        + NOTE
        + f"One row of {OBSERVATION_SIZE} float32 features, the same for every rule set and 2 to 8 "
        "players. The pot is everything staked in this hand. Starting credits are those that the "
        "rules give that seat. In `sabacc_env.observation`, `decode(observations)` gives named "
        "facts, such as `own_total` in points, `blocks(observations)` gives these features by "
        "block, and `feature_names()` gives the second table.\n\n"
        + table(("index", "block", "shape"), overview)
        + "\n## Every index\n\n"
        + table(("index", "feature"), enumerate(feature_names()))
        + "\n## Move kinds as numbers\n\n"
        "Source: 1 is the draw pile, -1 the discard pile, 0.5 a forced redraw. Hand: above 0 the "
        "hand grows or stays, below 0 a card is put down. Money: 1 is a raise, 0.5 a call, 0.25 a "
        "check, -1 junk.\n\n" + table(("kind", "source", "hand", "money"), kinds)
    )


def forms_page() -> str:
    """Return the page of the forms of observation, its tables written anew."""
    return filled_page("docs/reference/forms.md", forms_tables())


def forms_tables() -> str:
    """Return what the planes, the tokens and the state hold."""
    planes = [(number, f"`{plane.name}`", plane.meaning) for number, plane in enumerate(PLANES)]
    tokens, first = [], 0
    for group in GROUPS:
        last = first + len(group.values) - 1
        numbers = str(first) if last == first else f"{first}-{last}"
        values = f"{group.values[0]} to {group.values[-1]}" if last > first else ""
        tokens.append((numbers, f"`{group.name}`", values, group.meaning))
        first = last + 1
    shape = " x ".join(map(str, PLANES_SHAPE))
    return (
        f"## Planes: {shape}\n\n"
        + table(("plane", "name", "cards"), planes)
        + f"\n## Tokens: 0 to {VOCABULARY_SIZE - 1}\n\n"
        + table(("token", "name", "values", "meaning"), tokens)
        + "".join(map(_state_table, STATE_BLOCKS))
    )


def _state_table(block: Block) -> str:
    """Return what the columns of a block of the state mean."""
    rows = [(number, f"`{c.name}`", c.meaning) for number, c in enumerate(block.columns)]
    title = f"`{block.name}`, {' x '.join(map(str, block.shape))}"
    return f"\n## State: {title}\n\n" + table(("column", "name", "meaning"), rows)


def action_page() -> str:
    """Return what every discrete action means."""
    constants = _action_constants()
    meanings = action_names(DEFAULT_BET_SIZES)
    rows = [(action, f"`{constants[action]}`", name) for action, name in enumerate(meanings)]
    return (
        "# The actions\n\n"
        + NOTE
        + "Every rule set has the same discrete layout, and the action mask says which actions are "
        "legal. A slot is a card of the hand, which is sorted by value, then id. The constants are "
        "those of `sabacc_env.actions`.\n\n"
        f"The last actions are the bet sizes, here the default `bet_sizes={DEFAULT_BET_SIZES}`. "
        "`min` and `max` are the smallest and the largest legal total. A fraction f is a total of "
        "the highest bet + f x (everything staked in this hand + what the call costs). It is "
        "rounded down to a legal total and clipped. If several bet sizes give the same total, only "
        "the first is legal.\n\n" + table(("action", "constant", "meaning"), rows)
    )


def _action_constants() -> list[str]:
    """Return how an agent writes each action of the default bet sizes."""
    constants = {actions.FIRST_BET + i: f"FIRST_BET + {i}" for i in range(len(DEFAULT_BET_SIZES))}
    for name in actions.__all__:
        value = getattr(actions, name)
        if isinstance(value, range):
            constants |= {action: f"{name}[{slot}]" for slot, action in enumerate(value)}
        elif isinstance(value, int):
            constants.setdefault(value, name)
    return [constants[action] for action in range(num_actions(DEFAULT_BET_SIZES))]


def rules_page() -> str:
    """Return the six rule sets side by side, field by field."""
    sets = [load_rules(name) for name in rule_sets()]
    fields = [field for field in RuleSet.model_fields if field not in ("title", "source", "name")]
    rows = [[f"`{f}`", *(_cell(getattr(rules, f)) for rules in sets)] for f in fields]
    return (
        "# The six rule sets\n\n"
        + NOTE
        + "`sabacc rules NAME` prints one as a readable page, and [the rules](../RULES.md) has "
        "every decision. A rules file is TOML with any of these fields. Fields that it leaves out "
        "are as in `casino`.\n\n"
        + table(("field", *rule_sets()), rows)
        + "\n## The fields\n\n"
        + "".join(
            f"- `{field}`: {' '.join((RuleSet.model_fields[field].description or '').split())}\n"
            for field in fields
        )
    )


def ladder_page() -> str:
    """Return the page of the ladder; all rungs but the largest are solved again."""
    rows = []
    trees = [flatten(load_rung(name)) for name in rungs()[:-1]]
    for tree in trees:
        name = tree.rung.name
        two = tree.num_players == 2
        solution = solve(tree, target=1e-4 if two else 0.01)
        before = policy_values(tree, CFRSolver(tree).current_policy).nash_conv
        reached = f"below {0.0001 if two else 0.01}"
        sizes = f"{len(tree.nodes.seats):,}", f"{len(tree.states.seats):,}"
        values = ", ".join(f"{value:+z.3f}" for value in solution.values.on_policy)
        players = tree.num_players
        rows.append((f"`{name}`", players, *sizes, values, f"{before:.3f}", reached))
    largest = load_rung(rungs()[-1])
    of_two = [tree for tree in trees if tree.num_players == 2]
    titles = [(f"`{name}`", load_rung(name).rule_set.title) for name in rungs()]
    return (
        "# Games solved exactly\n\n"
        + NOTE
        + "The ladder is a set of small house rule sets whose equilibrium can be computed. In "
        "these games NashConv is exact: the gains of all seats by best responses, added up, in "
        "antes a hand. It is 0 in an equilibrium, and exploitability is NashConv divided by the "
        "number of seats. Every rung is made of `RuleSet` fields and played by the same engine. No "
        "rung has a Sabacc ante, which would leave credits that no seat wins. The last seat deals, "
        "and seat 0 acts first.\n\n"
        + table(("rung", "what it is"), titles)
        + "\n`sabacc solve NAME --target 0.0001` computes a row of this table again:\n\n"
        + table(
            (
                *("rung", "players", "nodes", "information states", "what each seat wins"),
                *("NashConv of random play", "NashConv reached"),
            ),
            rows,
        )
        + "\nWith three players CFR need not converge to an equilibrium. "
        f"`{largest.name}` has 11 million nodes and is not solved again when this page is "
        f"generated. `/usr/bin/time -v sabacc solve {largest.name}` took 125 CPU-seconds and 1.5 "
        "GiB for 312 iterations to a NashConv of 0.00098; seat 0 wins -0.139 antes. The tree took "
        "23 of these seconds, 28 million nodes a minute. While the tree is built, a node takes up "
        "to 120 bytes, so 24 GiB of memory hold about 200 million nodes.\n\n"
        "## The scripted agents\n\n"
        "The table has the NashConv of each agent when it plays both seats. It is exact, because "
        "these agents tell their probabilities. `sabacc distance RUNG AGENT` measures one again. "
        "[The agents](../results/agents.md) has the agents that search.\n\n"
        + table(
            ("agent", *(f"`{tree.rung.name}`" for tree in of_two)),
            distances.rows(of_two),
        )
    )


def short_calls_page() -> str:
    """Return what becomes of the credit rule sets as their source has them."""
    head = ("rule set", "short call", "extra credits", "hands won", "net, antes a hand")
    return (
        "# Short calls: the credit rule sets as written\n\n"
        + NOTE
        + "In `orsl`, `three_en` and `yarith_bespin`, source 002 says that a seat which cannot pay "
        "a call must junk. A seat with a few more credits than the others therefore wins every "
        "hand: it bets more than they have, without looking at its cards. Strength under these "
        "rules is mostly a matter of credits. The author's later sheet allows "
        '`short_call="all_in"`, which makes '
        "betting skill matter. Training configurations and results of these rule sets state "
        "the form that they use.\n\n"
        "In the table `always_raise` plays two-seat hands against `maximiser` from the rules' "
        f"credits, at least {short_calls.HANDS:,} hands a row. `make tables` measures it "
        "again:\n\n" + table(head, short_calls.rows())
    )


def trained_agents_page() -> str:
    """Return the members of the zoo with their cards."""
    return (
        "# The zoo\n\n"
        + NOTE
        + "These trained agents ship with the package: networks, and [blueprints]"
        "(../blueprints.md), some of which solve the last betting phase again. `sabacc zoo` lists "
        'them, `sabacc zoo NAME` prints a card, `sabacc_agents.load("zoo:NAME")` loads one for '
        "its own game, and every command that takes agents takes `zoo:NAME`. Each card has the "
        "command that trains its member again. `sabacc zoo NAME --publish PATH` published it, from "
        "the folder of a run or the file of a blueprint, and measured its card.\n\n"
        "The lowest margin of the first table is the one whose interval has the lowest end.\n\n"
        "Margins are in mante/hand (milli-antes a hand: thousandths of hand ante + Sabacc ante), "
        "with 95 % intervals. The member plays one seat and copies of the opponent play all "
        "others; each deal is played from every seat. A margin is what the member wins minus the "
        "mean of what the others win, and at two seats half of this. At two seats it is thus the "
        "member's net credits, except that a Sabacc ante comes back if nobody takes the pot, and "
        "half of what the pot held before is left out if somebody does. A star marks opponents "
        "that the member met in training. If a row has two numbers of deals, results whose "
        "interval included 0 were measured again over ten times as many deals.\n\n"
        "Fold rates are of two seats, in %: how often the member junks to an opponent that bets "
        "blind in this round, plays its cards as `maximiser` does, and checks or calls otherwise. "
        "Bet sizes are in pots. The second number is the break-even rate, what the bet risks over "
        "that and the pot that it wins: above it (>) such a bet wins at once, even if it loses "
        "whenever the member calls. `sabacc zoo NAME --fold-rates` measures them again.\n\n"
        + zoo_page.zoo_page()
    )


def commands_page() -> str:
    """Return what each subcommand of ``sabacc`` takes."""
    return (
        "# The commands\n\n"
        + NOTE
        + "The option `--help` prints the same in a terminal: `sabacc train --help`.\n"
        + reference_pages.commands()
    )


def configurations_page() -> str:
    """Return the keys of configurations."""
    return (
        "# The configurations\n\n"
        + NOTE
        + "A configuration is a TOML file. A key with a dot is a key of a section: `ppo.n_epochs` "
        "is `n_epochs` under `[ppo]`. Every key can be changed on the command line, as in "
        "`sabacc train configs/casino-2p-fast.toml seed=3 ppo.n_epochs=2`. An unknown key or a "
        "wrong value is refused with one sentence.\n" + reference_pages.configurations()
    )


def game_record_page() -> str:
    """Return what the record of a game holds."""
    return (
        "# The game record\n\n"
        + NOTE
        + f"A hand in play is one NumPy record of {GAME_DTYPE.itemsize} bytes, "
        "`GAME_DTYPE` in `sabacc_env/engine/layout.py`. With the record of its rules it is all "
        "that the engine knows of a hand. Seats, cards and slots are -1 where there is none. Sets "
        "of seats and of cards are bit masks: bit 3 of `remaining` says whether seat 3 remains. "
        "Card ids are those of `sabacc_env.Card`.\n\n"
        "`Game.to_bytes` keeps this record with the rules and the moves so far; `from_bytes` "
        "refuses a record that no hand can be in (`sabacc_env/engine/validation.py`).\n"
        + reference_pages.game_record()
    )


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "-"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "-"
    if hasattr(value, "items"):
        return ", ".join(f"{kind} {fee}" for kind, fee in value.items()) or "-"
    return "-" if value is None else str(value)


PAGES = {
    "docs/reference/observation.md": observation_page,
    "docs/reference/forms.md": forms_page,
    "docs/reference/actions.md": action_page,
    "docs/reference/rule-sets.md": rules_page,
    "docs/reference/ladder.md": ladder_page,
    "docs/reference/short-calls.md": short_calls_page,
    "docs/reference/zoo.md": trained_agents_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/configurations.md": configurations_page,
    "docs/architecture/game-record.md": game_record_page,
    **RESULT_PAGES,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (ROOT / name).write_text(page())
