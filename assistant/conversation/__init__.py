"""Talking with the user: what a typed line is, and what is answered without the phone."""
