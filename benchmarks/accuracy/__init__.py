"""The accuracy of the parser: variants of it and of spaCy's, trained and scored; rough
text; tables of scores."""
