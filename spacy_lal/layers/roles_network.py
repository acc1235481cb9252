"""The network of semantic roles: vectors -> layers with tasks -> predicates, arcs, role tags, rolesets.

LISA (Strubell et al. 2018) with the departures of reference-srl.md 8. *Not* here: documents, transformers (their
vectors come in), decoding (scores go out).
"""

from typing import List, NamedTuple, Optional, Sequence, Set

import torch
from numpy import ndarray
from torch import Tensor, nn

from .pair_features import SentenceParse
from .role_scorers import HeadScores
from .roles_configs import RolesNetworkConfig, RolesSizes, SpanRoleScorerConfig
from .roles_encoder import clamped_heads, layer_norm


class RolesInputs(NamedTuple):
    """A padded batch of sentences.

    lengths (Tensor): Words of each sentence, at least 1. *Shape:* (batch_size,).
    vectors (Tensor): *Shape:* (batch_size, seq_len, vector_width).
    heads (Optional[Tensor]): Heads for the syntax head, from 0; a root is its own head, -1 is unknown. None: all are
        unknown. *Shape:* (batch_size, seq_len), int64.
    deprel_heads (Optional[Tensor]): Heads for which deprels are scored, in the same form. None: no deprels are scored.
    predicates (Optional[Tensor]): Which words are predicates. None: the network's own. *Shape:* (batch_size, seq_len).
    threshold (float): The network's own predicates have at least this probability.
    parses (Optional[Sequence[SentenceParse]]): The parse of each sentence, for a scorer of ranges.
    """

    lengths: Tensor
    vectors: Tensor
    heads: Optional[Tensor] = None
    deprel_heads: Optional[Tensor] = None
    predicates: Optional[Tensor] = None
    threshold: float = 0.5
    parses: Optional[Sequence[SentenceParse]] = None


class RolesOutput(NamedTuple):
    """Scores of a batch; what lies beyond a sentence's end is meaningless.

    predicates (Tensor): *Shape:* (batch_size, seq_len, n_predicate_labels).
    rows (Tensor): Sentence and word of each predicate, ascending. *Shape:* (F, 2), int64.
    tags (Optional[Tensor]): None where ranges are scored. *Shape:* (F, seq_len, n_tags).
    rolesets (Optional[Tensor]): *Shape:* (F, n_rolesets).
    arcs (Optional[Tensor]): [dependent, head]; a root is its own head. *Shape:* (batch_size, seq_len, seq_len).
    deprels (Optional[Tensor]): *Shape:* (batch_size, seq_len, n_deprels).
    spans (Optional[Tensor]): See `ScoredSpans`. None where tags are scored.
    ranges (Optional[List[ndarray]]): The ranges that are scored, of each sentence.
    """

    predicates: Tensor
    rows: Tensor
    tags: Optional[Tensor]
    rolesets: Optional[Tensor] = None
    arcs: Optional[Tensor] = None
    deprels: Optional[Tensor] = None
    spans: Optional[Tensor] = None
    ranges: Optional[List[ndarray]] = None


