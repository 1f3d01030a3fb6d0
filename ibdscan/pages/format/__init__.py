"""What the flags of a tablespace mean, and the formulas of page checksums. Pure functions on numbers and
arrays; imports layouts only.
"""
