"""The local memory: records of past turns, and what is learnt from them."""
