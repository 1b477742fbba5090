"""A device-side ADB daemon: wire protocol, authentication, shell and sync services."""
