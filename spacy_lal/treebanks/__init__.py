"""Treebanks: read, checked, made into Docs and corpora."""
