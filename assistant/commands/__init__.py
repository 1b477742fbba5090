"""Commands of the `assistant` program, a module for each subject."""
