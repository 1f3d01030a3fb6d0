"""What a survey leaves out because it needs pages read again or is asked for seldom: rows, off-page data,
owners of extents and pages. May import ``index`` and ``file``.
"""
