"""Stage 3, pages to structures: extents, segments, B+trees, page states, names from the SDI."""
