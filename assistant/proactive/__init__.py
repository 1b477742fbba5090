"""Offering routines unasked: the user's state, when to speak, suggestions and what the user made of them."""
