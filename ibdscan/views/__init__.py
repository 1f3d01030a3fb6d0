"""Stage 5, numbers to what people look at: text, JSON, CSV, images."""
