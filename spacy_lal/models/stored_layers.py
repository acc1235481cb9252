"""Weights of thinc's layers in 8 bits by rows, as packages store them. thinc computes
with floats: the first call of a model restores them."""

from typing import Any

from .weights.storage import quantise

_SCALE = "scale"  # an attribute of a layer: the scale of each row


def store(layer: Any, name: str) -> None:
    """Round a layer's weights to integers."""
    integers, scales = quantise(layer.get_param(name))
    layer.set_param(name, integers)
    layer.attrs[_SCALE] = scales


def restore(layer: Any, name: str) -> None:
    """Make floats of a layer's weights if they are stored in integers."""
    weight = layer.get_param(name)
    if weight.dtype.kind == "i":
        scales = layer.ops.asarray(layer.attrs[_SCALE])
        layer.set_param(name, weight.astype("float32") * scales[..., None])
