"""A phone that shows recorded screens."""
