"""The phone over ADB: one shell wrapper, screen reading, input, apps, and what state the phone is in."""
