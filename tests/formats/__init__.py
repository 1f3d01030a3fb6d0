"""Every format of a tablespace file: what is read of it, and by which real files that is proven."""
