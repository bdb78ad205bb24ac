"""The pages of the command line and of its configurations, from what the code says of itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from pydantic_core import PydanticUndefined
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.cli import COMMANDS, make_app
from sabacc_training.config.base import Config
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.sb3.config import MaskablePPOConfig
from sabacc_training.tournaments.config import TournamentConfig

from sabacc_env.engine import layout
from sabacc_env.engine.layout import GAME_DTYPE
from tools.markdown import table

CONFIGURATIONS: Mapping[str, tuple[type[Config], str]] = {
    "The PPO trainer": (PPOConfig, 'A file for `sabacc train` that says `trainer = "ppo"`.'),
    "MaskablePPO": (
        MaskablePPOConfig,
        'A file for `sabacc train` that says `trainer = "sb3"` or names no trainer.',
    ),
    "Blueprints": (BlueprintConfig, "A file for `sabacc blueprint`."),
    "Tournaments": (TournamentConfig, "A file for `sabacc tournament`."),
}


FIELD: Final = re.compile(r'^ *\("(\w+)", .*?(?:# (.*))?$')
GROUP: Final = re.compile(r"^ *# (.*)$")


def game_record() -> str:
    """Return the fields of the record of a game, in groups, without a title."""
    _, _, source = inspect.getsource(layout).partition("GAME_DTYPE: Final")
    assert GAME_DTYPE.fields is not None
    text = ""
    rows: list[tuple[str, ...]] = []
    for line in source.partition("\n)")[0].splitlines():
        if group := GROUP.match(line):
            text += grouped(rows)
            text += f"\n## {group[1].partition('.')[0].partition(':')[0]}\n\n"
            rows = []
        elif field := FIELD.match(line):
            kind, offset = GAME_DTYPE.fields[field[1]][:2]
            shape = kind.shape
            if kind.base.names:  # a record of features, to be copied whole
                kind = kind.base["features"]
                shape += kind.shape
            type_text = " x ".join(map(str, (kind.base.name, *shape)))
            rows.append((f"`{field[1]}`", str(offset), type_text, field[2] or ""))
    return text + grouped(rows)


def grouped(rows: Sequence[Sequence[str]]) -> str:
    """Return the fields of a group."""
    return table(("field", "byte", "type", "meaning"), rows) if rows else ""


def commands() -> str:
    """Return what each subcommand takes, without a title."""
    app = make_app()
    text = ""
    for name in COMMANDS:
        page = app[name].generate_docs(usage_name=f"sabacc {name}")
        text += f"\n{re.sub('^#+ .*', f'## `sabacc {name}`', page.strip(), count=1)}\n"
    return text.replace("**Arguments**:", "Arguments:").replace("**Parameters**:", "Parameters:")


def configurations() -> str:
    """Return the keys of each kind of configuration, without a title."""
    text = ""
    for title, (model, use) in CONFIGURATIONS.items():
        text += f"\n## {title}\n\n{use}\n\n{table(('key', 'default', 'meaning'), keys(model))}"
    return text


def keys(model: type[Config], prefix: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the key, default and meaning of each field, those of sections with dots."""
    for name, field in model.model_fields.items():
        meaning = " ".join(_description(model, name).split())
        sections = [kind for kind in classes(field.annotation) if issubclass(kind, Config)]
        if sections:
            yield from keys(sections[0], f"{prefix}{name}.")
        else:
            value = field.get_default(call_default_factory=True)
            yield f"`{prefix}{name}`", default(value), meaning


def _description(model: type[Config], name: str) -> str:
    """Return the meaning of a field, of the base class where only the default is another one."""
    bases = (base for base in model.__mro__ if issubclass(base, Config))
    fields = (base.model_fields[name] for base in bases if name in base.model_fields)
    return next((field.description for field in fields if field.description), "")


def classes(annotation: Any) -> Iterator[type]:
    """Yield the classes that an annotation speaks of."""
    if isinstance(annotation, type):
        yield annotation
    for argument in get_args(annotation):
        yield from classes(argument)


def default(value: object) -> str:
    """Write a default as a cell of a table."""
    if value is PydanticUndefined:
        return "needed"
    return "" if value is None or value == "" else f"`{value}`"
