"""Trains the tagger that finds which words of a command depend on the user."""
