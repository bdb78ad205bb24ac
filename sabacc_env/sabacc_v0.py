"""PettingZoo's door: ``from sabacc_env import sabacc_v0``; ``env``, ``raw_env``, ``parallel_env``.

>>> environment = env(rules="casino", num_players=3)
>>> environment.reset(seed=1)
>>> observation, reward, termination, truncation, info = environment.last()
>>> observation["observation"].shape, int(info["action_mask"].sum()) > 0
((400,), True)
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils import wrappers

from sabacc_env.envs.aec import SabaccAEC
from sabacc_env.envs.pettingzoo_wrappers import EndOnIllegalAction, EnforceOrder, SabaccParallel

raw_env = SabaccAEC
"""The environment itself: an illegal action raises and changes nothing."""


def env(**kwargs: Any) -> Any:
    """Return the environment in PettingZoo's usual wrappers; arguments as of ``SabaccAEC``.

    An illegal action ends the episode with reward -1 for its actor and ``illegal_action`` in its
    info; one out of bounds is an assertion; calls out of order are errors.
    """
    environment = EndOnIllegalAction(raw_env(**kwargs), illegal_reward=-1)
    return EnforceOrder(wrappers.AssertOutOfBoundsWrapper(environment))


def parallel_env(**kwargs: Any) -> Any:
    """Return the parallel form: every agent gives an action, the one to act is heard."""
    return SabaccParallel(env(**kwargs))
