"""Synthetic lives: people with preferences, routines and one-offs over weeks, and the truth about them.

`intents` reads what can be wanted, `habits` says when, `people` invents a person, `wording` and
`performing` turn a want into words and actions, `living` puts a life together, `questions` asks about it,
`writing` writes it out.
"""
