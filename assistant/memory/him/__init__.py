"""Hierarchical implicit-intent memory (PersonalAlign section 5): prototypes, preferences, routines."""
