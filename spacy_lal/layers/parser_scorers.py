"""The parser's scorers: labels of all spans of a sentence (Mrini et al. 2020,
Eq. 6); arcs and their labels (Dozat & Manning 2017; Mrini et al. 2020, Eq. 10).
Fenceposts are projected first, and differences are taken of the narrow projections:
there is no tensor of n^2 x width. A loss touches only the cells of two trees, and
training computes these a second time."""

from functools import singledispatch
from typing import Any, Iterator, NamedTuple, Optional

import torch
from torch import Tensor, nn

from .basics import ElementDropout, StdNorm, std_norm
from .configs import (
    FIRST_LABEL,
    BiaffineScorerConfig,
    FencepostLayout,
    SpanScorerConfig,
)


class LabelHeadScorer(nn.Module):
    """The score of each label head on each fencepost, u_l . b_l(k); a span's score is
    the difference of its ends.

    It ties a label head to the label that names it, which the paper does not: head l
    adds t_l(i, j) = u_l . (b_l(j) - b_l(i)) to the score of label l, from its own block
    b_l alone. `loss.parser.label_head_loss` trains it."""

    columns: Tensor

    def __init__(self, layout: FencepostLayout) -> None:
        super().__init__()
        n_heads = layout.n_label_heads
        width = layout.block_width
        columns = torch.from_numpy(layout.block_columns(range(n_heads)))
        self.register_buffer("columns", columns.view(n_heads, width), persistent=False)
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_heads, width)))

    def forward(self, fenceposts: Tensor) -> Tensor:
        """*Shapes:* (..., fencepost_width) to (..., n_label_heads)."""
        return (fenceposts[..., self.columns] * self.weight).sum(-1)


_SPAN_FLOATS = 1 << 21  # activations computed at once: 8 MiB, about a core's cache


class _Cells(NamedTuple):
    """Cells of a batch of charts. start, end: rows of the flattened fenceposts. place:
    rows of the flattened charts."""

    start: Tensor
    end: Tensor
    place: Tensor

    def chunks(self, width: int) -> Iterator["_Cells"]:
        size = max(1, _SPAN_FLOATS // width)
        for i in range(0, len(self.place), size):
            yield _Cells(*(index[i : i + size] for index in self))


def _cells_at(
    sentence: Tensor, start: Tensor, end: Tensor, n_fenceposts: int
) -> _Cells:
    """The cells of spans of the sentences of a batch."""
    first = sentence * n_fenceposts
    place = (first + start) * n_fenceposts + end
    return _Cells(first + start, first + end, place)


def _upper_cells(lengths: Tensor, n_fenceposts: int) -> _Cells:
    start, end = torch.triu_indices(
        n_fenceposts, n_fenceposts, 1, device=lengths.device
    )
    sentence, cell = (end <= lengths[:, None]).nonzero(as_tuple=True)
    return _cells_at(sentence, start[cell], end[cell], n_fenceposts)


def _score_cells(
    cells: _Cells, ends: Tensor, starts: Tensor, own: Tensor, *parameters: Tensor
) -> Tensor:
    hidden_bias, gain, norm_bias, weight, bias = parameters
    of_ends = ends.index_select(0, cells.end)
    of_starts = starts.index_select(0, cells.start)
    units = std_norm(of_ends - of_starts + hidden_bias, gain, norm_bias).relu()
    scores = nn.functional.linear(units, weight, bias)
    n_own = own.shape[1]
    if n_own:
        difference = own.index_select(0, cells.end) - own.index_select(0, cells.start)
        n_others = scores.shape[1] - n_own
        scores = scores + nn.functional.pad(difference, (n_others, 0))
    return scores


def _named_cells(grad: Tensor, lengths: Tensor) -> tuple[_Cells, Tensor]:
    """The cells that a sparse gradient names, and their gradient. `place` is a row of
    the gradient."""
    n_fenceposts, n_labels = grad.shape[2:]
    sentence, start, end, label = grad._indices()
    is_span = (start < end) & (end <= lengths[sentence])
    all_places = _cells_at(sentence, start, end, n_fenceposts).place
    places, row = all_places[is_span].unique(return_inverse=True)
    named = grad._values().new_zeros(len(places), n_labels)
    index = (row, label[is_span])
    named.index_put_(index, grad._values()[is_span], accumulate=True)
    first_row = places // n_fenceposts  # of the flattened fenceposts
    first_of_sentence = first_row // n_fenceposts * n_fenceposts
    end_row = first_of_sentence + places % n_fenceposts
    rows = torch.arange(len(places), device=grad.device)
    return _Cells(first_row, end_row, rows), named


class _SpanChart(torch.autograd.Function):
    """The chart of a batch; backward recomputes only the cells with a gradient, which
    may be a sparse tensor."""

    @staticmethod
    def forward(
        ctx: Any,
        lengths: Tensor,
        ends: Tensor,
        starts: Tensor,
        own: Tensor,
        *parameters: Tensor,
    ) -> Tensor:
        batch_size, n_fenceposts, width = ends.shape
        cells = _upper_cells(lengths, n_fenceposts)
        *of_hidden, weight, bias = parameters
        # a first row of zeros scores the empty label, so that whole rows of the chart
        # can be written
        weight = nn.functional.pad(weight, (0, 0, 1, 0))
        bias = nn.functional.pad(bias, (1, 0))
        n_labels = len(weight)
        chart = ends.new_zeros(batch_size * n_fenceposts * n_fenceposts, n_labels)
        rows = [tensor.flatten(0, 1) for tensor in (ends, starts, own)]
        for chunk in cells.chunks(max(width, n_labels)):
            scores = _score_cells(chunk, *rows, *of_hidden, weight, bias)
            chart.index_copy_(0, chunk.place, scores)
        ctx.save_for_backward(lengths, ends, starts, own, *parameters)
        return chart.view(batch_size, n_fenceposts, n_fenceposts, n_labels)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Optional[Tensor], ...]:
        lengths, ends, starts, own, *parameters = ctx.saved_tensors
        rows = (ends, starts, own)
        sparse = grads[0] if grads[0].is_sparse else grads[0].to_sparse()
        cells, grad = _named_cells(sparse, lengths)
        tensors = [*(one.flatten(0, 1) for one in rows), *parameters]
        leaves = [tensor.detach().requires_grad_() for tensor in tensors]
        sums: list[Tensor] = [torch.zeros_like(leaf) for leaf in leaves]
        for chunk in cells.chunks(leaves[0].shape[1]):
            with torch.enable_grad():
                scores = _score_cells(chunk, *leaves)
            d_scores = grad[chunk.place, 1:]
            parts = torch.autograd.grad(scores, leaves, d_scores, allow_unused=True)
            for total, part in zip(sums, parts, strict=True):
                if part is not None:
                    total += part
        d_rows = [one.view_as(row) for one, row in zip(sums, rows, strict=False)]
        return (None, *d_rows, *sums[len(rows) :])


