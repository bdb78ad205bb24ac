"""Search agents: rollouts in determinizations, and the heuristic policy that they follow."""
