"""Lets `python -m assistant` do what the `assistant` command does."""

from assistant.cli.main import main

if __name__ == "__main__":
    main()
