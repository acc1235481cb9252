"""What must be equal: the reference's tensors, decoders and scores to ours; the parses
of one version to the next's."""
