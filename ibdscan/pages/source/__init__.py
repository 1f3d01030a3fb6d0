"""Where the bytes come from: one file, a compressed copy, several files as one, the first bytes of many pages;
and the name that a file's place gives its table. Knows nothing of tablespaces. May import ``format``.
"""
