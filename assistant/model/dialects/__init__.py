"""How each family of models writes actions, and the registry that finds a dialect by name."""
