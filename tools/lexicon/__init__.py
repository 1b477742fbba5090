"""Compiles the lexicon of the guards."""
