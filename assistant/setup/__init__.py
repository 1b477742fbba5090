"""Setting up: find a phone, choose a model, see that both work. Faces: `plain` and a screen of the TUI."""
