"""Training by self-play, evaluation, exactly solved games, and the ``sabacc`` command."""
