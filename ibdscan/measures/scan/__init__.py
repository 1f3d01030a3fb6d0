"""Many files: found, surveyed by all cores, summed by table and schema, ranked, compared over time. May import
``index`` and ``file``.
"""
