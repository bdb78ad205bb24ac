"""Publishing: from a run's folder to a member of the zoo with its card."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest
from sabacc_agents import NetworkInfo, load, save_network, zoo
from sabacc_agents.blueprint.blueprint import load_blueprint, save_blueprint
from sabacc_agents.loading import made_for
from sabacc_agents.zoo.model_card import ExploitabilityBound, Margin
from sabacc_training.config.base import dump, validated
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.experiments import member_results, zoo_publishing
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.runs.callback import AGENT, CHECKPOINT
from sabacc_training.runs.checkpoint import load_checkpoint, save_checkpoint
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.run import play_tournament
from sabacc_training.trainers import train

from sabacc_env import load_rules
from sabacc_env.agent import registered_agents
from tests.agents.networks.test_network import weights_of
from tests.support.commands import command, refusal
from tests.support.one_card import ONE_CARD_TOML
from tests.training.ppo.test_run import TINY

AGENTS = "loose", "rollouts", "tight"
SCRIPTED = ["loose", "tight"]
GAMES = {
    "rules": "orsl",
    "rule_overrides": {"short_call": "all_in"},
    "more_rules": [{"rules": "black_spire"}],
}
CONFIG = validated(
    PPOConfig, TINY | GAMES | {"num_players": 3, "max_players": 4, "steps": 1000, "evaluation": {}}
)
TOML = """
trainer = "ppo"
rules = "orsl"
rule_overrides = {short_call = "all_in"}
more_rules = [{rules = "black_spire"}]
num_players = 3
max_players = 4
steps = 1000
pool = {snapshots = 0, scripted = {}}
ppo = {num_tables = 32, rollout_steps = 500, minibatch_size = 128, hidden_sizes = [16]}
"""
BLUEPRINT = f"""
stacks = [12]
epochs = 2
walks = 10
{ONE_CARD_TOML}"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A finished run."""
    folder = tmp_path_factory.mktemp("run")
    train(CONFIG, folder)
    state = load_checkpoint(folder / CHECKPOINT, CONFIG)
    save_checkpoint(folder / CHECKPOINT, CONFIG, state | {"seconds": 9000.0})
    return folder


