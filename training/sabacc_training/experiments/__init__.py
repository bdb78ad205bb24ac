"""Experiments: demo, time to target, exploitability, NashConv curves, throughput, the zoo."""
