"""Space management: extents, segments, their lists, the state of every page, and whether these agree. May
import ``finding`` and the stages before.
"""