class SpanScorer(nn.Module):
    """o(i, j) = W2 relu(norm(W1 s(i, j) + b1)) + b2, 0 for the empty label, where s(i,
    j) is f_j - f_i (the paper's Eq. 5) or, with separate endpoints, [f_j ; -f_i]. With
    `ties`, the score of the label's own head is added. input_width (int): Of a
    fencepost, or of its last features, which alone are read then."""

    def __init__(
        self,
        input_width: int,
        hidden_width: int,
        n_labels: int,
        ties: Optional[LabelHeadScorer] = None,
        separate_endpoints: bool = False,
    ) -> None:
        super().__init__()
        self.input_width = input_width
        self.n_projections = 2 if separate_endpoints else 1
        self.hidden = nn.Linear(self.n_projections * input_width, hidden_width)
        self.norm = StdNorm(hidden_width)
        self.output = nn.Linear(hidden_width, n_labels - 1)
        # A training may replace it by a faster product.
        self.linear: Any = nn.functional.linear
        self.ties = ties
        self.n_own = 0 if ties is None else max(0, n_labels - FIRST_LABEL)

    def end_weights(self) -> tuple[Tensor, ...]:
        """The hidden layer's weights for a span's end and, if they differ, for its
        start. *Shapes:* (hidden_width, input_width)."""
        return self.hidden.weight.chunk(self.n_projections, dim=1)

    def forward(
        self, fenceposts: Tensor, lengths: Tensor, ties: Optional[Tensor] = None
    ) -> Tensor:
        """Score all spans. *Shapes:* fenceposts (batch_size, n_fenceposts, width),
        lengths (batch_size,), ties (batch_size, n_fenceposts, n_heads) to (batch_size,
        n_fenceposts, n_fenceposts, n_labels)."""
        read = fenceposts[..., fenceposts.shape[-1] - self.input_width :]
        projected = self.linear(read, torch.cat(self.end_weights()))
        projected = projected.to(self.output.weight.dtype)
        ends = projected.chunk(self.n_projections, dim=-1)
        own = projected[..., :0]  # nothing
        if ties is not None:
            own = ties[..., : self.n_own].to(projected.dtype)
        parameters = (
            self.hidden.bias,
            self.norm.gain,
            self.norm.bias,
            self.output.weight,
            self.output.bias,
        )
        # backward runs outside of autocast and must see the same values
        with torch.autocast(projected.device.type, enabled=False):
            return _SpanChart.apply(lengths, ends[0], ends[-1], own, *parameters)


