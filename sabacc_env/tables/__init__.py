"""Many tables at once: every seat's decisions, in arrays that are rewritten in place."""

from sabacc_env.tables.tables import Tables

__all__ = ["Tables"]
