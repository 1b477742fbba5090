"""The scripted model: an OpenAI-compatible endpoint that stands in for a vision-language model."""
