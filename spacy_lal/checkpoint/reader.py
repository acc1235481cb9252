"""Read a checkpoint file of the reference without running anything in it.

A checkpoint is a pickle, and a pickle is a program: Python's unpickler and `torch.load` would run it. Here a machine of
our own reads it (`unpickler.py`), from a file whose sizes are checked first (`archive.py`). This module checks the
parts of a checkpoint, and names the file in every error.
"""

import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Union

from torch import Tensor

from .archive import open_archive, read_tensors, regular_file_size
from .records import CheckpointError, ReferenceVocabulary, TensorRecord, quoted

__all__ = ["Checkpoint", "CheckpointError", "ReferenceVocabulary", "read_checkpoint"]

VOCABULARIES = ("tag_vocab", "word_vocab", "label_vocab", "char_vocab", "type_vocab")
DEPREL_VOCABULARY = "type_vocab"  # a parser of constituents alone has none, and none of these weights
DEPREL_WEIGHTS = "dep_score."
MAX_WEIGHTS = 10_000  # an XLNet of 24 layers has 400
MAX_NAME = 200


@dataclass(frozen=True)
class Checkpoint:
    """The contents of a checkpoint file.

    hparams (Dict[str, Any]): Hyperparameters, as the file gives them.
    state_dict (Dict[str, Tensor]): Weights under the reference's names.
    vocabularies (Dict[str, ReferenceVocabulary]): "tag_vocab", "word_vocab", "label_vocab", "char_vocab", and
        "type_vocab" unless the network scores no dependencies.
    """

    hparams: Dict[str, Any]
    state_dict: Dict[str, Tensor]
    vocabularies: Dict[str, ReferenceVocabulary]


def read_checkpoint(path: Union[str, Path]) -> Checkpoint:
    """Read a checkpoint of the reference without running anything in it.

    path (Union[str, Path]): A file written by `torch.save`, in the current format or the format before torch 1.6.
    RETURNS (Checkpoint): Its contents; the state of the optimiser is never read.
    RAISES (CheckpointError): The file is not a checkpoint, is damaged, declares more than it has, or names anything but
        tensors, plain containers, NumPy scalars and the vocabulary class. (OSError): The file cannot be opened.
    """
    path = Path(path)
    try:
        size = regular_file_size(path)
        with path.open("rb") as file:
            archive = open_archive(file, size)
            return _check_content(archive.content, lambda records: read_tensors(archive, records, size))
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from None
    except (zipfile.BadZipFile, struct.error, ValueError, EOFError, OverflowError, NotImplementedError) as error:
        # from zipfile, for a damaged archive
        raise CheckpointError(
            f"{path}: not a readable checkpoint ({type(error).__name__}: {str(error)[:MAX_NAME]})"
        ) from error


def _check_content(content: Any, read: Callable[[Mapping[str, TensorRecord]], Dict[str, Tensor]]) -> Checkpoint:
    """Check the types of the parts that we use, and return them."""
    if not isinstance(content, dict) or not {"spec", "state_dict"} <= content.keys():
        found = ", ".join(map(quoted, [*content][:8])) if isinstance(content, dict) else quoted(content)
        raise CheckpointError(f"expected a dict with 'spec' and 'state_dict', got {found or 'an empty one'}")
    spec, state = content["spec"], content["state_dict"]
    if not isinstance(spec, dict) or not isinstance(spec.get("hparams"), dict):
        raise CheckpointError("'spec' is not a dict with 'hparams'")
    strange = [key for key in spec["hparams"] if not isinstance(key, str)]
    if strange:
        raise CheckpointError(f"'hparams' has the key {quoted(strange[0])}: expected strings")
    vocabularies = {name: value for name in VOCABULARIES if isinstance(value := spec.get(name), ReferenceVocabulary)}
    without = [name for name, vocabulary in vocabularies.items() if not hasattr(vocabulary, "values")]
    missing = sorted(set(VOCABULARIES) - vocabularies.keys())
    if isinstance(state, dict) and not any(isinstance(key, str) and key.startswith(DEPREL_WEIGHTS) for key in state):
        missing = [name for name in missing if name != DEPREL_VOCABULARY]
    if missing or without:
        raise CheckpointError(f"'spec' lacks vocabularies: {', '.join(missing or without)}")
    if not isinstance(state, dict) or not all(isinstance(value, TensorRecord) for value in state.values()):
        raise CheckpointError("'state_dict' is not a dict of tensors")
    strange = [key for key in state if not (isinstance(key, str) and len(key) <= MAX_NAME and key.isprintable())]
    if strange or len(state) > MAX_WEIGHTS:
        raise CheckpointError(
            f"'state_dict' has {len(state)} weights, of which {len(strange)} have no name that can be printed "
            f"({quoted(strange[0]) if strange else ''}): expected names of at most {MAX_NAME} characters, and at most "
            f"{MAX_WEIGHTS} of them"
        )
    return Checkpoint(dict(spec["hparams"]), read(state), vocabularies)
