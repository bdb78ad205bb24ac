"""Policy networks: their files, their inputs, and the agent that plays one."""
