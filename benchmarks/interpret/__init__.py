"""Whether explanations of parses can be trusted, and what they cost."""
