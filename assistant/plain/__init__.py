"""The interface as lines: for screen readers and for terminals that can only print."""
