"""Self-play training with Stable-Baselines3's MaskablePPO."""
