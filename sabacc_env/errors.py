"""The errors that a user of this package can cause; each message is one sentence."""


class SabaccError(ValueError):
    """Anything wrong that a user gave: the base of every error this package raises on purpose."""


class IllegalMove(SabaccError):
    """A move that the rules do not allow now; the message names the move, and nothing changed."""


class RulesError(SabaccError):
    """A rule description that cannot be played; the message starts with the field at fault."""
