"""The `assistant` command: one module for each group of commands."""
