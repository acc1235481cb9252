"""`spacy-lal.Adam.v1`: thinc's Adam with other learning rates for chosen parameters,
such as a pretrained encoder's."""

from typing import Any, Optional

from thinc.api import Optimizer
from thinc.optimizers import FloatOrSeq
from thinc.types import FloatsXd


class LayerwiseAdam(Optimizer):
    """Adam whose learning rate depends on a parameter's name in torch.

    rate_factors (Dict[str, float]): Factors of the learning rate by the beginning of a
        name, for instance "encoder.layer.0."; the longest match counts. 0 freezes the
        parameters.
    RAISES (ValueError): A factor is negative.
    """

    def __init__(
        self, learn_rate: FloatOrSeq, *, rate_factors: dict[str, float], **settings: Any
    ) -> None:
        super().__init__(learn_rate, **settings)
        if min(rate_factors.values(), default=0) < 0:
            raise ValueError(f"expected rate_factors of 0 or more, got {rate_factors}")
        self.rate_factors = dict(
            sorted(rate_factors.items(), key=lambda item: -len(item[0]))
        )

    def __call__(
        self,
        key: tuple[int, str],
        weights: FloatsXd,
        gradient: FloatsXd,
        *,
        lr_scale: float = 1.0,
    ) -> tuple[FloatsXd, FloatsXd]:
        """Update a parameter in place; see thinc's `Optimizer`."""
        factor = self._factor(key[1])
        if factor == 0.0:  # weight decay is skipped, too
            gradient.fill(0)
            return weights, gradient
        return super().__call__(key, weights, gradient, lr_scale=lr_scale * factor)

    def freezes(self, name: str) -> bool:
        """Whether parameters of this name are frozen."""
        return self._factor(name) == 0.0

    def _factor(self, name: str) -> float:
        for start, factor in self.rate_factors.items():
            if name.startswith(start):
                return factor
        return 1.0


def make_adam(
    learn_rate: FloatOrSeq = 0.001,
    *,
    rate_factors: Optional[dict[str, float]] = None,
    L2: float = 0.0,
) -> LayerwiseAdam:
    """Adam with other learning rates for chosen parameters: `rate_factors` of
    `LayerwiseAdam`. Gradients are clipped at a norm of 1.

    learn_rate (Union[float, Schedule]): As for thinc's `Adam.v1`.
    L2 (float): Weight decay.
    """
    return LayerwiseAdam(
        learn_rate,
        rate_factors=rate_factors or {},
        L2=L2,
        grad_clip=1.0,
        use_averages=False,
    )
