"""What computes scores and vectors on a CPU, without torch."""
