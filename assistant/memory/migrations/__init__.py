"""Bringing a database of an earlier version to the tables of `schema`."""
