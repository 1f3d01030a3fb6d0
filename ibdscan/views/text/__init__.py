"""Answers as text for people, a module a command."""
