"""How fast this project is and how fast its peers are, measured side by side: ``sabacc bench``."""
