"""Environments in the form of other libraries, a module for each."""
