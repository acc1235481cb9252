"""The error of a checkpoint."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be read, or that has unknown content; the message gives
    the reason."""
