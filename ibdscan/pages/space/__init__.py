"""The tablespace as page 0 describes it: sizes, features, which server wrote it; and plain words about a file
that is none. May import ``format``, ``source`` and ``decode``.
"""
