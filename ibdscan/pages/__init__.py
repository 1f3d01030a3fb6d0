"""Stage 2, bytes to pages: sources, tablespace bootstrap, header columns of all pages, one page in full."""
