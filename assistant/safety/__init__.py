"""Which actions on the phone need the user's approval."""
