"""``python -m sabacc_training`` is ``sabacc``."""

from sabacc_training.cli import main

main()