class RolesNetwork(nn.Module):
    """Predicates, their roles and rolesets. A sentence gets the same scores in any batch.

    config (RolesNetworkConfig): Its parts.
    sizes (RolesSizes): Sizes that come from data.
    RAISES (ValueError): The syntax head needs arcs of its own, and `n_deprels` is 0.
    """

    def __init__(self, config: RolesNetworkConfig, sizes: RolesSizes) -> None:
        super().__init__()
        config.check(sizes)
        self.config, self.sizes = config, sizes
        width = config.encoder.hidden_width
        self.inputs = config.encoder.build_input(sizes.vector_width)
        self.syntax = config.syntax if config.heads != "none" else None
        self.layers = nn.ModuleList(
            config.encoder.build_layer(n_given=int(self.syntax is not None and i == self.syntax.attention_layer))
            for i in range(config.encoder.n_layers)
        )
        self.predicate_scorer = config.predicate_scorer.build(width, sizes.n_predicate_labels)
        if isinstance(config.role_scorer, SpanRoleScorerConfig):
            self.role_scorer: nn.Module = config.role_scorer.build(sizes.vector_width, width, sizes.n_tags)
        else:
            self.role_scorer = config.role_scorer.build(width, sizes.n_tags)
        self.head_scorer = self.roleset_scorer = None
        if self.syntax is not None and sizes.n_deprels:
            self.head_scorer = self.syntax.build(width, sizes.n_deprels)
        if config.roleset_scorer is not None and sizes.n_rolesets:
            self.roleset_scorer = config.roleset_scorer.build(config.role_scorer.predicate_width, sizes.n_rolesets)
        self.task_norms = nn.ModuleDict({str(i): layer_norm(width) for i in sorted(self._task_layers())})

    def _task_layers(self) -> Set[int]:
        layers = {self.config.predicate_scorer.layer, self.config.encoder.n_layers - 1}
        return layers | ({self.syntax.parse_layer} if self.syntax is not None else set())

    def forward(self, inputs: RolesInputs) -> RolesOutput:
        """Score a batch.

        inputs (RolesInputs): The batch.
        RETURNS (RolesOutput): The scores.
        """
        seq_len = inputs.vectors.shape[1]
        padding = torch.arange(seq_len, device=inputs.lengths.device) >= inputs.lengths[:, None]
        positions = self.inputs(inputs.vectors)
        predicates = heads = None
        for i, layer in enumerate(self.layers):
            follows = self.syntax is not None and i == self.syntax.attention_layer
            positions = layer(positions, padding, [self.given_heads(inputs, heads)] if follows else ())
            if str(i) in self.task_norms:
                positions = self.task_norms[str(i)](positions)
            if i == self.config.predicate_scorer.layer:
                predicates = self.predicate_scorer(positions)
            if self.head_scorer is not None and self.syntax is not None and i == self.syntax.parse_layer:
                heads = self.head_scorer(positions, padding)
        if predicates is None:
            raise ValueError("the network has no layer for its predicate scorer")
        rows = self.choose_predicates(predicates, padding, inputs)
        if self.config.with_spans:
            if inputs.parses is None:
                raise ValueError("a scorer of ranges needs the parse of each sentence, got None")
            roles = self.role_scorer(inputs.vectors, positions, rows, inputs.parses)
        else:
            roles = self.role_scorer(positions, rows)
        deprels = None
        if self.head_scorer is not None and heads is not None and inputs.deprel_heads is not None:
            deprels = self.head_scorer.score_deprels(heads.dependents, heads.heads, inputs.deprel_heads)
        return RolesOutput(
            predicates=predicates,
            rows=rows,
            tags=getattr(roles, "tags", None),
            rolesets=None if self.roleset_scorer is None else self.roleset_scorer(roles.predicates),
            arcs=None if heads is None else heads.arcs,
            deprels=deprels,
            spans=getattr(roles, "spans", None),
            ranges=getattr(roles, "ranges", None),
        )

    def given_heads(self, inputs: RolesInputs, scores: Optional[HeadScores]) -> Tensor:
        """Logits of the syntax head: known heads get all weight; other words have the scores of their own arcs with
        `heads = "own"`, and equal weights with "doc". *Shape:* (batch_size, seq_len, seq_len)."""
        heads = inputs.heads
        if heads is None:
            heads = torch.full(inputs.vectors.shape[:2], -1, device=inputs.vectors.device)
        own = self.syntax is not None and self.syntax.heads == "own" and scores is not None
        return clamped_heads(heads, scores.arcs if own and scores is not None else None)

    def predicate_probabilities(self, scores: Tensor) -> Tensor:
        """*Shapes:* (..., n_predicate_labels) to (...)."""
        return scores.float().softmax(-1)[..., self.sizes.n_other_labels :].sum(-1)

    def choose_predicates(self, scores: Tensor, padding: Tensor, inputs: RolesInputs) -> Tensor:
        """Sentence and word of each predicate. *Shape:* (F, 2)."""
        chosen = inputs.predicates
        if chosen is None:
            chosen = self.predicate_probabilities(scores) >= inputs.threshold
        return (chosen & ~padding).nonzero()
