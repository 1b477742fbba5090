"""One turn: the loop that observes, decides, approves and acts until the command is done."""
