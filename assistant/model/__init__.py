"""The vision-language model: client, prompts, dialects, pictures and usage."""
