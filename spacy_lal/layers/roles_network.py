"""The network of semantic roles: LISA (Strubell et al. 2018) with the departures of
docs/explanation/roles.md."""

import math
from typing import Any, NamedTuple, Optional, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu, pad

from ..scores import MISSING, RoleScores
from .basics import ElementDropout, MaskedSoftmax
from .pair_features import ParseArrays
from .role_scorers import (
    SLOPE,
    HeadScorer,
    PredicateScorer,
    RoleScorer,
    RolesetScorer,
    SpanRoleScorer,
)
from .roles_configs import (
    RolesEncoderConfig,
    RolesNetworkConfig,
    RolesSizes,
    SpanRoleScorerConfig,
)

NORM_EPSILON = 1e-6
LONGEST_PERIOD = 10_000.0  # of the timing signal
# The logit of a head that is given, and its negative: float32 makes the softmax exactly
# 1 and 0.
CLAMP = 1e9


def clamped_heads(heads: Tensor, unknown: Optional[Tensor] = None) -> Tensor:
    """Attention logits that put all weight on known heads. *Shapes:* heads (batch_size,
    seq_len), unknown (batch_size, seq_len, seq_len) to (batch_size, seq_len,
    seq_len)."""
    head = heads.unsqueeze(-1)
    is_head = head == torch.arange(heads.shape[1], device=heads.device)
    logits = torch.where(is_head, CLAMP, -CLAMP)
    others = 0.0 if unknown is None else unknown.detach().float()
    return torch.where(head >= 0, logits, others)


class SyntaxAttention(nn.Module):
    """Multi-head self-attention in which the logits of the last heads may be given, for
    instance by a parse; these heads have no queries and keys. Given values take the
    place of the first value heads."""

    def __init__(
        self,
        n_heads: int,
        head_width: int,
        dropout: float,
        n_given: int = 0,
        n_given_values: int = 0,
    ) -> None:
        super().__init__()
        self.head_width = head_width
        n_scored = n_heads - n_given
        self.n_kinds = [n_scored, n_scored, n_heads - n_given_values]  # q, k, v
        width = n_heads * head_width
        self.qkv = nn.Linear(width, sum(self.n_kinds) * head_width, bias=False)
        self.weights = MaskedSoftmax(dropout)
        self.output = nn.Linear(width, width, bias=False)
        for layer in (self.qkv, self.output):
            nn.init.xavier_uniform_(layer.weight)

    def forward(
        self,
        inputs: Tensor,
        padding: Tensor,
        given: Sequence[Tensor] = (),
        given_values: Sequence[Tensor] = (),
    ) -> Tensor:
        """Let every position attend to the positions of its sentence. *Shapes:* inputs
        (batch_size, seq_len, n_heads
        * head_width), padding (batch_size, seq_len), given (batch_size, seq_len,
        seq_len), given_values (batch_size, seq_len, head_width); as the input."""
        heads = self.qkv(inputs).unflatten(-1, (-1, self.head_width)).transpose(1, 2)
        query, key, value = heads.split(self.n_kinds, dim=1)
        logits = (query * self.head_width**-0.5) @ key.transpose(-1, -2)
        if given:
            logits = torch.cat([logits.float(), torch.stack([*given], 1)], dim=1)
        if given_values:
            value = torch.cat([torch.stack([*given_values], 1), value], dim=1)
        weights = self.weights(logits, padding[:, None, None, :])
        context = weights.to(value.dtype) @ value
        return self.output(context.transpose(1, 2).flatten(2))


def timing_signal(seq_len: int, width: int) -> Tensor:
    """Fixed positions (Vaswani et al. 2017, 3.5; as tensor2tensor orders them): all
    sines, then all cosines, then a zero column where the width, at least 4, is odd.
    *Shape:* (seq_len, width), float32."""
    n_rates = width // 2
    exponent = -math.log10(LONGEST_PERIOD)
    rates = torch.logspace(0, exponent, n_rates, dtype=torch.float64)
    angles = torch.arange(seq_len, dtype=torch.float64).outer(rates)
    signal = torch.cat([angles.sin(), angles.cos()], dim=1)
    return pad(signal, (0, width % 2)).float()


