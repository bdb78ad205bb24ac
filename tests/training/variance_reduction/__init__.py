"""Tests of ``sabacc_training.variance_reduction``."""
