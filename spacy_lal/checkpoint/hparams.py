"""The hyperparameters of a checkpoint: their defaults, types and ranges.

The file may contain anything. Each value that shapes a network is checked against the file's weights, so that no number
makes a network larger than these weights.
"""

import math
import re
from typing import Any, Dict, Mapping, Optional

from torch import Tensor

from .records import CheckpointError, is_int, quoted

# Hyperparameters that a checkpoint may lack (reference-parser.md, section 6): an older one, of the HPSG parser, has no
# label attention.
DEFAULT_HPARAMS: Dict[str, Any] = {
    "num_layers": 12,
    "d_model": 1024,
    "num_heads": 8,
    "d_kv": 64,
    "d_ff": 2048,
    "d_label_hidden": 250,
    "d_biaffine": 1024,
    "partitioned": True,
    "sentence_max_len": 300,
    "use_lal": False,
    "lal_d_kv": 64,
    "lal_d_proj": 64,
    "lal_resdrop": False,
    "lal_pwff": False,
    "lal_q_as_matrix": False,
    "lal_partitioned": False,
    "lal_combine_as_self": False,
    "attention_dropout": 0.2,
    "embedding_dropout": 0.2,
    "relu_dropout": 0.2,
    "residual_dropout": 0.2,
    "tag_emb_dropout": 0.2,
    "word_emb_dropout": 0.4,
    "timing_dropout": 0.0,
    "char_lstm_input_dropout": 0.2,
    "d_char_emb": 64,
    "const_lada": 0.5,
    "use_tags": False,
    "use_words": False,
    "use_cat": False,
    "use_chars_lstm": False,
    "use_xlnet": False,
    "use_elmo": False,
    "use_bert": False,
    "use_bert_only": False,
    "embedding_type": "random",
    "xlnet_model": "xlnet-large-cased",
    "xlnet_do_lower_case": False,
    "pad_left": False,
}

_LAYER_KEY = re.compile(r"encoder\.attn_([0-9]{1,4})\.", re.ASCII)
_MODEL_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}(/[A-Za-z0-9][\w.-]{0,99})?", re.ASCII)
MAX_STRING = 200
SMALL_SIZE = 4096  # for widths that no weight has, since the network does not use them


MAY_BE_ZERO = ("num_layers", "num_layers_position_only")


def checked_hparams(
    hparams: Mapping[str, Any], state_dict: Mapping[str, Tensor], defaults: Mapping[str, Any] = DEFAULT_HPARAMS
) -> Dict[str, Any]:
    """The hyperparameters, with defaults for missing ones.

    hparams (Mapping[str, Any]): The checkpoint's hyperparameters; unused ones may be anything.
    state_dict (Mapping[str, Tensor]): The weights, by the reference's names.
    defaults (Mapping[str, Any]): The hyperparameters that are used, with their types. A missing one has this
        value.
    RETURNS (Dict[str, Any]): All of them; unused ones are unchanged.
    RAISES (CheckpointError): A value has the wrong type or is out of range, or a size does not fit the weights.
    """
    given = {**defaults, **hparams}
    # In a factored network, an axis is half of a hyperparameter.
    most = max(SMALL_SIZE, 2 * max((n for value in state_dict.values() for n in value.shape), default=0))
    for name, default in defaults.items():
        value = given[name]
        if isinstance(default, bool):
            fine, expected = type(value) in (bool, int) and value in (0, 1), "True or False"
        elif isinstance(default, int):
            least = 0 if name in MAY_BE_ZERO else 1
            fine = is_int(value, least, most)
            expected = f"a whole number between {least} and {most}, by the shapes of the weights"
        elif isinstance(default, float):
            fine = type(value) in (int, float) and math.isfinite(value) and 0 <= value <= 1
            expected = "a number between 0 and 1"
        else:
            fine, expected = isinstance(value, str) and len(value) <= MAX_STRING, "a short string"
        if not fine:
            raise CheckpointError(
                f"the checkpoint's hyperparameters make no network: {name} must be {expected}, got {quoted(value)}"
            )
    layers = {int(match.group(1)) for match in map(_LAYER_KEY.match, state_dict) if match}
    if given["num_layers"] > len(layers):
        raise CheckpointError(
            f"the checkpoint's hyperparameters make no network: num_layers is {given['num_layers']}, but there are "
            f"weights 'encoder.attn_*' for {len(layers)} layers"
        )
    return given


def model_name(hparams: Mapping[str, Any], tokenizer: Optional[str]) -> str:
    """The name of the transformer, `xlnet_model`: a name on the Hugging Face hub, not a path.

    hparams (Mapping[str, Any]): Checked hyperparameters.
    tokenizer (Optional[str]): The user's choice, which replaces a path.
    RETURNS (str): The name.
    RAISES (CheckpointError): The checkpoint names a path, and the user has chosen nothing.
    """
    name = hparams["xlnet_model"]
    if not _MODEL_NAME.fullmatch(name):
        if tokenizer:
            return tokenizer
        raise CheckpointError(
            f"the checkpoint's xlnet_model is {quoted(name)}: expected a name on the Hugging Face hub, "
            "as 'xlnet-large-cased', or --tokenizer"
        )
    return name
