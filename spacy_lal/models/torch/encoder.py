"""The encoder of `spacy-lal.OnnxTransformer.v1` in torch: on a GPU, and to train it
further."""

from typing import Any

import numpy
from numpy import ndarray

from ..inference.onnx_encoder import first_position
from ..weights.storage import single_weights


def torch_module(
    config: dict[str, Any], weights: dict[str, ndarray], **settings: Any
) -> Any:
    """The transformer in the `transformers` library, on the CPU. settings (Any): Other
    values of the config."""
    import torch
    from transformers import AutoConfig, AutoModel

    known = {**config, **settings}
    for name in ("model_type", "tokenizer", "max_pieces"):
        known.pop(name, None)
    module = AutoModel.from_config(AutoConfig.for_model(config["model_type"], **known))
    tensors = {
        name: torch.from_numpy(weight)
        for name, weight in single_weights(weights).items()
    }
    module.load_state_dict(tensors, strict=False)
    return module


class TorchRunner:
    """The module of the `transformers` library, on thinc's device. Arguments as for
    `encoder_graphs`."""

    most_pieces = 8192

    def __init__(self, config: dict[str, Any], weights: dict[str, ndarray]) -> None:
        from thinc.api import get_torch_default_device

        self.device = get_torch_default_device()
        self.module = torch_module(config, weights).to(self.device).eval()
        self.first_position = first_position(config)

    def __call__(self, pieces: ndarray, mask: ndarray) -> ndarray:
        """See `EncoderShim.ready`."""
        import torch

        places = numpy.arange(pieces.shape[1]) + self.first_position
        inputs = {
            "input_ids": pieces,
            "attention_mask": mask,
            "position_ids": numpy.broadcast_to(places, pieces.shape).copy(),
        }
        tensors = {
            name: torch.from_numpy(array).long().to(self.device)
            for name, array in inputs.items()
        }
        with torch.no_grad():
            states = self.module(**tensors).last_hidden_state
        return states.float().cpu().numpy()
