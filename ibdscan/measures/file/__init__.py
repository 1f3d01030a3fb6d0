"""One file: the survey, the account of its pages and bytes, the metrics by name, limits on them, comparison of
several files. May import ``index``.
"""
