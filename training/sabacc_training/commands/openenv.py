"""``sabacc openenv``: serve a task for language models as an OpenEnv environment."""

from __future__ import annotations

from sabacc_env.errors import SabaccError
from sabacc_training.config.base import overridden, validated
from sabacc_training.jobs.listening import listen
from sabacc_training.language.task import TextTask


def openenv(
    rules: str = "casino",
    *overrides: str,
    host: str = "127.0.0.1",
    port: int = 8000,
    max_episodes: int = 64,
) -> None:
    """Serve a seat that answers in words, as an OpenEnv environment.

    Args:
        rules: A rule set by name, a rules file, or a rung of the ladder.
        overrides: Keys of the task: opponents='["zoo:casino-2p"]' hands=20 kind=decision
            regrets=true variance_reduction=true legal_moves=false retries=2 seat=0 num_players=3.
        host: The address to listen on; any but 127.0.0.1 lets other machines in.
        port: The port.
        max_episodes: Episodes that are played at once, each in a session of its own.
    """
    task = validated(TextTask, overridden({"rules": rules}, overrides))
    if max_episodes < 1:
        raise SabaccError(f"--max-episodes: {max_episodes} is out of range; give 1 or more")
    from sabacc_training.language.openenv import make_app  # isort: skip (it says what is missing)
    import uvicorn

    app, listening = make_app(task, max_episodes), listen(host, port)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listening])
