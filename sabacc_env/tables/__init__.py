"""Many tables at once: every seat's decisions, in arrays that are rewritten in place."""

from sabacc_env.tables.episodes import Episodes, play_episodes, policy_choices, replay_episode
from sabacc_env.tables.tables import Tables

__all__ = ["Episodes", "Tables", "play_episodes", "policy_choices", "replay_episode"]
