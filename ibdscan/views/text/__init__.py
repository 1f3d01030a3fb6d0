"""The survey and the comparison as text for people."""

from ibdscan.views.text.comparison import comparison_text
from ibdscan.views.text.head import Style
from ibdscan.views.text.indexes import indexes_text
from ibdscan.views.text.info import info_text

__all__ = ["Style", "comparison_text", "indexes_text", "info_text"]