def layer_norm(width: int) -> nn.LayerNorm:
    """The layer norm of this network. width (int): Size of the last axis."""
    return nn.LayerNorm(width, eps=NORM_EPSILON)


class RolesInput(nn.Module):
    """Maps vectors to the width of the layers: dropout, an affine map, leaky ReLU, and
    the timing signal."""

    def __init__(self, config: RolesEncoderConfig, vector_width: int) -> None:
        super().__init__()
        self.dropout = ElementDropout(config.dropout)
        self.projection = nn.Linear(vector_width, config.hidden_width)
        self.timing = config.timing
        nn.init.xavier_uniform_(self.projection.weight)
        nn.init.zeros_(self.projection.bias)

    def forward(self, vectors: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, vector_width) to (batch_size, seq_len,
        hidden_width)."""
        projected = leaky_relu(self.projection(self.dropout(vectors)), SLOPE)
        if not self.timing:
            return projected
        return projected + timing_signal(*projected.shape[1:]).to(projected.device)


class RolesFeedForward(nn.Module):
    """Three maps without bias; leaky ReLU and dropout follow the first two."""

    def __init__(self, width: int, hidden_width: int, dropout: float) -> None:
        super().__init__()
        widths = [width, hidden_width, hidden_width, width]
        self.maps = nn.ModuleList()
        self.dropout = ElementDropout(dropout)
        for sizes in zip(widths, widths[1:], strict=False):
            linear = nn.Linear(*sizes, bias=False)
            nn.init.xavier_uniform_(linear.weight)
            self.maps.append(linear)

    def forward(self, inputs: Tensor) -> Tensor:
        """*Shapes:* (..., width) to the same."""
        hidden = inputs
        for linear in self.maps[:-1]:
            hidden = self.dropout(leaky_relu(linear(hidden), SLOPE))
        return self.maps[-1](hidden)


class RolesLayer(nn.Module):
    """Attention and a feed-forward network. Each adds its output to its **normalised**
    input (docs/explanation/roles.md)."""

    def __init__(self, config: RolesEncoderConfig, *n_given: int) -> None:
        super().__init__()
        width = config.hidden_width
        self.attention_norm = layer_norm(width)
        self.ff_norm = layer_norm(width)
        self.attention = SyntaxAttention(
            config.n_heads, config.head_width, config.dropout / 2, *n_given
        )
        self.feed_forward = RolesFeedForward(width, config.ff_width, config.dropout / 2)
        self.dropout = ElementDropout(config.dropout)

    def forward(
        self, inputs: Tensor, padding: Tensor, *given: Sequence[Tensor]
    ) -> Tensor:
        """See `SyntaxAttention.forward`."""
        normed = self.attention_norm(inputs)
        attended = normed + self.dropout(self.attention(normed, padding, *given))
        normed = self.ff_norm(attended)
        return normed + self.dropout(self.feed_forward(normed))


class RolesInputs(NamedTuple):
    """A padded batch of sentences; see `models.batches.RolesBatch`. *Shapes:* lengths,
    at least 1, (batch_size,); vectors (batch_size, seq_len, vector_width); heads,
    deprel_heads and predicates, int64, (batch_size, seq_len). predicates: 1 or 0, or -1
    where the network decides."""

    lengths: Tensor
    vectors: Tensor
    heads: Optional[Tensor] = None
    deprel_heads: Optional[Tensor] = None
    predicates: Any = MISSING  # of all words, or a tensor
    threshold: Any = 0.5  # a number, or a tensor of one
    parses: Optional[Sequence[ParseArrays]] = None


class RolesNetwork(nn.Module):
    """Predicates, their roles and rolesets. A sentence gets the same scores in any
    batch."""

    input_type = RolesInputs
    depends_on_batch = False

    def __init__(self, config: RolesNetworkConfig, sizes: RolesSizes) -> None:
        super().__init__()
        config.check(sizes)
        self.config = config
        self.sizes = sizes
        width = config.encoder.hidden_width
        self.inputs = RolesInput(config.encoder, sizes.vector_width)
        n_layers = config.encoder.n_layers
        syntax = config.syntax
        task_layers = {config.predicate_scorer.layer, n_layers - 1}
        self.attention_layer = -1
        if syntax.heads != "none":
            self.attention_layer = syntax.attention_layer
            task_layers.add(syntax.parse_layer)
        self.layers = nn.ModuleList(
            RolesLayer(config.encoder, int(i == self.attention_layer))
            for i in range(n_layers)
        )
        self.predicate_scorer = PredicateScorer(
            config.predicate_scorer, width, sizes.n_predicate_labels
        )
        if isinstance(config.role_scorer, SpanRoleScorerConfig):
            n_roles = (sizes.n_tags - 1) // 2  # the tags are O, then two for each role
            self.role_scorer: nn.Module = SpanRoleScorer(
                config.role_scorer, sizes.vector_width, width, n_roles
            )
        else:
            self.role_scorer = RoleScorer(config.role_scorer, width, sizes.n_tags)
        self.head_scorer = self.roleset_scorer = None
        if syntax.heads != "none" and sizes.n_deprels:
            self.head_scorer = HeadScorer(syntax, width, sizes.n_deprels)
        if config.roleset_scorer is not None and sizes.n_rolesets:
            predicate_width = config.role_scorer.predicate_width
            self.roleset_scorer = RolesetScorer(
                config.roleset_scorer, predicate_width, sizes.n_rolesets
            )
        self.task_norms = nn.ModuleDict(
            {str(i): layer_norm(width) for i in sorted(task_layers)}
        )

    def forward(self, inputs: RolesInputs) -> RoleScores:
        """Score a batch.

        RETURNS (RoleScores): Of tensors, padded; tags, spans and ranges as in
            `ScoredRoles`. Its rows are sentence and word of each predicate, ascending,
            *shape:* (F, 2)."""
        places = torch.arange(inputs.vectors.shape[1], device=inputs.lengths.device)
        padding = places >= inputs.lengths[:, None]
        positions = self.inputs(inputs.vectors)
        predicates = positions[..., :0]
        heads: Any = ()
        arcs = deprels = rolesets = None
        for i, layer in enumerate(self.layers):
            is_syntactic = i == self.attention_layer
            given = [self.given_heads(inputs, arcs)] if is_syntactic else []
            positions = layer(positions, padding, given)
            if str(i) in self.task_norms:
                positions = self.task_norms[str(i)](positions)
            if i == self.config.predicate_scorer.layer:
                predicates = self.predicate_scorer(positions)
            if self.head_scorer is not None and i == self.config.syntax.parse_layer:
                arcs, *heads = self.head_scorer(positions)
        chosen = self.predicate_probabilities(predicates) >= inputs.threshold
        flags = inputs.predicates
        chosen = (flags > 0) | (chosen & (flags < 0))
        rows = (chosen & ~padding).nonzero()
        if isinstance(self.role_scorer, SpanRoleScorer):
            roles = self.role_scorer(inputs.vectors, positions, rows, inputs.parses)
        else:
            roles = self.role_scorer(positions, rows)
        if self.head_scorer is not None and inputs.deprel_heads is not None:
            deprels = self.head_scorer.score_deprels(  # type: ignore[call-arg]
                *heads, inputs.deprel_heads
            )
        if self.roleset_scorer is not None:
            rolesets = self.roleset_scorer(roles.predicates)
        scores: Any = (predicates, rows, roles.tags, rolesets, arcs, deprels)
        return RoleScores(*scores, roles.spans, roles.ranges)  # type: ignore[call-arg]

    def given_heads(self, inputs: RolesInputs, arcs: Optional[Tensor]) -> Tensor:
        """Logits of the syntax head: known heads get all weight; other words have the
        scores of their own arcs with `heads = "own"`, and equal weights with "doc".
        *Shape:* (batch_size, seq_len, seq_len)."""
        heads = inputs.heads
        if heads is None:
            heads = torch.full_like(inputs.vectors[..., 0], -1, dtype=torch.int64)
        is_own = self.config.syntax.heads == "own"
        return clamped_heads(heads, arcs if is_own else None)

    def predicate_probabilities(self, scores: Tensor) -> Tensor:
        """*Shapes:* (..., n_predicate_labels) to (...)."""
        return scores.float().softmax(-1)[..., self.sizes.n_other_labels :].sum(-1)
