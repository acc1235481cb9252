"""`spacy-lal.Adam.v1`: thinc's Adam with other learning rates for chosen parameters.

At the learning rates that fresh layers need, a pretrained encoder loses its knowledge. spaCy's trainings have one
optimizer, hence one rate, for the whole pipeline.
"""

import warnings
from typing import Any, Dict, Optional, Set, Tuple

from thinc.api import Optimizer
from thinc.optimizers import FloatOrSeq
from thinc.types import FloatsXd

_STEPS_TO_SEE_ALL = 20  # a batch may leave a part of a network without a gradient


class LayerwiseAdam(Optimizer):
    """Adam whose learning rate depends on a parameter's name.

    rate_factors (Dict[str, float]): Factors of the learning rate by the beginning of a parameter's name; the longest
        match counts. Names are torch's: "encoder.layer.0." is a transformer's first layer. 0 freezes the parameters.
    settings: As for thinc's `Optimizer`.
    RAISES (ValueError): A factor is negative.
    WARNS: In the first steps, no trained parameter's name begins with one of the names.
    """

    def __init__(self, learn_rate: FloatOrSeq, *, rate_factors: Dict[str, float], **settings: Any) -> None:
        super().__init__(learn_rate, **settings)
        negative = {name: factor for name, factor in rate_factors.items() if factor < 0}
        if negative:
            raise ValueError(f"expected rate_factors of 0 or more, got {negative}")
        self.rate_factors = dict(sorted(rate_factors.items(), key=lambda item: -len(item[0])))
        self._unmatched = set(rate_factors)
        self._seen: Set[str] = set()  # names of the current step
        self._n_steps = 0

    def __call__(
        self, key: Tuple[int, str], weights: FloatsXd, gradient: FloatsXd, *, lr_scale: float = 1.0
    ) -> Tuple[FloatsXd, FloatsXd]:
        """Update a parameter in place; see thinc's `Optimizer`."""
        if self._unmatched:
            self._seen.add(key[1])
        factor = self._factor(key[1])
        if factor == 0.0:  # weight decay is skipped, too
            gradient.fill(0)
            return weights, gradient
        return super().__call__(key, weights, gradient, lr_scale=lr_scale * factor)

    def step_schedules(self) -> None:
        """Go on with the schedules after a step; see thinc's `Optimizer`."""
        super().step_schedules()
        if not self._unmatched or not self._seen:  # a training that is resumed runs through its schedules without steps
            return
        self._n_steps += 1
        self._unmatched -= {start for start in self._unmatched if any(name.startswith(start) for name in self._seen)}
        if self._unmatched and self._n_steps == _STEPS_TO_SEE_ALL:
            lost, names = " or ".join(map(repr, sorted(self._unmatched))), sorted(self._seen)
            some = ", ".join(map(repr, names[:: max(1, len(names) // 8)]))
            warnings.warn(
                f"rate_factors: no trained parameter's name begins with {lost}, so this factor changes nothing: "
                f"expected beginnings of names such as {some}",
                stacklevel=2,
            )
            self._unmatched = set()
        self._seen = set()

    def freezes(self, name: str) -> bool:
        """Whether parameters of this name are frozen."""
        if self._unmatched:  # one that another optimizer froze gets no gradient
            self._seen.add(name)
        return self._factor(name) == 0.0

    def _factor(self, name: str) -> float:
        return next((factor for start, factor in self.rate_factors.items() if name.startswith(start)), 1.0)


def make_adam(
    learn_rate: FloatOrSeq = 0.001,
    *,
    rate_factors: Optional[Dict[str, float]] = None,
    L2: float = 0.0,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    grad_clip: float = 1.0,
    L2_is_weight_decay: bool = True,
    use_averages: bool = False,
) -> LayerwiseAdam:
    """Registered as `spacy-lal.Adam.v1`. Arguments as for thinc's `Adam.v1`, with `rate_factors` of `LayerwiseAdam`."""
    return LayerwiseAdam(
        learn_rate,
        rate_factors=rate_factors or {},
        L2=L2,
        beta1=beta1,
        beta2=beta2,
        eps=eps,
        grad_clip=grad_clip,
        L2_is_weight_decay=L2_is_weight_decay,
        use_averages=use_averages,
    )
