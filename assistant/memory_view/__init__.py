"""The memory as plain data that a person can browse and edit."""
