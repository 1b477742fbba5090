"""A personal assistant in the terminal that operates an Android phone."""
