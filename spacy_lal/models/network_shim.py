"""thinc's wrapper of a torch network: how it is made, moved, updated and saved.

It knows no parser: functions that make and fold a network are passed to it.
"""

import os
from io import BytesIO
from typing import Any, Callable, Dict, Optional

import srsly
import torch
from thinc.api import get_torch_default_device
from thinc.compat import has_torch_amp
from thinc.types import ArgsKwargs

from ..layers.modes import evaluating
from ..layers.products import Precision, half_precision
from ..layers.unfilled import Unfilled
from .shared_shim import SharedShim
from .stored_weights import check_archive, check_finite

NetworkBuilder = Callable[[Dict[str, int]], torch.nn.Module]
NetworkFolder = Callable[[Any, Precision], Any]

# `nlp.pipe(n_process=2)` forks. torch's threads do not survive a fork, and a child that waits for them hangs; with one
# thread it waits for none. The processes share the cores anyway.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


class NetworkShim(SharedShim):
    """thinc's torch shim around a network that is made late, when the labels and the width of its input are known.

    Departs from `SharedShim` in two ways. The network may not exist yet. And its sizes are saved beside its weights (in
    `cfg`), so that loading needs nothing else.

    build_network (NetworkBuilder): From sizes by name to a network with fresh weights.
    fold_network (NetworkFolder): From a network and a precision to its folded form, which parses.
    mixed_precision (bool): Whether matrices are multiplied in half precision: in parsing on any device with fast half
        precision, in training on a GPU where torch's autocast considers it safe.
    fold_trained (Optional[NetworkFolder]): Replaces `fold_network` from the first update on; None to keep it.
    """

    def __init__(
        self,
        build_network: NetworkBuilder,
        fold_network: NetworkFolder,
        *,
        mixed_precision: bool = False,
        fold_trained: Optional[NetworkFolder] = None,
    ) -> None:
        # thinc's half precision scales gradients, which requires a GPU
        super().__init__(None, mixed_precision=mixed_precision and has_torch_amp)
        self.mixed_precision = mixed_precision
        self.build_network, self.fold_network = build_network, fold_network
        self.fold_trained = fold_trained if fold_trained is not None else fold_network

    @property
    def network(self) -> Any:
        """The torch network.

        RAISES (ValueError): The network does not exist yet.
        """
        if self._model is None:
            raise ValueError("the network has no weights yet: call nlp.initialize(), or load it from disk")
        return self._model

    @property
    def folded(self) -> Any:
        """The network folded for parsing, made on first use."""
        network = self.network
        return self.fold(lambda: self.fold_network(evaluating(network), self._precision()))

    def _precision(self) -> Precision:
        return half_precision(self.device) if self.mixed_precision else torch.float32

    def begin_update(self, inputs: ArgsKwargs) -> Any:
        """See `SharedShim`."""
        if self.fold_network is not self.fold_trained:
            self.fold_network = self.fold_trained
            self.unfold()
        return super().begin_update(inputs)

    @property
    def device(self) -> torch.device:
        """The device of the network, or of a network yet to be made."""
        return get_torch_default_device() if self._model is None else super().device

    def set_sizes(self, sizes: Dict[str, int]) -> None:
        """Set sizes that come from data, by name. A network of other sizes is dropped."""
        if any(self.cfg.get(name) != size for name, size in sizes.items()):
            self._model = None
        self.cfg.update(sizes)

    def build(self) -> None:
        """Make a network of the current sizes, with fresh weights, on thinc's device."""
        self.unfold()
        self._model = self.build_network(self.cfg).to(get_torch_default_device())

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the network, if there is one."""
        if self._model is not None:
            super().to_device(device_type, device_id)

    def to_bytes(self) -> bytes:
        """Sizes and weights, as msgpack."""
        state = BytesIO()
        if self._model is not None:
            torch.save(self._model.state_dict(), state)
        return srsly.msgpack_dumps({"config": self.cfg, "state": state.getvalue()})

    def from_bytes(self, bytes_data: bytes) -> "NetworkShim":
        """Make the network with the saved sizes and weights; other settings come from the config.

        RAISES (ValueError): The saved weights fit another architecture, are damaged, or are not finite.
        """
        msg = srsly.msgpack_loads(bytes_data)
        self.cfg = dict(msg["config"])
        self._model = None
        if msg["state"]:
            check_archive(msg["state"], "the LAL parser's network")
            with Unfilled():
                self.build()
            device = get_torch_default_device()
            state = torch.load(BytesIO(msg["state"]), map_location=device, weights_only=True)
            try:
                self.network.load_state_dict(state)
            except RuntimeError as error:
                raise ValueError(
                    "The saved weights do not fit the network of the config; expected the [model] block that they were "
                    f"trained with. {error}"
                ) from error
            check_finite(state, "the LAL parser's network")
            self._grad_scaler.to_(device)
        return self
