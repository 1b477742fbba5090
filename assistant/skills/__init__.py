"""Learning to act: finding targets again, the action memory, templates, recordings, corrections."""
