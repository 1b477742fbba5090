"""The memory panel."""
