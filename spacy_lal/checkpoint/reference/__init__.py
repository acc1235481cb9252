"""What only the authors' checkpoints and their published numbers need: subclasses of our layers, and an architecture."""
