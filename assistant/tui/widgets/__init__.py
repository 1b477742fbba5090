"""The parts of the main screen, one class a file."""
