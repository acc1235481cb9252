"""Discourse: the elementary units of a text, from the encoder's vectors and the
parse. *Not* here: relations between units."""
