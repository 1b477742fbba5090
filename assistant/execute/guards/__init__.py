"""Which actions wait for the user's yes. In code, outside the model."""

from assistant.safety.classifier import Risk, judge

__all__ = ["Risk", "judge"]
