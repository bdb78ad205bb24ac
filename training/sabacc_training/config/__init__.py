"""Configurations: TOML files as validated models."""
