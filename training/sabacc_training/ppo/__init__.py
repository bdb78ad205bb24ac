"""The fast trainer: masked PPO over whole batches of tables, every seat's decisions learnt from."""
