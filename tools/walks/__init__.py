"""Walks through the program as a new user would take them: `make walk`."""
