"""The commands of ``sabacc``, one module each, imported only when the command is run."""
