"""How Sphinx builds the site: ``make docs``. Nothing here needs a network."""

from __future__ import annotations

import re
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import ArrayLike
from pydantic import BaseModel
from sphinx.domains.python import PyClasslike
from sphinx.util.typing import stringify_annotation

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ARRAY: Final = re.compile(r"~?numpy\.ndarray\[tuple\[.*?\], ~?numpy\.dtype\[(~?[\w.]+)\]\]")
ARRAY_LIKE: Final = stringify_annotation(ArrayLike, "smart")

project = "sabacc-env"
author = "The sabacc-env developers"
project_copyright = "the sabacc-env developers, MIT license; an unofficial fan project"
release = version_of("sabacc-env")
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build", "bench"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

suppress_warnings = ["ref.python"]  # attributes of several classes with one name

autodoc_default_options = {"exclude-members": "model_config"}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    "Ints": "NDArray[int64]",
    "Floats": "NDArray[float32]",
    "Bools": "NDArray[bool]",
}
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_attr_annotations = False  # the signature has the types
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "sabacc-env"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


def keep_colons(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Keep Napoleon from reading ``The round: 0 ...`` as the type of an attribute and its meaning.

    It looks for a type in the first line only, which is an empty comment now.
    """
    if what in ("attribute", "data", "property"):
        lines[:0] = "..", ""


def mark_headings(
    app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Turn the headings ``## ...`` that Gymnasium's form of docstring has into rubrics."""
    text = "\n".join(lines)
    lines[:] = re.sub(r"^## (.+)$", r".. rubric:: \1\n", text, flags=re.MULTILINE).split("\n")


def shorten_signature(
    app: Sphinx,
    what: str,
    name: str,
    obj: object,
    options: Any,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Write arrays as the source does, and the fields of a model once: where each is explained."""
    if isinstance(obj, type) and issubclass(obj, BaseModel):
        return "(**fields)", None
    arguments, result = (
        ARRAY.sub(r"NDArray[\1]", (text or "").replace(ARRAY_LIKE, "ArrayLike"))
        for text in (signature, returns)
    )
    return arguments or None, result or None


def setup(app: Sphinx) -> None:
    """Let Sphinx call the functions above, and call attributes so."""
    for field in PyClasslike.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.connect("autodoc-process-docstring", keep_colons, priority=0)  # before Napoleon's
    app.connect("autodoc-process-docstring", mark_headings)
    app.connect("autodoc-process-signature", shorten_signature)
