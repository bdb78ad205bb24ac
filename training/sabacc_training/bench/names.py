"""The names of benchmarks in results, ratios and the plot."""

from typing import Final

RAW: Final = "sabacc_v0.raw_env"
WRAPPED: Final = "sabacc_v0.env"
NOOP_RAW: Final = "an environment that does nothing"
NOOP_WRAPPED: Final = "the same, wrapped"

OPENSPIEL: Final = "OpenSpiel universal_poker"
PGX: Final = "Pgx leduc_holdem"
TEXAS_RAW: Final = "texas_holdem_no_limit_v6.raw_env"
TEXAS_WRAPPED: Final = "texas_holdem_no_limit_v6.env"

GAME: Final = "Game.play and legal_moves"
CACHED: Final = "import and first step"
COLD: Final = "the same, engine not compiled yet"


def compiled_loop_name(what: str) -> str:
    """Return the name of tables that play in the compiled loop."""
    return f"{what}, compiled loop"


def stepped_name(what: str) -> str:
    """Return the name of tables that are stepped from Python."""
    return f"{what}, stepped"


def vector_name(tables: int, opponents: str) -> str:
    """Return the name of a Gymnasium vector environment: short enough for a line."""
    return f"make_vec {tables:,}, {opponents}"


def is_stepped(name: str) -> bool:
    """Return whether a name is one of ``stepped_name``."""
    return name.endswith(stepped_name(""))
