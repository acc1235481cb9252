"""Checkpoints of the authors' parser, and configs of earlier versions of this one:
read, and translated into ours."""
