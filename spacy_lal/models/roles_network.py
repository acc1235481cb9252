"""The network of semantic roles in thinc: padded tensors for the torch module, and its scores and their gradients.

*Not* here: the layers of the network, its NumPy form (`roles_inference.py`), and Docs.
"""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
from numpy import ndarray

from ..layers.roles_configs import RolesNetworkConfig, RolesSizes
from ..scores import MISSING, RoleScores
from .batches import RolesBatch
from .roles_inference import RolesInference, has_numpy_form
from .shim import NetworkShim, to_numpy


class RolesShim(NetworkShim):
    """The network of semantic roles; see `NetworkShim`."""

    config: RolesNetworkConfig

    @property
    def sizes(self) -> RolesSizes:
        """What the data decide, as the network's config has it."""
        return RolesSizes(**self.cfg)

    def from_bytes(self, bytes_data: bytes) -> "RolesShim":
        """Load weights and sizes.

        RAISES (ValueError): They do not fit the config."""
        super().from_bytes(bytes_data)
        if self.cfg:
            self.config.check(self.sizes)
        return self

    def build_module(self) -> Any:
        """See `NetworkShim`."""
        from ..layers.roles_network import RolesNetwork

        return RolesNetwork(self.config, self.sizes)

    def build_inference(self, weights: Dict[str, ndarray]) -> Optional[RolesInference]:
        """See `NetworkShim`."""
        return RolesInference(self.config, self.sizes, weights) if has_numpy_form(self.config) else None

    def pad(self, batch: RolesBatch, indices: Sequence[int], vectors: Any) -> Any:
        """See `NetworkShim`."""
        import torch

        from ..layers.roles_network import RolesInputs

        shape = tuple(vectors.shape[:2])

        def pad_ids(items: Optional[List[ndarray]]) -> Any:
            if items is None:
                return None
            ids = numpy.full(shape, MISSING, dtype="int64")
            for row, i in zip(ids, indices, strict=True):
                row[: len(items[i])] = items[i]
            return torch.from_numpy(ids).to(vectors.device)

        predicates = None
        if batch.predicates is not None:
            flags = numpy.zeros(shape, dtype=bool)
            for row, i in zip(flags, indices, strict=True):
                row[batch.predicates[i]] = True
            predicates = torch.from_numpy(flags).to(vectors.device)
        return RolesInputs(
            lengths=torch.tensor([batch.lengths[i] for i in indices], device=vectors.device),
            vectors=vectors,
            heads=pad_ids(batch.heads),
            deprel_heads=pad_ids(batch.deprel_heads),
            predicates=predicates,
            threshold=batch.threshold,
            parses=None if batch.parses is None else [batch.parses[i] for i in indices],
        )

    def unpad(self, output: Any, lengths: Sequence[int]) -> List[RoleScores]:
        """See `NetworkShim`."""
        predicates, rows, tags, rolesets, arcs, deprels, spans = map(to_numpy, output[:-1])
        ranges = [None] * len(lengths) if output.ranges is None else output.ranges
        first = 0
        ends = numpy.searchsorted(rows[:, 0], numpy.arange(len(lengths) + 1))
        scores = []
        for k, n in enumerate(lengths):
            mine = slice(ends[k], ends[k + 1])
            of_spans = None
            if spans is not None:
                shape = (int(ends[k + 1] - ends[k]), len(ranges[k]), spans.shape[1])
                of_spans = spans[first : first + shape[0] * shape[1]].reshape(shape)
                first += shape[0] * shape[1]
            scores.append(
                RoleScores(
                    predicates=numpy.ascontiguousarray(predicates[k, :n]),
                    rows=rows[mine, 1].copy(),
                    tags=None if tags is None else numpy.ascontiguousarray(tags[mine, :n]),
                    rolesets=None if rolesets is None else rolesets[mine].copy(),
                    arcs=None if arcs is None else numpy.ascontiguousarray(arcs[k, :n, :n]),
                    deprels=None if deprels is None else numpy.ascontiguousarray(deprels[k, :n]),
                    spans=of_spans,
                    ranges=ranges[k],
                )
            )
        return scores

    def gradients(self, output: Any, d_scores: Sequence[RoleScores]) -> Tuple[List[Any], List[Any]]:
        """See `NetworkShim`."""
        import torch

        tensors, grads = [], []
        for name in ("predicates", "tags", "rolesets", "arcs", "deprels", "spans"):
            tensor = getattr(output, name)
            if tensor is None or not tensor.requires_grad or not tensor.numel():
                continue
            padded = numpy.zeros(tuple(tensor.shape), dtype="float32")
            first = 0  # rows of earlier sentences, where rows are of predicates or pairs and not of sentences
            for k, gradient in enumerate(getattr(one, name) for one in d_scores):
                if gradient is None:
                    continue
                if name == "spans":
                    gradient = gradient.reshape(-1, padded.shape[1])
                if name in ("tags", "rolesets", "spans"):
                    place = padded[first : first + len(gradient)]
                    first += len(gradient)
                else:
                    place = padded[k]
                place[tuple(slice(size) for size in gradient.shape)] = gradient
            tensors.append(tensor)
            grads.append(torch.from_numpy(padded).to(tensor))
        return tensors, grads

    def nothing(self, batch: RolesBatch) -> RoleScores:
        """See `NetworkShim`."""
        sizes, with_spans = self.sizes, self.config.with_spans

        def zeros(*shape: int) -> ndarray:
            return numpy.zeros(shape, dtype="float32")

        return RoleScores(
            predicates=zeros(0, sizes.n_predicate_labels),
            rows=numpy.zeros(0, dtype="int64"),
            tags=None if with_spans else zeros(0, 0, sizes.n_tags),
            rolesets=zeros(0, sizes.n_rolesets) if sizes.n_rolesets else None,
            arcs=zeros(0, 0) if sizes.n_deprels else None,
            deprels=zeros(0, sizes.n_deprels) if sizes.n_deprels else None,
            spans=zeros(0, 0, 1 + (sizes.n_tags - 1) // 2) if with_spans else None,
            ranges=numpy.zeros((0, 2), dtype="int64") if with_spans else None,
        )
