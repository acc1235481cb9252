"""The reference's checkpoints (`best_parser.pt`): read without running them, converted to our network."""

from .convert import LoadedNetwork, convert_state_dict, load_network, network_config, our_key
from .reader import Checkpoint, CheckpointError, ReferenceVocabulary, read_checkpoint

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "LoadedNetwork",
    "ReferenceVocabulary",
    "convert_state_dict",
    "load_network",
    "network_config",
    "our_key",
    "read_checkpoint",
]
