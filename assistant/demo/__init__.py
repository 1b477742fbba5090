"""The demo: a lived-in memory for the simulated phone, and time that passes quickly."""
