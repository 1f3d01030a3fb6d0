"""Many files at once: found, surveyed by all cores, summed by table and schema, ranked, compared over time."""
