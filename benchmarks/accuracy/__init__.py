"""What the parser is worth: variants of it and of spaCy's, trained and scored; rough text; tables of scores."""
