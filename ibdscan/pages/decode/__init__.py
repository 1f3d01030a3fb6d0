"""From a page as stored to the page as the server sees it: keys, decryption, page compression. What it needs
of a tablespace it asks for by a protocol. May import ``format`` and ``source``.
"""
