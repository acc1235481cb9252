"""Parts used only by the authors' checkpoints and published numbers: subclasses of our layers, and an architecture."""
