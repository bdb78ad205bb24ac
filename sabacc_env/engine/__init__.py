"""The rules as they are played: compiled functions on records of games."""
