"""Products with constant matrices, in float32 or in half precision."""

import copy
from typing import Any, Callable, Optional

import torch
from torch import Tensor, nn

Precision = torch.dtype
# x, weight, bias to x @ weight^T + bias, as `torch.nn.functional.linear`. Modules that multiply without an `nn.Linear`
# keep this function as `linear`, so that training can replace it with a faster one.
LinearFunction = Callable[..., Tensor]


def has_bfloat16_products() -> bool:
    """Whether this CPU has instructions for products of bfloat16 matrices."""
    cpu = torch.backends.cpu.get_cpu_capability().lower()
    return "avx512" in cpu and bool(torch.cpu._is_avx512_bf16_supported())


def half_precision(device: torch.device) -> Precision:
    """The half precision that is fast on a device; float32 if none is."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return torch.bfloat16 if has_bfloat16_products() else torch.float32


class Product(nn.Module):
    """x @ weight^T + bias with constant weights.

    weight (Tensor): *Shape:* (n_out, n_in).
    precision (Precision): torch.float32, or a half precision, to which inputs and sums are rounded. Output: float32.
    bias (Optional[Tensor]): *Shape:* (n_out,).
    """

    weight: Tensor
    bias: Optional[Tensor]

    def __init__(self, weight: Tensor, precision: Precision, bias: Optional[Tensor] = None) -> None:
        super().__init__()
        self.precision = precision
        self.register_buffer("weight", weight.detach().to(precision).contiguous())
        self.register_buffer("bias", None if bias is None else bias.detach().clone())

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shapes:* (..., n_in) to (..., n_out), float32."""
        if self.precision == torch.float32:
            return nn.functional.linear(inputs, self.weight, self.bias)
        product = nn.functional.linear(inputs.to(self.precision), self.weight).float()
        return product if self.bias is None else product.add_(self.bias)

    def add_to(self, sums: Tensor, inputs: Tensor) -> None:
        """Add the product to `sums`, in place. *Shapes:* (n_rows, n_out), (n_rows, n_in)."""
        if self.precision == torch.float32 and self.bias is None:
            torch.addmm(sums, inputs, self.weight.t(), out=sums)  # torch's FLOP counter ignores `addmm_`
        else:
            sums.add_(self(inputs))

    @staticmethod
    def inside(module: Any, precision: Precision) -> Any:
        """The module itself for float32; otherwise a copy in which each `nn.Linear` is a `Product`."""
        if precision == torch.float32:
            return module
        module = copy.deepcopy(module)
        for parent in list(module.modules()):
            for name, layer in list(parent.named_children()):
                if type(layer) is nn.Linear:
                    parent.add_module(name, Product(layer.weight, precision, layer.bias))
        return module
