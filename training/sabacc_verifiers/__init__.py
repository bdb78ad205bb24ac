"""Sabacc for the library verifiers, which finds it by this name: ``vf-eval sabacc-verifiers``."""

from sabacc_training.language.verifiers_env import ChatHarness, SabaccEnv, SabaccTaskset

__all__ = ["ChatHarness", "SabaccEnv", "SabaccTaskset"]
