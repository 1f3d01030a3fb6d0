"""Pages: header columns and bodies of all of them, or every field of one. A new page type is read here
(``full``, ``notes``). May import all rooms before it: ``format``, ``source``, ``decode``, ``space``.
"""
