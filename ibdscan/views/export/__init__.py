"""A scan written out: JSON lines, CSV, Parquet, a textfile for Prometheus. May import ``table``, ``data`` and
``text``.
"""
