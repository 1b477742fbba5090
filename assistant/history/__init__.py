"""Past turns: what was said, what was done on the phone, how it looked and how it ended."""
