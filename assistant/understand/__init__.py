"""Understanding a command: perceive what depends on the user, recall, complete, explore, ask."""
