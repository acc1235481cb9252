"""As `shared_shim.py`, for the transformers of spacy-transformers' layers."""

from functools import partial
from typing import Any, Callable

from spacy_transformers.layers.hf_shim import HFShim
from torch import nn
from transformers import AutoModel

from ..layers.unfilled import Unfilled
from .light_bert import light_bert
from .shared_shim import SharedShim


class QuickAutoModel:
    """`transformers.AutoModel`, which imports only the model that a config names. `AutoModel.from_config` compares the
    config with the configs of all models, and for this imports several hundred modules. Weights are not drawn: stored
    ones are loaded next."""

    @staticmethod
    def from_config(config: Any, **kwargs: Any) -> Any:
        """See `AutoModel.from_config`. RAISES (ValueError): The library has no model for the config."""
        with Unfilled():
            light = light_bert(config)
        if light is not None:
            return light
        known = AutoModel._model_mapping
        found = known[type(config)] if not hasattr(config, "auto_map") and type(config) in known else None
        if not isinstance(found, type):
            return AutoModel.from_config(config, **kwargs)
        with Unfilled():
            transformer = found._from_config(config, **kwargs)
        make = partial(found._from_config, config, **kwargs)
        transformer.register_load_state_dict_post_hook(partial(_draw_missing, make))
        return transformer


def _draw_missing(make: Callable[[], nn.Module], transformer: nn.Module, keys: Any) -> None:
    """Called after weights were loaded: missing weights are drawn, as in a new transformer.

    make (Callable): Makes a new transformer.
    keys (Any): torch's record, with `missing_keys`.
    """
    if keys.missing_keys:
        new, weights = make().state_dict(), transformer.state_dict()
        for name in keys.missing_keys:
            weights[name].copy_(new[name])


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
        if self.model_cls is AutoModel:
            self.model_cls = QuickAutoModel
        super().from_bytes(bytes_data)
        if self._hfmodel.tokenizer is not None:
            self.tokenize(self._hfmodel.tokenizer)
        return self
