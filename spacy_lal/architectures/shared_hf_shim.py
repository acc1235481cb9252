"""As `shared_shim.py`, for the transformers of spacy-transformers' layers."""

from typing import Any, Callable

from spacy_transformers.layers.hf_shim import HFShim

from .shared_shim import SharedShim


class SharedHFShim(SharedShim, HFShim):
    """As `SharedShim`, for a module of the `transformers` library and its tokenizer.

    model (HFObjects): Tokenizer and transformer, or the settings to make them with.
    tokenize (Callable): Splits a text with a tokenizer, as the layer does. A fast tokenizer changes its padding
        settings when a call needs others than the call before. This fails while another thread uses it, so the first
        call is made at loading.
    settings: As for spacy-transformers' `HFShim`.
    """

    def __init__(self, model: Any, *, tokenize: Callable[[Any], Any], **settings: Any) -> None:
        super().__init__(model, **settings)
        self.tokenize = tokenize

    def from_bytes(self, bytes_data: bytes) -> "SharedHFShim":
        """See `HFShim`."""
        super().from_bytes(bytes_data)
        if self._hfmodel.tokenizer is not None:
            self.tokenize(self._hfmodel.tokenizer)
        return self
