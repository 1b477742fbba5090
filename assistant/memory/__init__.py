"""The local memory: records of what was done, and the turns under way."""
