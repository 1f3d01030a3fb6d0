"""Real servers in the loop: the harness that starts them and the questions asked of them."""
