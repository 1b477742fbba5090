"""Carrying a turn out: its state machine, its steps, and the guards around them."""
