"""Language models: what they are asked to play, and what their answers are worth."""
