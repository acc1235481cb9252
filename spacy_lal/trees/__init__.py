"""What a parse is: brackets, spans, labels, heads."""
