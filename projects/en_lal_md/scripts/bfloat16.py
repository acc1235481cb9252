"""`spacy-lal.bfloat16_products.v1`: on a CPU, train a pretrained encoder with matrix products in half of the time.

Registered by `functions.py`. thinc's mixed precision is for GPUs. Recent CPUs multiply bfloat16 matrices twice as fast
as float32 ones; the rest, weights included, stays float32. It is a callback of the training, not of a model: the
trained pipeline runs in float32.
"""

from functools import partial
from typing import Any, Callable, Dict, List, Optional

import torch
from spacy import registry
from spacy.language import Language
from thinc.api import Model
from torch import Tensor, nn


@registry.callbacks("spacy-lal.bfloat16_products.v1")
def make_bfloat16_products() -> Callable[[Language, Dict[str, Any]], None]:
    """Registered as `spacy-lal.bfloat16_products.v1`, for `[training.before_update]`.

    RETURNS (Callable[[Language, Dict[str, Any]], None]): A callback. Before the first update, it lets the linear layers
        of the pipeline's torch modules multiply in bfloat16 in training, on a CPU with instructions for it.
    """
    seen: List[Language] = []

    def before_update(nlp: Language, info: Dict[str, Any]) -> None:
        if not any(nlp is one for one in seen):
            seen.append(nlp)
            if has_bfloat16_products():
                models = [getattr(pipe, "model", None) for _, pipe in nlp.pipeline]
                use_bfloat16_products([model for model in models if isinstance(model, Model)])

    return before_update


def has_bfloat16_products() -> bool:
    """Whether this CPU has instructions for products of bfloat16 matrices."""
    cpu = torch.backends.cpu.get_cpu_capability().lower()
    return "avx512" in cpu and bool(torch.cpu._is_avx512_bf16_supported())


def use_bfloat16_products(models: List[Model]) -> int:
    """Let the linear layers of torch modules in thinc models multiply in bfloat16 during training on a CPU.

    models (List[Model]): Changed in place, except for their weights. Besides `torch.nn.Linear`, modules that keep
        `torch.nn.functional.linear` as `linear` are changed, too.
    RETURNS (int): The number of modules changed.
    """
    shims = [getattr(shim, "_model", None) for model in models for node in model.walk() for shim in node.shims]
    modules = {id(module): module for outer in shims if outer is not None for module in outer.modules()}
    changed = 0
    for module in modules.values():
        if type(module) is nn.Linear:
            module.forward = partial(_layer, module)  # type: ignore[method-assign]
        elif getattr(module, "linear", None) is nn.functional.linear:
            module.linear = partial(_product, module)
        else:
            continue
        changed += 1
    return changed


def _layer(layer: nn.Linear, inputs: Tensor) -> Tensor:
    return _product(layer, inputs, layer.weight, layer.bias)


def _product(module: nn.Module, inputs: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
    if not module.training or inputs.device.type != "cpu" or inputs.dtype != torch.float32:
        return nn.functional.linear(inputs, weight, bias)
    # The output is converted to float32 at once: attention and activations have slower kernels for bfloat16.
    with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False):
        return nn.functional.linear(inputs, weight, bias).float()
