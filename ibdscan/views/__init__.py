"""Stage 5, numbers to what people look at: tables, JSON, CSV, text, pictures, HTML.

The rooms in the order in which they may import each other: ``table``, ``data``, ``text``, ``export``,
``images``, ``terminal``, ``report``; ``bars`` show progress, ``notebook`` is on top.
"""
