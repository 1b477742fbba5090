"""Lets `python -m assistant` do what the `assistant` command does."""

from assistant.cli.start import start

if __name__ == "__main__":
    start()
