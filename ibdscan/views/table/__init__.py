"""Tables and answers, whatever they tell: columns declared once, spelt as text, CSV, JSON lines or Parquet;
units for people. Imports measures only where a column asks one.
"""
