"""Surveys of what comes by once."""
