"""What is exact in each language: words as data, and the rules of English and Chinese clauses."""
