"""Configurations: a TOML file, words on the command line, and a validated frozen model of both."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, get_args

from pydantic import (
    ConfigDict,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from sabacc_env.errors import SabaccError
from sabacc_env.rules.wording import did_you_mean, quoted_choices, toml_repr
from sabacc_env.storage.strict_model import StrictModel

FOLDER: Final = Path("configs")
"""Where a configuration given by bare name is looked for, under the current directory."""

C = TypeVar("C", bound="Config")

_JSON_WORDS: Final = {
    "a valid array": "a list in square brackets",
    "an object": "a table of keys and values",
    "a valid dictionary": "a table of keys and values",
}
"""What pydantic calls the values of JSON, and what a user who writes TOML calls them."""


class Config(StrictModel):
    """Base of every configuration: frozen, strict, and without keys that it does not know.

    A section is a field that is itself a ``Config``. A string under a field is its meaning:
    it becomes the field's ``description``. A validator may raise ``SabaccError`` without naming
    the key: ``load_config`` does.
    """

    model_config = ConfigDict(validate_default=True)

    purpose: ClassVar[str] = ""
    """What the files of this kind configure, as in "a tournament"."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that are dumped only where they are set, so that what was dumped before they existed, in
    results and in saved agents, is still the same configuration."""

    replaces: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys that take the place of another: only one of the two is given, and dumped. A word for
    one, on the command line, takes the place of the other in the file."""

    @model_serializer(mode="wrap")
    def _without_later(self, dump_all: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        unset = {key for key in self.later if getattr(self, key) == fields[key].default}
        unset |= {old for new, old in self.replaces if getattr(self, new) is not None}
        return {key: value for key, value in dump_all(self).items() if key not in unset}

    @classmethod
    def expanded(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Return the keys of a file as they are checked; a subclass may expand some to several."""
        return data


def load_config(model: type[C], path: Path | str, overrides: Sequence[str] = ()) -> C:
    """Return the configuration in a file, with some keys changed.

    Args:
        model: the kind of configuration.
        path: a ``.toml`` file, or the ``.json`` that ``dump`` wrote; a bare name means
            ``configs/NAME.toml`` under the current directory.
        overrides: words ``key=value`` or ``section.key=value``. The value is written as in TOML,
            and other text without quotes: ``deals=1_000``, ``agents=["tight", "random"]``,
            ``rules=orsl``.

    Raises:
        SabaccError: for a file that cannot be read, an unknown key or a wrong value; one sentence
            that names the file or the key.
    """
    file = _path_of(path)
    data = _read(file)
    words = {_key_of(word) for word in overrides}
    for pair in model.replaces:
        if words.intersection(pair):
            data = {key: value for key, value in data.items() if key not in pair}
    return validated(model, overridden(data, overrides), file, overrides)


def chosen_config(
    key: str,
    models: Mapping[str, type[C]],
    default: str,
    path: Path | str,
    overrides: Sequence[str] = (),
) -> C:
    """Return the configuration in a file of one of several kinds, which a key of it names.

    Args:
        key: the key that names the kind.
        models: the kinds by name.
        default: the kind where the file does not name one.
        path: as in ``load_config``.
        overrides: likewise.

    Raises:
        SabaccError: as ``load_config``, for an unknown kind, and for keys of another kind.
    """
    file = _path_of(path)
    data = overridden(_read(file), overrides)
    kind = data.get(key, default)
    if not isinstance(kind, str) or kind not in models:
        raise SabaccError(f"unknown {key} {toml_repr(kind)}; use {quoted_choices(models)}")
    known = models[kind].model_fields
    for name, other in models.items():
        strange = [given for given in data if given in other.model_fields and given not in known]
        if strange:
            raise SabaccError(
                f'{strange[0]}: is a key of {key} = "{name}", but this file has {key} = "{kind}"'
            )
    return validated(models[kind], data, file, overrides)


def overridden(data: dict[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return the keys of a configuration with some changed in place; as in ``load_config``.

    >>> overridden({"deals": 5}, ["deals=1_000", "start.stacks=[2, 9]"])
    {'deals': 1000, 'start': {'stacks': [2, 9]}}
    """
    keys = [_key_of(word) for word in overrides]
    for key in keys:
        if keys.count(key) > 1:
            raise SabaccError(f"{key}: is given twice; give it once")
    for word in overrides:
        _apply(data, word)
    return data


def validated(
    model: type[C],
    data: dict[str, Any],
    file: Path | None = None,
    overrides: Sequence[str] = (),
) -> C:
    """Return the configuration with these keys, as a file would give them.

    Args:
        model: the kind of configuration.
        data: the keys.
        file: where they were read, for error messages.
        overrides: the words that changed some of them since.

    Raises:
        SabaccError: for an unknown key or a wrong value; one sentence that names the key, and the
            file where the key comes from it.
    """
    data = model.expanded(data)
    for new, old in model.replaces:
        if old in data and data.get(new) is not None:
            where = f" (in {file})" if file and old not in map(_key_of, overrides) else ""
            raise SabaccError(f"{old}: {new} takes its place; give one of the two{where}")
    # As JSON: strict, and yet a list is a tuple and text a path.
    try:
        return model.model_validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        key, sentence = _key_and_sentence(error, model, data)
        overridden_keys = map(_key_of, overrides)
        # Without a key, the error is about several together, and they may come from both.
        from_file = key and not any(_overlap(key, other) for other in overridden_keys)
        raise SabaccError(f"{sentence} (in {file})" if file and from_file else sentence) from None


def dump(config: Config) -> str:
    """Return a configuration as JSON text, which ``load_config`` reads again.

    >>> class Run(Config):
    ...     deals: int = 5
    >>> print(dump(Run()), end="")
    {
      "deals": 5
    }
    """
    return config.model_dump_json(indent=2) + "\n"


# Reading.


def _path_of(path: Path | str) -> Path:
    """Return the path of a configuration; a name is looked up in the folder of them."""
    if isinstance(path, Path) or path.endswith((".toml", ".json")) or Path(path).is_file():
        return Path(path)
    found = FOLDER / f"{path}.toml"
    if not found.is_file():
        files = sorted(FOLDER.rglob("*.toml"))
        names = [file.relative_to(FOLDER).with_suffix("").as_posix() for file in files]
        raise SabaccError(
            f"config: {found} does not exist; give a name in configs/, or a path that ends in .toml"
            f"{did_you_mean(path, names)}"
        )
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise SabaccError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise SabaccError(f"{path}: is not a configuration file ({error})") from None
    if not isinstance(data, dict):
        raise SabaccError(f"{path}: is not a configuration file (it holds no keys)")
    return data


def _key_of(word: str) -> str:
    """Return the dotted key of a word ``key=value``."""
    return ".".join(part.strip() for part in word.partition("=")[0].split("."))


def _overlap(first: str, second: str) -> bool:
    """Return whether two dotted keys are the same, or one is in the section of the other.

    >>> _overlap("ppo", "ppo.clip_coef"), _overlap("ppo", "pool")
    (True, False)
    """
    return f"{first}.".startswith(f"{second}.") or f"{second}.".startswith(f"{first}.")


def _apply(data: dict[str, Any], word: str) -> None:
    """Set the key of a word ``key=value`` in ``data``."""
    name, equals, text = word.partition("=")
    *sections, key = (part.strip() for part in name.split("."))
    if not equals or not all((*sections, key)):
        raise SabaccError(f"{toml_repr(word)}: write key=value or section.key=value")
    for section in sections:
        data = data.setdefault(section, {})
        if not isinstance(data, dict):
            raise SabaccError(f"{name}: {section} is a value, not a section with keys")
    data[key] = _value(text.strip())


def _value(text: str) -> Any:
    """Return a TOML value; other text stands for itself.

    >>> _value("1_000"), _value("[2, 'a']"), _value("true"), _value("casino")
    (1000, [2, 'a'], True, 'casino')
    """
    try:
        (value,) = tomllib.loads(f"value = {text}").values()
    except (ValueError, RecursionError):  # not TOML, more than one key, or a thousand brackets
        return text
    return value


# Error messages.


def _key_and_sentence(
    error: ValidationError, model: type[Config], data: dict[str, Any]
) -> tuple[str, str]:
    """Return the key at fault and a sentence that starts with it; misspelt keys come first."""
    errors = error.errors(include_url=False)
    first = next((found for found in errors if found["type"] == "extra_forbidden"), errors[0])
    key = _key(first["loc"], data)
    if first["type"] == "extra_forbidden":
        return key, _unknown_key_sentence(key, first["input"], model)
    if first["type"] == "missing":
        key = ".".join(map(str, first["loc"]))
        return key, f"{key}: is missing and has no default"
    if first["type"] == "value_error":
        reason = str(first["ctx"]["error"])
        return key, f"{key}: {reason}" if key else reason
    messages = [found["msg"] for found in errors if _key(found["loc"], data) == key]
    wanted = " or ".join(dict.fromkeys(text[:1].lower() + text[1:] for text in messages))
    for json_word, toml_word in _JSON_WORDS.items():
        wanted = wanted.replace(json_word, toml_word)
    return key, f"{key}: {toml_repr(first['input'])} is not allowed: {wanted}"


def _unknown_key_sentence(key: str, value: object, model: type[Config]) -> str:
    """Return a sentence about a key that a kind of configuration does not have."""
    where = f" in the configuration of {model.purpose}" if model.purpose else ""
    name = ".".join(part for part in key.split(".") if not part.isdecimal())
    if not isinstance(value, dict) or "." in key:
        return f"{key}: there is no such key{where}{did_you_mean(name, tuple(_keys(model)))}"
    sections = [
        name for name, field in model.model_fields.items() if any(_sections(field.annotation))
    ]
    hint = did_you_mean(key, sections)
    if sections and not hint:
        hint = f"; its sections are {', '.join(sections)}"
    return f"{key}: there is no such section{where}{hint}"


def _key(location: tuple[int | str, ...], data: Any) -> str:
    """Write a location as a dotted key, without the names of types that pydantic appends."""
    parts = []
    for part in location:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            break
        parts.append(str(part))
    return ".".join(parts)


def _keys(model: type[Config], prefix: str = "") -> Iterator[str]:
    """Yield every key that a configuration knows, those of its sections with dots."""
    for name, field in model.model_fields.items():
        yield prefix + name
        for section in _sections(field.annotation):
            yield from _keys(section, f"{prefix}{name}.")


def _sections(annotation: Any) -> Iterator[type[Config]]:
    """Yield the configurations that an annotation speaks of, inside unions and lists too."""
    if isinstance(annotation, type) and issubclass(annotation, Config):
        yield annotation
    for argument in get_args(annotation):
        yield from _sections(argument)
