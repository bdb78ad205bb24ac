"""Configurations: files, overriding words, and one sentence for every mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, Field, ValidationError
from sabacc_training.config.base import Config, dump, load_config

from sabacc_env.errors import SabaccError


def refuse_odd(value: int) -> int:
    if value % 2:
        raise SabaccError(f"{value} is odd")
    return value


class Section(Config):
    rate: float = Field(0.5, gt=0)
    sizes: tuple[Literal["min", "max"] | float, ...] = ("min",)


class Entry(Config):
    spec: str
    label: str = ""


class Example(Config):
    deals: int = Field(100, ge=1)
    rules: str = "casino"
    even: Annotated[int, AfterValidator(refuse_odd)] = 2
    output: Path | None = None
    agents: tuple[Entry, ...] = ()
    ppo: Section = Section()
    needed: str


class Choice(Config):
    replaces = (("width", "deals"),)

    deals: int = 100
    width: float | None = None


def write(folder: Path, text: str) -> Path:
    path = folder / "example.toml"
    path.write_text(text)
    return path


def test_a_file_and_words_make_one_configuration(tmp_path):
    path = write(tmp_path, 'needed = "x"\ndeals = 7\n[ppo]\nrate = 1.5\n[[agents]]\nspec = "a"\n')
    words = ["deals=1_000", "rules=orsl", "ppo.sizes=['max', 0.5]", "output=out/here", "even = 4"]
    config = load_config(Example, path, words)
    assert config.deals == 1000
    assert config.rules == "orsl"
    assert config.ppo == Section(rate=1.5, sizes=("max", 0.5))
    assert config.output == Path("out/here")
    assert config.agents == (Entry(spec="a"),)
    assert config.even == 4


def test_what_is_no_toml_value_is_text(tmp_path):
    path = write(tmp_path, "")
    for text in ("plain", "two words", "a=b", "runs/x.pt", "'quoted'"):
        assert load_config(Example, path, [f"needed={text}"]).needed == text.strip("'")


def test_the_dump_loads_again(tmp_path):
    config = load_config(Example, write(tmp_path, 'needed = "x"\n'), ["ppo.sizes=[0.25]"])
    saved = tmp_path / "config.json"
    saved.write_text(dump(config))
    assert load_config(Example, saved) == config


def test_of_two_keys_that_replace_each_other_one_is_given(tmp_path):
    """A word takes the place of the other key in the file; only the one in force is dumped."""
    by_deals = write(tmp_path, "deals = 7\n")
    config = load_config(Choice, by_deals, ["width=2"])
    assert config.width == 2
    (tmp_path / "by_width.json").write_text(dump(config))
    assert load_config(Choice, tmp_path / "by_width.json") == Choice(width=2)
    assert load_config(Choice, tmp_path / "by_width.json", ["deals=9"]) == Choice(deals=9)
    with pytest.raises(SabaccError, match=r"^deals: width takes its place; give one of the two$"):
        load_config(Choice, by_deals, ["width=2", "deals=9"])
    both = write(tmp_path, "deals = 7\nwidth = 2\n")
    with pytest.raises(SabaccError, match=r"one of the two \(in .*example.toml\)$"):
        load_config(Choice, both)


def test_it_is_frozen(tmp_path):
    config = load_config(Example, write(tmp_path, 'needed = "x"\n'))
    with pytest.raises(ValidationError):
        config.deals = 3


def test_a_bare_name_is_looked_up_in_configs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "small.toml").write_text('needed = "found"\n')
    (tmp_path / "configs" / "zoo").mkdir()
    (tmp_path / "configs" / "zoo" / "member.toml").write_text('needed = "too"\n')
    assert load_config(Example, "small").needed == "found"
    assert load_config(Example, "zoo/member").needed == "too"
    for name, meant in (("smal", "small"), ("member", "zoo/member"), ("zoo/membre", "zoo/member")):
        with pytest.raises(SabaccError, match=rf"did you mean {meant}\?"):
            load_config(Example, name)


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("", [], "needed: is missing and has no default"),
        ("", ["deal=3"], "deal: there is no such key; did you mean deals?"),
        ("", ["ppo.rat=3"], "ppo.rat: there is no such key; did you mean ppo.rate?"),
        ("[[agents]]\nspec='a'\nlable='b'", [], "agents.0.lable: there is no such key; did you"),
        ("[[agents]]\nlabel='b'", [], "agents.0.spec: is missing and has no default"),
        ("", ["deals=0"], "deals: 0 is not allowed: input should be greater than or equal to 1"),
        ("", ["deals=1.5"], "deals: 1.5 is not allowed: input should be a valid integer"),
        ("", ["deals=true"], "deals: true is not allowed: input should be a valid integer"),
        ("", ["deals=many"], 'deals: "many" is not allowed: input should be a valid integer'),
        ("", ["rules=3"], "rules: 3 is not allowed: input should be a valid string"),
        ("", ["even=3"], "even: 3 is odd"),
        ("", ["ppo.rate=nan"], "ppo.rate: nan is not allowed: input should be a finite"),
        (
            "",
            ["ppo.sizes=['mid']"],
            'ppo.sizes.0: "mid" is not allowed: input should be',
        ),
        ("", ["ppo=3"], "ppo: 3 is not allowed: input should be a table of keys and"),
        ("", ["deals.x=3"], "deals: {'x': 3} is not allowed: input should be a valid integer"),
        ("deals = 3", ["deals.x=3"], "deals.x: deals is a value, not a section with keys"),
        ("", ["deals"], '"deals": write key=value or section.key=value'),
        ("", ["deals=1", "deals = 2"], "deals: is given twice; give it once"),
        ("", ["agents=x"], 'agents: "x" is not allowed: input should be a list in square brackets'),
        ("", ["pp.rate=1"], "pp: there is no such section; did you mean ppo?"),
        ("", ["learning.rate=1"], "learning: there is no such section; its sections are agents,"),
        ("", ["=3"], '"=3": write key=value or section.key=value'),
        ("", ["ppo.=3"], '"ppo.=3": write key=value or section.key=value'),
        ("deals = ", [], "example.toml: is not a configuration file"),
    ],
)
def test_every_mistake_is_one_sentence_that_names_the_key(tmp_path, text, words, sentence):
    with pytest.raises(SabaccError) as caught:
        load_config(Example, write(tmp_path, text), words)
    message = str(caught.value).removeprefix(f"{tmp_path}/")
    assert message.startswith(sentence)
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "words", "named"),
    [
        ("deal = 3", [], True),
        ("", ["deal=3"], False),
        ("ppo.rat = 3", ["deals=3"], True),
        ("ppo.rat = 3", ["ppo.rat=4"], False),
        ("deals = 0", ["rules=orsl"], True),
        ("", [], True),
    ],
)
def test_a_mistake_in_the_file_names_the_file(tmp_path, text, words, named):
    path = write(tmp_path, text)
    with pytest.raises(SabaccError) as caught:
        load_config(Example, path, words)
    assert str(caught.value).endswith(f" (in {path})") == named


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.toml", None, "cannot be read"),
        ("list.json", "[1]", "it holds no keys"),
        ("bytes.toml", "\ud800", "is not a configuration file"),
    ],
)
def test_a_file_that_is_none(tmp_path, name, content, words):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(SabaccError, match=words):
        load_config(Example, path)
