"""A simulated phone that real adb accepts, and a scripted model: stand-ins for tests and the demo."""
