"""Every command's answer as plain objects: what JSON prints, and rows for CSV. May import ``table``."""
