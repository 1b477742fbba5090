"""Setup: find a phone, choose a model, test both. Shown line by line by `plain`, or by a screen of tui/."""
