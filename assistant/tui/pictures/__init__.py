"""Pictures in the terminal: in half blocks everywhere, as real pixels where the terminal knows how."""
