"""Stage 1, what a byte means: construct declarations, numbers and geometry. No I/O here."""
