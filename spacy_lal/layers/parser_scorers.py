"""The parser's scorers: labels of all spans of a sentence (Mrini et al. 2020,
Eq. 6); arcs and their labels (Dozat & Manning 2017; Mrini et al. 2020, Eq. 10).
Fenceposts are projected first, and differences are taken of the narrow projections:
there is no tensor of n^2 x width. A loss touches only the cells of two trees, and
training computes these a second time."""

from functools import singledispatch
from typing import Any, Optional

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, pad

from .basics import ElementDropout, StdNorm, std_norm
from .configs import (
    FIRST_LABEL,
    BiaffineScorerConfig,
    FencepostLayout,
    SpanScorerConfig,
)

_SPAN_FLOATS = 1 << 21  # activations computed at once: 8 MiB, about a core's cache


def _xavier(*shape: int) -> nn.Parameter:
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(shape)))


@torch.no_grad()
def _scale_inputs(layout: FencepostLayout, *weights: Tensor) -> None:
    """Give fresh weights that read whole fenceposts the scores that they have with
    fenceposts of scale 1. Adam moves every weight by about one learning rate, and moves
    of redundant label blocks add up. With the input scaled down and the weights up, a
    step has the same effect for any number of label heads."""
    for weight in weights:
        if weight.shape[1] == layout.width:
            weight[:, : layout.halves_width] /= layout.scale


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
        columns = torch.from_numpy(layout.block_columns(range(n_heads)))
        self.register_buffer("columns", columns.view(n_heads, -1), persistent=False)
        self.weight = _xavier(n_heads, layout.block_width)
        self.weight.data /= layout.scale

    def forward(self, fenceposts: Tensor) -> Tensor:
        """*Shapes:* (..., fencepost_width) to (..., n_label_heads)."""
        return (fenceposts[..., self.columns] * self.weight).sum(-1)


def _score_cells(
    start: Tensor,
    end: Tensor,
    ends: Tensor,
    starts: Tensor,
    own: Tensor,
    *parameters: Tensor,
) -> Tensor:
    """The scores of spans, whose start and end are rows of the flattened
    fenceposts."""
    of_ends = ends.flatten(0, 1).index_select(0, end)
    of_starts = starts.flatten(0, 1).index_select(0, start)
    own = own.flatten(0, 1)
    own_scores = own.index_select(0, end) - own.index_select(0, start)
    return _score_spans(of_ends - of_starts, own_scores, *parameters)


def _score_spans(spans: Tensor, own_scores: Tensor, *parameters: Tensor) -> Tensor:
    """The scores of spans from differences of projected fenceposts."""
    hidden_bias, gain, norm_bias, weight, bias = parameters
    units = std_norm(spans + hidden_bias, gain, norm_bias).relu()
    scores = linear(units, weight, bias)
    return scores + pad(own_scores, (scores.shape[-1] - own_scores.shape[-1], 0))