_PAIR_FLOATS = 1 << 18  # floats added at once: 1 MiB, which fits a core's cache


class _PairProducts(torch.autograd.Function):
    """out[:, d, h, r] = left[:, d] . right[:, h, r] + constant[:, h, r]. The gradient
    of the much larger `right` is in its own memory layout. The gradient of `out` may be
    a sparse tensor with an index for batch, d and h: a loss has a gradient for one h of
    each d."""

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, constant: Tensor) -> Tensor:
        ctx.save_for_backward(left, right)
        constants = constant.flatten(1).unsqueeze(1)
        columns = right.flatten(1, 2).transpose(1, 2)
        scores = torch.baddbmm(constants, left, columns)
        return scores.unflatten(-1, constant.shape[1:])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        left, right = ctx.saved_tensors
        if grads[0].is_sparse:
            return _d_pairs(grads[0], left, right)
        grad = grads[0].flatten(2).contiguous()
        d_left = grad @ right.flatten(1, 2)
        d_right = torch.bmm(grad.transpose(1, 2), left).view_as(right)
        d_constant = grad.sum(1).view(right.shape[:3])
        return d_left, d_right, d_constant


def _d_pairs(
    grad: Tensor, left: Tensor, right: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of `_PairProducts` from a sparse gradient."""
    sentence, d, h = grad._indices()
    values = grad._values()
    of_left = sentence * left.shape[1] + d
    of_right = sentence * right.shape[1] + h
    left_rows = left.flatten(0, 1)
    right_rows = right.flatten(0, 1)
    d_left = torch.zeros_like(left_rows)
    d_right = torch.zeros_like(right_rows)
    d_constant = values.new_zeros(len(right_rows), right.shape[2])
    d_constant.index_add_(0, of_right, values)
    size = max(1, _PAIR_FLOATS // right_rows[0].numel())
    chunks = (of_left.split(size), of_right.split(size), values.split(size))
    for to_left, to_right, value in zip(*chunks, strict=True):
        seen = right_rows.index_select(0, to_right)
        d_left.index_add_(0, to_left, (value.unsqueeze(1) @ seen).squeeze(1))
        dependents = left_rows.index_select(0, to_left).unsqueeze(1)
        outer = torch.mul(value.unsqueeze(2), dependents, out=seen)
        d_right.index_add_(0, to_right, outer)
    d_constant = d_constant.view(right.shape[:3])
    return d_left.view_as(left), d_right.view_as(right), d_constant


class BiaffineScorer(nn.Module):
    """Biaffine scores between fenceposts: row k is word k, row 0 the root.

    arc(d, h) = [a_h; 1]^T W [b_d; 1] deprel(d, h, r) = p_h^T U_r q_d + u_r p_h + v_r
    q_d + c_r with a, b, p, q four small networks over the fenceposts. p is taken from
    the head's row, as in the paper's Eq. 11."""

    given_head = True  # whether a deprel is scored for each possible head

    def __init__(
        self,
        input_width: int,
        arc_width: int,
        deprel_width: int,
        n_deprels: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.arc_head = nn.Linear(input_width, arc_width)
        self.arc_dependent = nn.Linear(input_width, arc_width)
        self.deprel_head = nn.Linear(input_width, deprel_width)
        self.deprel_dependent = nn.Linear(input_width, deprel_width)
        self.arc_bilinear = nn.Parameter(
            nn.init.xavier_uniform_(torch.empty(arc_width + 1, arc_width + 1))
        )
        shapes = (
            (n_deprels, deprel_width, deprel_width),
            (n_deprels, deprel_width),
            (n_deprels, deprel_width),
        )
        bilinear, from_head, from_dependent = (
            nn.init.xavier_uniform_(torch.empty(shape)) for shape in shapes
        )
        self.deprel_bilinear = nn.Parameter(bilinear)
        self.deprel_from_head = nn.Parameter(from_head)
        self.deprel_from_dependent = nn.Parameter(from_dependent)
        self.deprel_bias = nn.Parameter(torch.zeros(n_deprels))
        self.dropout = ElementDropout(dropout)
        # A training may replace it by a faster product.
        self.linear: Any = nn.functional.linear

    @property
    def input_layers(self) -> tuple[nn.Linear, ...]:
        """The layers that read fenceposts."""
        return (
            self.arc_head,
            self.arc_dependent,
            self.deprel_head,
            self.deprel_dependent,
        )

    def forward(self, fenceposts: Tensor) -> tuple[Tensor, Tensor]:
        """Score arcs and deprels. *Shapes:* fenceposts (batch_size, n_fenceposts,
        input_width)."""
        head = self._features(fenceposts, self.arc_head, self.deprel_head)
        dependent = self._features(
            fenceposts, self.arc_dependent, self.deprel_dependent
        )
        arcs = self.score_arcs(head[0], dependent[0])
        return arcs, self.score_deprels(head[1], dependent[1])

    def _features(
        self, fenceposts: Tensor, arc: nn.Linear, deprel: nn.Linear
    ) -> tuple[Tensor, Tensor]:
        """The arc and the deprel network of one role in one product; they share a
        dropout mask."""
        weight = torch.cat([arc.weight, deprel.weight])
        bias = torch.cat([arc.bias, deprel.bias])
        units = self.linear(self.dropout(fenceposts), weight, bias).relu()
        features = self.dropout(units)
        arcs, deprels = features.split([arc.out_features, deprel.out_features], dim=-1)
        return arcs, deprels

    def score_arcs(self, head: Tensor, dependent: Tensor) -> Tensor:
        """Scores of arcs from the features a, b of fenceposts as heads and as
        dependents. *Shapes:* head, dependent (batch_size, n_fenceposts, arc_width) to
        (batch_size, n_fenceposts, n_fenceposts)."""
        bilinear = self.arc_bilinear
        seen = self.linear(head, bilinear[:-1].t(), bilinear[-1])  # [a; 1]^T W
        constant = seen[..., -1].unsqueeze(1)  # meets the dependent's 1
        return torch.baddbmm(constant, dependent, seen[..., :-1].transpose(1, 2))

    def score_deprels(self, head: Tensor, dependent: Tensor) -> Tensor:
        """Scores of deprels from the features p, q of fenceposts as heads and as
        dependents. *Shapes:* head (batch_size, n_heads, deprel_width), dependent
        (batch_size, n_fenceposts, deprel_width) to (batch_size, n_fenceposts, n_heads,
        n_deprels)."""
        seen, constant = self.seen_by_heads(head)
        return _PairProducts.apply(dependent, seen, constant)

    def seen_by_heads(self, head: Tensor) -> tuple[Tensor, Tensor]:
        """p^T U_r + v_r and u_r p + c_r for every deprel r. *Shapes:* (batch_size,
        n_heads, n_deprels, deprel_width) and (batch_size, n_heads, n_deprels)."""
        weight = self.deprel_bilinear.transpose(1, 2).flatten(0, 1)
        seen = self.linear(head, weight, self.deprel_from_dependent.flatten())
        constant = self.linear(head, self.deprel_from_head, self.deprel_bias)
        return seen.unflatten(-1, self.deprel_from_head.shape), constant


def build_span_scorer(
    config: SpanScorerConfig, layout: FencepostLayout, n_labels: int
) -> SpanScorer:
    """The scorer of `n_labels` labels, the empty label and the sub-head label among
    them."""
    config.check(layout, n_labels)
    label_heads = LabelHeadScorer(layout) if config.label_heads else None
    width = layout.read_width(config.from_tokens)
    return SpanScorer(
        width, config.hidden_width, n_labels, label_heads, config.separate_endpoints
    )


@singledispatch
def build_biaffine_scorer(
    config: BiaffineScorerConfig,
    layout: FencepostLayout,
    n_deprels: int,
    kind: type[BiaffineScorer] = BiaffineScorer,
) -> BiaffineScorer:
    """The scorer of `n_deprels` deprels."""
    width = config.input_width(layout)
    return kind(width, config.arc_width, config.deprel_width, n_deprels, config.dropout)
