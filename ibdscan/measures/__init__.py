"""Stage 4, structures to numbers: fill, order, reservation, account, rebuild estimate, comparison."""
