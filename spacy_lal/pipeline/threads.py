"""Warns where threads share a model that is not thread-safe.

thinc's torch shim, and with it spacy-transformers' own transformer, puts a module into training mode after each
prediction. A concurrent prediction then runs with dropout and gives another parse. Our own architectures do not
(`architectures/shared_shim.py`). *Not* here: locks, which would silently make threads useless.
"""

import logging
import os
from threading import get_ident
from typing import Any, List, Mapping, Optional, Tuple

from thinc.api import Model

logger = logging.getLogger("spacy_lal")

WAYS_OUT = (
    "use the architecture spacy-lal.TransformerModel.v1, which loads the same weights; or switch dropout off in its "
    'config, for instance transformer_config = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}; or '
    "load one pipeline for each thread"
)


class ThreadWatch:
    """Remembers the first thread that parses with a component, and warns once when another thread does."""

    def __init__(self) -> None:
        self._first: Optional[Tuple[int, int]] = None
        self._seen_second = False

    def see(self, name: str, model: Model, encoder: Any) -> None:
        """Called before each prediction.

        name (str): The component's name.
        model (Model): Its model.
        encoder (Optional[Encoder]): The transformer that the model listens to, if any.
        """
        present = os.getpid(), get_ident()
        if self._first is None or self._first[0] != present[0]:  # a worker process has its own threads
            self._first, self._seen_second = present, False
        if self._seen_second or self._first == present:
            return
        self._seen_second = True
        unsafe = [f"a layer '{layer}' of its model" for layer in unsafe_layers(model)]
        if encoder is not None and unsafe_layers(encoder.pipe.model):
            unsafe.append(f"the transformer '{encoder.pipe.name}' ({_architecture(encoder.config)})")
        if unsafe:
            logger.warning(
                "Several threads parse with '%s', but %s is not made for that: while one thread predicts, the others "
                "may run with dropout, and find other parses. Either %s. This is said once.",
                name,
                " and ".join(unsafe),
                WAYS_OUT,
            )


def unsafe_layers(model: Model) -> List[str]:
    """The names of layers that hold a torch module with dropout, in a shim that changes the module's mode."""
    return [
        node.name
        for node in model.walk()
        for shim in node.shims
        if not getattr(shim, "is_shared", False) and _has_dropout(getattr(shim, "_model", None))
    ]


def _has_dropout(module: Any) -> bool:
    """Whether a torch module has a dropout rate above 0, in a dropout layer or as a number passed to a function."""
    if not hasattr(module, "modules"):
        return False
    for part in module.modules():
        is_dropout = "Dropout" in type(part).__name__
        for key, value in vars(part).items():
            is_rate = "drop" in key or (is_dropout and key == "p")
            if is_rate and isinstance(value, (int, float)) and value > 0:
                return True
    return False


def _architecture(config: Mapping[str, Any]) -> str:
    return str(config.get("model", {}).get("@architectures", "of an unknown architecture"))
