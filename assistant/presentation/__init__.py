"""What is shown to people, as data and words, for every interface."""
