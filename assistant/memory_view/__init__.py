"""What the memory holds as plain data for a person to look through, and to change it by hand."""
