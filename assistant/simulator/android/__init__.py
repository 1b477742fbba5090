"""The Android behind the daemon: system services and the shell commands that print their state."""
