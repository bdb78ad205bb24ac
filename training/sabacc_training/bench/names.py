"""What is measured, by the names that results, ratios and the picture know it by."""

from typing import Final

RAW: Final = "sabacc_v0.raw_env"
WRAPPED: Final = "sabacc_v0.env"
NOTHING_RAW: Final = "an environment that does nothing"
NOTHING_WRAPPED: Final = "the same, wrapped"

OPENSPIEL: Final = "OpenSpiel universal_poker"
PGX: Final = "Pgx leduc_holdem"
TEXAS_RAW: Final = "texas_holdem_no_limit_v6.raw_env"
TEXAS_WRAPPED: Final = "texas_holdem_no_limit_v6.env"

GAME: Final = "Game.play and legal_moves"
CACHED: Final = "import and first step"
COLD: Final = "the same, engine not compiled yet"


def inside(what: str) -> str:
    """Name tables that play inside the compiled loop."""
    return f"{what}, inside"


def stepped(what: str) -> str:
    """Name tables that are stepped from Python."""
    return f"{what}, stepped"


def is_stepped(name: str) -> bool:
    """Say whether ``stepped`` made a name."""
    return name.endswith(stepped(""))
