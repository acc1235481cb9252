"""ONNX Runtime in place of torch, for a transformer or a network that parses on a CPU. *Not* here: the ONNX models
(`onnx_bert.py`, `onnx_parser.py`).

Needs the extra `fast` (packages `onnx` and `onnxruntime`). Where they are missing, torch runs and a warning says so.
"""

import os
import warnings
from typing import Any, Dict, List, Optional, Sequence

import numpy
import torch
from numpy import ndarray
from torch import Tensor
from transformers.modeling_outputs import BaseModelOutputWithPooling
from transformers.utils import ModelOutput

from .onnx_bert import INPUTS, OUTPUT, bert_to_onnx

RUNTIMES = ("torch", "onnx", "onnx-int8")


def check_runtime(runtime: str, *, mixed_precision: bool) -> None:
    """Check the options of a config.

    RAISES (ValueError): The runtime is unknown, or two options contradict each other.
    """
    if runtime not in RUNTIMES:
        raise ValueError(f"expected runtime to be one of {', '.join(RUNTIMES)}, got {runtime!r}")
    if runtime != "torch" and mixed_precision:
        raise ValueError(
            f"runtime = {runtime!r} computes in a precision of its own: expected mixed_precision = false, got true"
        )


def open_session(transformer: Any, runtime: str) -> Optional["OnnxTransformer"]:
    """A transformer in ONNX Runtime.

    transformer (BertModel): Of the `transformers` library; its weights are copied.
    runtime (str): `onnx` or `onnx-int8`.
    RETURNS (Optional[OnnxTransformer]): The session, or None where a package is missing.
    RAISES (ValueError): The transformer is no BERT, or must return more than its last hidden states.
    WARNS: A package is missing.
    """
    for name in ("output_hidden_states", "output_attentions"):
        if getattr(transformer.config, name, False):
            raise ValueError(f"runtime = {runtime!r} computes the last hidden states alone: expected {name} = false")
    if not has_packages(runtime, "The transformer"):
        return None
    return OnnxTransformer(bert_to_onnx(transformer, int8=runtime == "onnx-int8"))


def has_packages(runtime: str, what: str) -> bool:
    """Whether the packages of an ONNX runtime are installed.

    what (str): What runs in torch otherwise, for the warning.
    WARNS: A package is missing.
    """
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        warnings.warn(
            f"{what} runs in torch, slower than with runtime = {runtime!r}: the package {error.name} is not "
            "installed. pip install 'spacy-lal[fast]', or set runtime = \"torch\"",
            stacklevel=3,
        )
        return False
    return True


class OnnxSession:
    """A session of ONNX Runtime. Threads may share it; a forked process makes a session of its own, since threads of
    the runtime do not survive a fork. Pickles and copies make it again, too.

    model (bytes): An ONNX model.
    """

    def __init__(self, model: bytes) -> None:
        self.model = model
        self._session: Any = None
        self._owner = -1

    def __getstate__(self) -> Dict[str, Any]:
        return {"model": self.model, "_session": None, "_owner": -1}

    def run(self, outputs: Sequence[str], feeds: Dict[str, ndarray]) -> List[ndarray]:
        """Some outputs of the model, from its inputs by name."""
        if self._owner != os.getpid():
            self._session = _new_session(self.model)
            self._owner = os.getpid()
        return self._session.run(outputs, feeds)


class OnnxTransformer:
    """A model in ONNX Runtime that is called like a transformer.

    model (bytes): As `bert_to_onnx` writes it.
    """

    def __init__(self, model: bytes) -> None:
        self.session = OnnxSession(model)

    def __call__(self, input_ids: Tensor, attention_mask: Tensor, **others: Tensor) -> ModelOutput:
        """The last hidden states, without pooled vectors.

        input_ids, attention_mask (Tensor): *Shape:* (n_rows, n_pieces).
        others (Tensor): `token_type_ids`, zeros by default; other inputs are refused.
        RETURNS (ModelOutput): With `last_hidden_state`, float32 of shape (n_rows, n_pieces, width).
        RAISES (ValueError): An input is unknown.
        """
        segments = others.pop("token_type_ids", None)
        if others:
            raise ValueError(f"ONNX models take {', '.join(INPUTS)}, got also {', '.join(others)}")
        return self.run(*(None if one is None else one.numpy() for one in (input_ids, segments, attention_mask)))

    def run(self, input_ids: Any, token_type_ids: Any, attention_mask: Any) -> ModelOutput:
        """As a call, from arrays of any type of numbers. `token_type_ids` may be None."""
        segments = numpy.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        given = zip(INPUTS, (input_ids, segments, attention_mask), strict=True)
        states = self.session.run([OUTPUT], {name: value.astype("int32") for name, value in given})[0]
        return BaseModelOutputWithPooling(last_hidden_state=torch.from_numpy(states))  # type: ignore[arg-type]


def _new_session(model: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    # Waiting threads sleep: a spinning thread costs the processor time of another program.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
