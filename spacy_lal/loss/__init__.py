"""Losses of scores against gold parses, and their gradients. No torch."""
