"""A simulated phone that real adb accepts, and a scripted model endpoint. Stand-ins for tests and the demo."""
