"""The settings: their schema with defaults, loading, and the table that edits them."""