class _SpanChart(torch.autograd.Function):
    """The chart of a batch; backward recomputes only the cells with a gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        lengths: Tensor,
        ends: Tensor,
        starts: Tensor,
        own: Tensor,
        *parameters: Tensor,
    ) -> Tensor:
        batch_size, side, width = ends.shape
        *of_hidden, weight, bias = parameters
        # a first row of zeros scores the empty label, so that whole rows of the chart
        # can be written
        weight = pad(weight, (0, 0, 1, 0))
        bias = pad(bias, (1, 0))
        start, end = torch.triu_indices(side, side, 1, device=lengths.device)
        sentence, cell = (end <= lengths[:, None]).nonzero(as_tuple=True)
        start_rows = sentence * side + start[cell]
        end_rows = sentence * side + end[cell]
        places = start_rows * side + end[cell]
        chart = ends.new_zeros(batch_size * side * side, len(weight))
        size = max(1, _SPAN_FLOATS // max(width, len(weight)))
        cells = (start_rows, end_rows, places)
        for chunk in zip(*(rows.split(size) for rows in cells), strict=True):
            scores = _score_cells(
                *chunk[:2], ends, starts, own, *of_hidden, weight, bias
            )
            chart.index_copy_(0, chunk[2], scores)
        ctx.save_for_backward(lengths, ends, starts, own, *parameters)
        return chart.view(batch_size, side, side, -1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Optional[Tensor], ...]:
        lengths, *tensors = ctx.saved_tensors
        cells = grads[0].nonzero()
        sentence, start, end, label = cells.T
        is_scored = (label > 0) & (start < end) & (end <= lengths[sentence])
        sentence, start, end, label = cells[is_scored].T
        values = grads[0][sentence, start, end, label]
        first = sentence * grads[0].shape[1]
        leaves = [tensor.detach().requires_grad_() for tensor in tensors]
        with torch.enable_grad():
            scores = _score_cells(first + start, first + end, *leaves)
            chosen = scores.gather(1, label[:, None] - 1)
        gradients = torch.autograd.grad(chosen, leaves, values[:, None])
        return None, *gradients


class SpanScorer(nn.Module):
    """o(i, j) = W2 relu(norm(W1 s(i, j) + b1)) + b2, 0 for the empty label, where s(i,
    j) is f_j - f_i (the paper's Eq. 5) or, with separate endpoints, [f_j ; -f_i]. With
    `label_heads`, the score of the label's own head is added. n_labels (int): The
    empty label and the sub-head label included."""

    def __init__(
        self, config: SpanScorerConfig, layout: FencepostLayout, n_labels: int
    ) -> None:
        super().__init__()
        config.check(layout, n_labels)
        self.input_width = layout.read_width(config.from_tokens)
        self.n_projections = 2 if config.separate_endpoints else 1
        width = config.hidden_width
        self.hidden = nn.Linear(self.n_projections * self.input_width, width)
        self.norm = StdNorm(width)
        self.output = nn.Linear(width, n_labels - 1)
        # saved weights have this name
        self.ties = LabelHeadScorer(layout) if config.label_heads else None
        _scale_inputs(layout, *self.end_weights())

    def end_weights(self) -> tuple[Tensor, ...]:
        """The hidden layer's weights for a span's end and, if they differ, for its
        start. *Shapes:* (hidden_width, input_width)."""
        return self.hidden.weight.chunk(self.n_projections, dim=1)

    def forward(
        self, fenceposts: Tensor, lengths: Tensor
    ) -> tuple[Tensor, Optional[Tensor]]:
        """Score all spans, and the label heads on all fenceposts, if they have a score.
        *Shapes:* fenceposts (batch_size, n_fenceposts, width), lengths (batch_size,) to
        (batch_size, n_fenceposts, n_fenceposts, n_labels), (batch_size, n_fenceposts,
        n_heads)."""
        label_heads = None if self.ties is None else self.ties(fenceposts)
        read = fenceposts[..., -self.input_width :]
        projected = linear(read, torch.cat(self.end_weights()))
        projected = projected.to(self.output.weight.dtype)
        ends = projected.chunk(self.n_projections, dim=-1)
        own = projected[..., :0]  # nothing
        if label_heads is not None:
            n_own = self.output.out_features + 1 - FIRST_LABEL
            own = label_heads[..., :n_own].to(projected.dtype)
        parameters = (
            self.hidden.bias,
            *self.norm.parameters(),
            self.output.weight,
            self.output.bias,
        )
        if torch.onnx.is_in_onnx_export():  # the number of cells is no constant
            spans = ends[0].unsqueeze(1) - ends[-1].unsqueeze(2)
            own_scores = own.unsqueeze(1) - own.unsqueeze(2)
            scores = _score_spans(spans, own_scores, *parameters)
            return pad(scores, (1, 0)), label_heads
        # backward runs outside of autocast and must see the same values
        with torch.autocast(projected.device.type, enabled=False):
            chart = _SpanChart.apply(lengths, ends[0], ends[-1], own, *parameters)
        return chart, label_heads


class BiaffineScorer(nn.Module):
    """Biaffine scores between fenceposts: row k is word k, row 0 the root.

    arc(d, h) = [a_h; 1]^T W [b_d; 1] deprel(d, h, r) = p_h^T U_r q_d + u_r p_h + v_r
    q_d + c_r with a, b, p, q four small networks over the fenceposts. p is taken from
    the head's row, as in the paper's Eq. 11."""

    def __init__(
        self, config: BiaffineScorerConfig, layout: FencepostLayout, n_deprels: int
    ) -> None:
        super().__init__()
        width = layout.read_width(config.from_tokens)
        arc_width = config.arc_width
        deprel_width = config.deprel_width
        self.arc_head = nn.Linear(width, arc_width)
        self.arc_dependent = nn.Linear(width, arc_width)
        self.deprel_head = nn.Linear(width, deprel_width)
        self.deprel_dependent = nn.Linear(width, deprel_width)
        self.arc_bilinear = _xavier(arc_width + 1, arc_width + 1)
        self.deprel_bilinear = _xavier(n_deprels, deprel_width, deprel_width)
        self.deprel_from_head = _xavier(n_deprels, deprel_width)
        self.deprel_from_dependent = _xavier(n_deprels, deprel_width)
        self.deprel_bias = nn.Parameter(torch.zeros(n_deprels))
        self.dropout = ElementDropout(config.dropout)
        for layer in (
            self.arc_head,
            self.arc_dependent,
            self.deprel_head,
            self.deprel_dependent,
        ):
            _scale_inputs(layout, layer.weight)

    def forward(self, fenceposts: Tensor) -> tuple[Tensor, Tensor]:
        """Score arcs and deprels. *Shapes:* fenceposts (batch_size, n_fenceposts,
        width)."""
        read = fenceposts[..., -self.arc_head.in_features :]
        head = self._features(read, self.arc_head, self.deprel_head)
        dependent = self._features(read, self.arc_dependent, self.deprel_dependent)
        arcs = self.score_arcs(head[0], dependent[0])
        return arcs, self.score_deprels(head[1], dependent[1])

    def _features(
        self, fenceposts: Tensor, arc: nn.Linear, deprel: nn.Linear
    ) -> tuple[Tensor, ...]:
        """The arc and the deprel network of one role in one product; they share a
        dropout mask."""
        weight = torch.cat([arc.weight, deprel.weight])
        bias = torch.cat([arc.bias, deprel.bias])
        units = linear(self.dropout(fenceposts), weight, bias).relu()
        return self.dropout(units).tensor_split([arc.out_features], dim=-1)

    def score_arcs(self, head: Tensor, dependent: Tensor) -> Tensor:
        """Scores of arcs from the features a, b of fenceposts as heads and as
        dependents. *Shapes:* head, dependent (batch_size, n_fenceposts, arc_width) to
        (batch_size, n_fenceposts, n_fenceposts)."""
        bilinear = self.arc_bilinear
        seen = linear(head, bilinear[:-1].t(), bilinear[-1])  # [a; 1]^T W
        constant = seen[..., -1].unsqueeze(1)  # meets the dependent's 1
        return torch.baddbmm(constant, dependent, seen[..., :-1].transpose(1, 2))

    def score_deprels(self, head: Tensor, dependent: Tensor) -> Tensor:
        """Scores of deprels from the features p, q of fenceposts as heads and as
        dependents. *Shapes:* head (batch_size, n_heads, deprel_width), dependent
        (batch_size, n_fenceposts, deprel_width) to (batch_size, n_fenceposts, n_heads,
        n_deprels)."""
        seen, constant = self.seen_by_heads(head)
        scores = torch.baddbmm(
            constant.flatten(1).unsqueeze(1),
            dependent,
            seen.flatten(1, 2).transpose(1, 2),
        )
        return scores.unflatten(-1, constant.shape[1:])

    def seen_by_heads(self, head: Tensor) -> tuple[Tensor, Tensor]:
        """p^T U_r + v_r and u_r p + c_r for every deprel r. *Shapes:* (batch_size,
        n_heads, n_deprels, deprel_width) and (batch_size, n_heads, n_deprels)."""
        weight = self.deprel_bilinear.transpose(1, 2).flatten(0, 1)
        seen = linear(head, weight, self.deprel_from_dependent.flatten())
        constant = linear(head, self.deprel_from_head, self.deprel_bias)
        return seen.unflatten(-1, self.deprel_from_head.shape), constant


# The scorer of a config: of another kind for a config of another class.
build_biaffine_scorer = singledispatch(BiaffineScorer)