@pytest.fixture
def run(trained, tmp_path, monkeypatch):
    """A copy of it as runs/porg, its configuration beside, an empty zoo, and few other agents."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(member_results, "registered_agents", lambda: AGENTS)
    monkeypatch.setattr(zoo, "FOLDER", tmp_path / "zoo")
    folder = Path("runs", "porg")
    folder.mkdir(parents=True)
    for file in trained.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    Path("configs", "zoo").mkdir(parents=True)
    Path("configs", "zoo", "porg.toml").write_text(TOML)
    return folder


def test_a_run_becomes_a_member(run, capsys) -> None:
    assert command("zoo", "porg", "--publish", str(run), "--deals", "6") == 0
    printed = capsys.readouterr()
    assert "sabacc train configs/zoo/porg.toml" in printed.out
    assert "tight, orsl, short_call all_in, 4 seats: " in printed.err
    assert sorted(path.name for path in zoo.FOLDER.iterdir()) == ["porg.json", "porg.safetensors"]
    assert (zoo.FOLDER / "porg.safetensors").stat().st_size < 0.7 * (run / AGENT).stat().st_size
    card = zoo.read_card("porg")
    assert list(card.rules) == ["orsl, short_call all_in", "black_spire"]
    assert card.config == CONFIG.model_dump(mode="json")
    assert (card.num_players, card.seed, card.opponents) == ((3, 4), 0, ())
    assert card.decisions >= 1000
    assert card.hours == 2.5
    for label in card.rules:
        assert list(card.margins(label)) == SCRIPTED
        assert all(list(of_seats) == [4] for of_seats in card.margins(label).values())
    rules = load_rules("black_spire")
    hero, opponent = (load(spec, rules, 4) for spec in ("zoo:porg", "loose"))
    found = card.margins("black_spire")["loose"][4]
    margin = hero_margin(rules, hero, opponent, 4, found.deals, seed=1)
    assert found.mean == round(margin.mean, 1)
    assert found.half_width == round(margin.half_width(), 1)


def test_an_interrupted_publishing_resumes_and_known_results_stay(run, monkeypatch) -> None:
    measure = member_results.measure
    done: list[member_results.PlannedResult] = []
    again: list[member_results.PlannedResult] = []

    def interrupted(spec, planned, progress):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(planned)
        return measure(spec, planned, progress)

    monkeypatch.setattr(zoo_publishing, "measure", interrupted)
    monkeypatch.setattr(member_results, "REMEASURE_FACTOR", 1)
    assert command("zoo", "porg", "--publish", str(run), "--deals", "4") == 130
    assert zoo.members() == ()
    first = json.loads((run / "porg.json").read_text())["results"]
    assert len(first) == 3

    def counted(spec, planned, progress):
        again.append(planned)
        return measure(spec, planned, progress)

    monkeypatch.setattr(zoo_publishing, "measure", counted)
    zoo_publishing.publish("porg", run, deals=4, rollouts=0)
    assert len(again) == 1
    again.clear()
    margin = Margin(mean=5, half_width=1, deals=10)
    bound = ExploitabilityBound(
        rules="black_spire", num_players=3, opponent="lbr (a)", margin=margin, command="x"
    )
    zoo_publishing.write_card(zoo.read_card("porg").model_copy(update={"bounds": (bound,)}))
    card = zoo_publishing.publish("porg", run, deals=4, rollouts=0)
    assert card == zoo.read_card("porg")
    assert card.bounds == (bound,)
    assert again == []
    assert len(card.results) == 2 * len(SCRIPTED)
    zoo_publishing.publish("porg", run, deals=5, rollouts=0)
    assert len(again) == 2 * len(SCRIPTED) == len(zoo.read_card("porg").results)


def test_what_is_open_is_measured_over_more_deals(run, monkeypatch) -> None:
    measure = member_results.measure
    first: dict[tuple[str, str], Margin] = {}

    def noted(spec, planned, progress):
        result = measure(spec, planned, progress)
        first.setdefault((result.rules, result.opponent), result.margin)
        return result

    monkeypatch.setattr(zoo_publishing, "measure", noted)
    card = zoo_publishing.publish("porg", run, deals=12, rollouts=2)
    assert {margin.deals for margin in first.values()} == {12, 2}
    assert {margin.includes_zero for margin in first.values()} == {True, False}
    for result in card.results:
        before = first[result.rules, result.opponent]
        again = before.includes_zero and result.opponent != "rollouts"
        assert result.margin.deals == before.deals * (10 if again else 1)


def test_whom_a_member_is_measured_against(trained) -> None:
    games = made_for(trained / AGENT)
    names = [name for name in registered_agents() if not name.startswith("rollouts")]
    assert [each.opponent for each in member_results.plan_results(games, 100, 0)] == names * 2
    planned = member_results.plan_results(games, 100, 7)
    assert [each.opponent for each in planned] == [*names, "rollouts"] * 2
    assert {each.num_players for each in planned} == {4}
    assert [each.deals for each in planned if each.opponent == "rollouts"] == [7, 7]
    seats = games._replace(rules=games.rules[:1], num_players=(2, 3, 4, 5, 6, 7, 8))
    counts = [each.num_players for each in member_results.plan_results(seats, 100, 7)]
    assert counts == [2, 4, 6, 8] * len(names) + [2]
    odd = games._replace(rules=games.rules[:1], num_players=(3,))
    assert {each.num_players for each in member_results.plan_results(odd, 100, 0)} == {3}


def test_a_blueprint_becomes_a_member(run, capsys) -> None:
    config = Path("configs", "zoo", "ewok.toml")
    config.write_text(BLUEPRINT)
    file = Path("runs", "blueprint.safetensors")
    assert command("blueprint", str(config), "--output", str(file)) == 0
    assert command("zoo", "ewok", "--publish", str(file), "--deals", "6") == 0
    card = zoo.read_card("ewok")
    assert card.retrain == "sabacc blueprint configs/zoo/ewok.toml"
    assert (card.num_players, card.seed, card.opponents) == ((2,), 0, ())
    assert card.decisions == 2 * 10
    assert card.config["epochs"] == 2
    assert list(card.margins("one_card_of_22")) == SCRIPTED
    assert {each.round for each in card.fold_rates} == {1}
    assert [rules.name for rules in made_for("zoo:ewok").rules] == ["one_card_of_22"]
    again = Path("runs", "resolving", "again.safetensors")
    assert command("resolving", "zoo:ewok", "--iterations", "7", "--output", str(again)) == 0
    assert command("zoo", "wicket", "--publish", str(again), "--deals", "4") == 0
    resolving = zoo.read_card("wicket")
    assert resolving.retrain == "sabacc resolving zoo:ewok --iterations 7"
    assert (resolving.decisions, resolving.learnt_from) == (20, card.learnt_from)
    assert list(resolving.margins("one_card_of_22")) == SCRIPTED
    assert {each.round for each in resolving.fold_rates} == {1}
    assert made_for("zoo:wicket") == made_for("zoo:ewok")
    other = Path("runs", "other.safetensors")
    assert command("blueprint", str(config), "seed=7", "--output", str(other)) == 0
    capsys.readouterr()
    assert "ewok.safetensors: is another agent; move it, or other.safetensors into" in refusal(
        capsys, "zoo", "ewok", "--publish", str(other)
    )
    assert Path("runs", "ewok.safetensors").read_bytes() == file.read_bytes()
    assert f"{again}: exists; remove it or name another file" in refusal(
        capsys, "resolving", "zoo:ewok", "--output", str(again)
    )
    config.write_text(BLUEPRINT.replace("epochs = 2", "epochs = 3"))
    assert "has other values of epochs than the run;" in refusal(
        capsys, "zoo", "ewok", "--publish", str(file), "--deals", "6"
    )
    solved = load_blueprint(file)
    for change in ({"seconds": "an hour"}, {"seed": None}, {"stacks": 5}):
        save_blueprint(file, replace(solved, metadata=dict(solved.metadata) | change))
        assert "does not say how it was solved" in refusal(
            capsys, "zoo", "ewok", "--publish", str(file), "--deals", "6"
        )


def test_results_are_measured_again(run, capsys) -> None:
    zoo_publishing.publish("porg", run, deals=4, rollouts=0)
    card = zoo.read_card("porg")
    assert zoo_publishing.remeasure("porg") == card
    assert command("zoo") == 0
    assert command("zoo", "porg") == 0
    printed = capsys.readouterr().out
    assert "3 to 4 players" in printed
    assert printed.count(str(card.margins("black_spire")["tight"][4])) >= 1


def test_the_page_of_the_zoo(run, capsys) -> None:
    root = Path(__file__).parents[3]
    spec = importlib.util.spec_from_file_location("tables", root / "tools" / "generate_tables.py")
    assert spec is not None
    assert spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    assert "There are no members yet." in tables.trained_agents_page()
    zoo_publishing.publish("porg", run, deals=4, rollouts=0)
    page = tables.trained_agents_page()
    for piece in (
        "## porg",
        "`sabacc train configs/zoo/porg.toml` trains it again",
        "| black_spire, over | 4 seats | deals |",
        f"| `tight` | {zoo.read_card('porg').margins('black_spire')['tight'][4]} | 4 |",
    ):
        assert piece in page


def other_config(run: Path) -> None:
    path = Path("configs", "zoo", "porg.toml")
    path.write_text(path.read_text().replace("steps = 1000", "steps = 2000"))


def other_agent(run: Path) -> None:
    (run / "config.json").write_text(dump(CONFIG.model_copy(update={"threads": 2})))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (other_config, "porg.toml: has other values of steps than the run;"),
        (other_agent, "agent.safetensors: comes from another run than checkpoint.pt beside it"),
        (lambda run: Path("configs", "zoo", "porg.toml").unlink(), "porg.toml: cannot be read"),
        (lambda run: (run / AGENT).unlink(), "agent.safetensors: cannot be read"),
        (
            lambda run: (run / "config.json").unlink(),
            "runs/porg: is no folder of a run; of a blueprint give the file",
        ),
        (lambda run: (run / CHECKPOINT).unlink(), "there is no checkpoint"),
    ],
)
def test_what_cannot_be_published(run, capsys, spoil, sentence) -> None:
    spoil(run)
    assert sentence in refusal(capsys, "zoo", "porg", "--publish", str(run), "--deals", "4")
    assert zoo.members() == ()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["porg"], "the zoo has no member 'porg'; it is empty"),
        (["porg", "--measure"], "the zoo has no member 'porg'; it is empty"),
        (["../porg", "--publish", "runs/porg"], "'../porg' is not a valid name"),
        (
            ["porg", "--publish", "runs/porg", "--deals", "1"],
            "a confidence interval needs at least 2",
        ),
        (
            ["casino-2p", "--measure", "--deals", "0"],
            "give them only with --publish; a card has its own",
        ),
        (["--measure"], "--measure, --fold-rates and --publish need the name of a"),
        (["porg", "--measure", "--fold-rates"], "measure, fold_rates, publish: give one of the"),
        (["porg", "--measure", "--publish", "runs/porg"], "measure, fold_rates, publish: give one"),
        (["porg", "--publish", "runs/nosuch"], "runs/nosuch: there is no such file or folder"),
        (["porg", "--publish", "runs"], "runs: is no folder of a run; of a blueprint give the"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(run, capsys, words, sentence) -> None:
    assert sentence in refusal(capsys, "zoo", *words)


def test_another_seed_is_part_of_the_command(run) -> None:
    path = Path("configs", "zoo", "porg.toml")
    path.write_text("seed = 7\n" + path.read_text())
    card = zoo_publishing.publish("porg", run, deals=2, rollouts=0)
    assert card.retrain == "sabacc train configs/zoo/porg.toml seed=0"


def test_a_member_takes_part_in_a_tournament_as_what_it_is_now(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    file, info = tmp_path / "porg.safetensors", NetworkInfo((load_rules("casino"),), (2,))
    config = validated(TournamentConfig, {"agents": ["zoo:porg", "tight"], "deals": 20})
    margins = []
    for seed in (0, 1):
        save_network(file, weights_of(4, seed=seed), info)
        results = play_tournament(config, tmp_path / "results", resume=seed > 0)
        assert results is not None
        (pair,) = results.pairs
        assert (pair.agent, pair.opponent) == ("zoo:porg", "tight")
        margins.append(pair.margin)
    assert margins[0] != margins[1]


def test_many_hands_are_played_some_after_the_others(monkeypatch) -> None:
    rules = load_rules("casino")
    tight, maximiser = (load(name, rules, 2) for name in ("tight", "maximiser"))
    counts: list[int] = []
    together = hero_margin(rules, tight, maximiser, 2, 25, 3)
    monkeypatch.setattr("sabacc_training.evaluation.hero_margin.MAX_TABLES", 20)
    parts = hero_margin(rules, tight, maximiser, 2, 25, 3, on_hands=counts.append)
    assert sum(counts) == 50
    assert max(counts) <= 20
    assert together == parts  # neither agent leaves anything to chance


def test_fold_rates_come_on_the_card(run, monkeypatch, capsys) -> None:
    monkeypatch.setattr(member_results, "FOLD_DEALS", 4)
    zoo_publishing.publish("porg", run, deals=2, rollouts=0)
    assert zoo.read_card("porg").fold_rates == ()  # it plays at 3 and 4 seats
    capsys.readouterr()
    assert "porg: plays no game with betting at two" in refusal(
        capsys, "zoo", "porg", "--fold-rates"
    )
    casino, spire = load_rules("casino", rounds=1, name="little"), load_rules("black_spire")
    file = zoo.FOLDER / "porg.safetensors"
    save_network(file, weights_of(2), NetworkInfo((casino, spire), (2,)))
    assert command("zoo", "porg", "--fold-rates") == 0
    card = zoo.read_card("porg")
    assert {(each.rules, each.round) for each in card.fold_rates} == {("little", 1)}
    assert list(card.folds("little")[1]) == ["min", "0.5", "1", "max"]
    assert card.folds("little")[1]["min"].break_even == 0.2
    assert card.results
    assert member_results.measure_fold_rates("zoo:porg") == card.fold_rates


@pytest.mark.slow
def test_what_responses_win_comes_on_the_card_in_place_of_what_was_there(run, capsys) -> None:
    zoo_publishing.publish("porg", run, deals=4, rollouts=0)
    ppo = "ppo={num_tables = 16, rollout_steps = 100, minibatch_size = 50}"
    game = ["black_spire", "steps=300", "seeds=2", "deals=20", ppo, "--num-players", "3"]
    for more in ([], ["ppo.hidden_sizes=[8]"]):
        folder = f"responses{len(more)}"
        words = ["exploit", "zoo:porg", *game, *more, "--probe", "trained", "--publish"]
        assert command(*words, "--folder", folder) == 0
        (bound,) = zoo.read_card("porg").bounds
        assert (bound.rules, bound.num_players, bound.depth) == ("black_spire", 3, None)
        assert bound.opponent in ("trained (300, seed 0)", "trained (300, seed 1)")
        assert bound.margin.deals == 20
        assert bound.command.startswith("sabacc exploit zoo:porg black_spire steps=300 ")
        assert ("hidden_sizes" in bound.command) == bool(more)
    assert command("exploit", "loose", *game, "--publish") == 2
    assert "'loose' has no card" in capsys.readouterr().err
