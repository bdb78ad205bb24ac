"""Experiments: demo, race, exploitability, NashConv curves, throughput, agents of the zoo."""
