"""A command over several apps: its plan, who makes it, and the turn that carries it out."""
