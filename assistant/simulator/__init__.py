"""A simulated phone that real adb accepts, and a scripted model: stand-ins for tests and the demo."""

from assistant.i18n import later

SIMULATED = later("Simulated phone, scripted model")
"""What everything that shows results of a simulated phone or a scripted model must say."""
