"""ONNX Runtime in place of torch, for a transformer or a network that parses on a CPU. *Not* here: the ONNX models
(`onnx_bert.py`, `onnx_parser.py`).

Needs the extra `fast` (packages `onnx` and `onnxruntime`). Where they are missing, torch runs and a warning says so.
"""

import os
import warnings
from typing import Any, Dict, List, Sequence

import torch
from numpy import ndarray

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


def _new_session(model: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    # Waiting threads sleep: a spinning thread costs the processor time of another program.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
