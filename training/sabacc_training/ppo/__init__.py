"""The PPO trainer: masked PPO with a KL term over many tables, learning from every seat."""
