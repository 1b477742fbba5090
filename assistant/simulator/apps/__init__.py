"""The simulated phone's apps: a handful of archetypes, filled from data files."""
