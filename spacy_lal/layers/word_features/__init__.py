"""Features of words, one kind a file: torch modules from `NetworkInputs` to a vector for each position."""
