"""Answers as text for people, a module a command. May import ``table`` and ``data``."""
