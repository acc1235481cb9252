"""Scores of arcs and of their labels (Dozat & Manning 2017; Mrini et al. 2020, Eq. 9-11; reference-parser.md 1.12)."""

from typing import Any, Tuple

import torch
from torch import Tensor, nn

from .basics import ElementDropout

_CHUNK_FLOATS = 1 << 18  # floats added at once: 1 MiB, which fits a core's cache


class _PairProducts(torch.autograd.Function):
    """out[:, d, h, r] = left[:, d] . right[:, h, r] + constant[:, h, r].

    The gradient of the much larger `right` is in its own memory layout; autograd computes its transpose and copies it.
    The gradient of `out` may be a sparse tensor with an index for batch, d and h: a loss has a gradient for one h of
    each d.
    """

    @staticmethod
    def forward(ctx: Any, left: Tensor, right: Tensor, constant: Tensor) -> Tensor:
        ctx.save_for_backward(left, right)
        scores = torch.baddbmm(constant.flatten(1).unsqueeze(1), left, right.flatten(1, 2).transpose(1, 2))
        return scores.unflatten(-1, constant.shape[1:])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        left, right = ctx.saved_tensors
        if grads[0].is_sparse:
            return _d_pairs(grads[0], left, right)
        grad = grads[0].flatten(2).contiguous()
        d_right = torch.bmm(grad.transpose(1, 2), left).view_as(right)
        return grad @ right.flatten(1, 2), d_right, grad.sum(1).view(right.shape[:3])


def _d_pairs(grad: Tensor, left: Tensor, right: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """The gradients of `_PairProducts`, from gradients of single pairs."""
    (sentence, d, h), values = grad._indices(), grad._values()
    of_left, of_right = sentence * left.shape[1] + d, sentence * right.shape[1] + h
    d_left, d_right, d_constant = (values.new_zeros(shape) for shape in (left.shape, right.shape, right.shape[:3]))
    rows = left.flatten(0, 1), right.flatten(0, 1)
    size = max(1, _CHUNK_FLOATS // rows[1][0].numel())
    for row, place, value in zip(of_left.split(size), of_right.split(size), values.split(size), strict=True):
        seen = rows[1].index_select(0, place)
        d_left.flatten(0, 1).index_add_(0, row, (value.unsqueeze(1) @ seen).squeeze(1))
        outer = torch.mul(value.unsqueeze(2), rows[0].index_select(0, row).unsqueeze(1), out=seen)
        d_right.flatten(0, 1).index_add_(0, place, outer)
    d_constant.flatten(0, 1).index_add_(0, of_right, values)
    return d_left, d_right, d_constant


class BiaffineScorer(nn.Module):
    """Biaffine scores between fenceposts: row k is word k, row 0 the root.

    arc(d, h) = [a_h; 1]^T W [b_d; 1]
    deprel(d, h, r) = p_h^T U_r q_d + u_r p_h + v_r q_d + c_r
    with a, b, p, q four small networks over the fenceposts. p is taken from the head's row, as in the paper's Eq. 11.
    """

    given_head = True  # whether a deprel is scored for each possible head

    def __init__(self, input_width: int, arc_width: int, deprel_width: int, n_deprels: int, dropout: float) -> None:
        super().__init__()
        self.arc_head = nn.Linear(input_width, arc_width)
        self.arc_dependent = nn.Linear(input_width, arc_width)
        self.deprel_head = nn.Linear(input_width, deprel_width)
        self.deprel_dependent = nn.Linear(input_width, deprel_width)
        self.arc_bilinear = nn.Parameter(nn.init.xavier_uniform_(torch.empty(arc_width + 1, arc_width + 1)))
        shapes = ((n_deprels, deprel_width, deprel_width), (n_deprels, deprel_width), (n_deprels, deprel_width))
        bilinear, from_head, from_dependent = (nn.init.xavier_uniform_(torch.empty(shape)) for shape in shapes)
        self.deprel_bilinear = nn.Parameter(bilinear)
        self.deprel_from_head = nn.Parameter(from_head)
        self.deprel_from_dependent = nn.Parameter(from_dependent)
        self.deprel_bias = nn.Parameter(torch.zeros(n_deprels))
        self.dropout = ElementDropout(dropout)
        self.linear: Any = nn.functional.linear  # a training may replace it by a faster product

    @property
    def input_layers(self) -> Tuple[nn.Linear, ...]:
        """The layers that read fenceposts."""
        return self.arc_head, self.arc_dependent, self.deprel_head, self.deprel_dependent

    def forward(self, fenceposts: Tensor) -> Tuple[Tensor, Tensor]:
        """Score arcs and deprels. *Shapes:* fenceposts (batch_size, n_fenceposts, input_width)."""
        arc_head, deprel_head = self._features(fenceposts, self.arc_head, self.deprel_head)
        arc_dependent, deprel_dependent = self._features(fenceposts, self.arc_dependent, self.deprel_dependent)
        return self.score_arcs(arc_head, arc_dependent), self.score_deprels(deprel_head, deprel_dependent)

    def _features(self, fenceposts: Tensor, arc: nn.Linear, deprel: nn.Linear) -> Tuple[Tensor, Tensor]:
        """The arc and the deprel network of one role in one product; they share a dropout mask."""
        weight, bias = torch.cat([arc.weight, deprel.weight]), torch.cat([arc.bias, deprel.bias])
        features = self.dropout(self.linear(self.dropout(fenceposts), weight, bias).relu())
        arcs, deprels = features.split([arc.out_features, deprel.out_features], dim=-1)
        return arcs, deprels

    def score_arcs(self, head: Tensor, dependent: Tensor) -> Tensor:
        """Scores of arcs from the features a, b of fenceposts as heads and as dependents. *Shapes:* head, dependent
        (batch_size, n_fenceposts, arc_width) to (batch_size, n_fenceposts, n_fenceposts)."""
        bilinear = self.arc_bilinear
        # [a; 1]^T W, whose last column meets the dependent's constant 1
        seen = self.linear(head, bilinear[:-1].t(), bilinear[-1])
        return torch.baddbmm(seen[..., -1].unsqueeze(1), dependent, seen[..., :-1].transpose(1, 2))

    def score_deprels(self, head: Tensor, dependent: Tensor) -> Tensor:
        """Scores of deprels from the features p, q of fenceposts as heads and as dependents. *Shapes:* head
        (batch_size, n_heads, deprel_width), dependent (batch_size, n_fenceposts, deprel_width) to (batch_size,
        n_fenceposts, n_heads, n_deprels)."""
        seen, constant = self.seen_by_heads(head)
        return _PairProducts.apply(dependent, seen, constant)

    def seen_by_heads(self, head: Tensor) -> Tuple[Tensor, Tensor]:
        """p^T U_r + v_r and u_r p + c_r for every deprel r. *Shapes:* (batch_size, n_heads, n_deprels, deprel_width)
        and (batch_size, n_heads, n_deprels)."""
        weight = self.deprel_bilinear.transpose(1, 2).flatten(0, 1)
        seen = self.linear(head, weight, self.deprel_from_dependent.flatten())
        constant = self.linear(head, self.deprel_from_head, self.deprel_bias)
        return seen.unflatten(-1, self.deprel_from_head.shape), constant
