"""What ibdscan says of a file against what the server itself said of it."""
