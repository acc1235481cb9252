"""Gold parses and roles, the losses of scores against them, and their gradients. No
torch."""
