"""Scorers of the semantic-role network (Strubell et al. 2018;
docs/explanation/roles.md): predicates, role tags, roles of ranges, rolesets, and the
arcs and deprels that its syntax head needs."""

from typing import NamedTuple, Optional, Sequence

import numpy as np
import torch
from numpy import ndarray
from torch import Tensor, nn
from torch.nn.functional import gelu, leaky_relu, pad

from . import roles_configs as configs
from .basics import ElementDropout, FeatureDropout
from .pair_features import ParseArrays, find_candidates

SLOPE = 0.1  # of the leaky ReLU below zero
FEATURE_WIDTH = 64  # of a row of the table of features
PRODUCT_WIDTH = 64  # of the product of predicate and candidate head
N_PLACES = 6  # the predicate; head, first, last, previous and next word of a candidate


def _orthogonal(n_inputs: int, n_outputs: int) -> nn.Linear:
    layer = nn.Linear(n_inputs, n_outputs)
    nn.init.orthogonal_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class HeadScores(NamedTuple):
    """Scores of arcs [dependent, head], (batch_size, seq_len, seq_len), where a root is
    its own head; and what deprels are scored from, (batch_size, seq_len,
    deprel_width)."""

    arcs: Tensor
    dependents: Tensor
    heads: Tensor


class HeadScorer(nn.Module):
    """Biaffine scorer of heads, and of deprels given a head."""

    n_constants = 1  # on each side of a deprel; the reference has two

    def __init__(
        self, config: configs.SyntaxConfig, hidden_width: int, n_deprels: int
    ) -> None:
        super().__init__()
        arc_width = config.arc_width
        self.widths = [arc_width, config.deprel_width] * 2  # of dependents, of heads
        self.projection = _orthogonal(hidden_width, sum(self.widths))
        self.arc_bilinear = nn.Parameter(torch.zeros(arc_width + 1, arc_width))
        side = config.deprel_width + self.n_constants
        self.deprel_bilinear = nn.Parameter(torch.zeros(side, n_deprels, side))
        self.dropout = FeatureDropout(config.dropout)

    def forward(self, positions: Tensor) -> HeadScores:
        """Score arcs. *Shape:* positions (batch_size, seq_len, hidden_width)."""
        features = leaky_relu(self.projection(self.dropout(positions)), SLOPE)
        dep_arc, dep_deprel, head_arc, head_deprel = features.split(self.widths, -1)
        seen = pad(self.dropout(dep_arc), (0, 1), value=1.0) @ self.arc_bilinear
        arcs = seen @ self.dropout(head_arc).transpose(1, 2)
        return HeadScores(arcs, dep_deprel, head_deprel)

    def score_deprels(
        self, dependents: Tensor, heads: Tensor, head_of: Tensor
    ) -> Tensor:
        """Score deprels given heads. *Shapes:* dependents, heads (batch_size, seq_len,
        deprel_width), head_of (batch_size, seq_len), int64 to (batch_size, seq_len,
        n_deprels)."""
        ones = (0, self.n_constants)
        dependent = pad(self.dropout(dependents), ones, value=1.0)
        head = pad(self.dropout(heads), ones, value=1.0)
        head = head.take_along_dim(head_of.clamp(min=0).unsqueeze(-1), 1)
        operands = (dependent, self.deprel_bilinear, head)
        return torch.einsum("bti,inj,btj->btn", *operands)


class PredicateScorer(nn.Module):
    """A hidden layer with leaky ReLU, and linear scores."""

    def __init__(
        self, config: configs.PredicateScorerConfig, hidden_width: int, n_labels: int
    ) -> None:
        super().__init__()
        self.hidden = _orthogonal(hidden_width, config.hidden_width)
        self.output = _orthogonal(config.hidden_width, n_labels)
        self.dropout = FeatureDropout(config.dropout)

    def forward(self, positions: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to (batch_size, seq_len,
        n_labels)."""
        hidden = leaky_relu(self.hidden(self.dropout(positions)), SLOPE)
        return self.output(self.dropout(hidden))


class ScoredRoles(NamedTuple):
    """The scores of roles for F predicates of a batch: of tags, or of ranges.
    predicates, tags: *Shapes:* (F, predicate_width), (F, seq_len, n_tags). spans: As in
    `scores.RoleScores`, sentence by sentence. *Shape:* (n_pairs, 1 + n_roles). ranges:
    The candidates of each sentence. *Shapes:* (n_candidates, 2), int64."""

    predicates: Tensor
    tags: Optional[Tensor] = None
    spans: Optional[Tensor] = None
    ranges: Optional[list[ndarray]] = None


class RoleScorer(nn.Module):
    """A bilinear scorer: `[predicate, 1] @ U_tag @ [token, 1]`."""

    n_constants = 1  # the reference has two on each side, one of them redundant

    def __init__(
        self, config: configs.RoleScorerConfig, hidden_width: int, n_tags: int
    ) -> None:
        super().__init__()
        self.widths = [config.predicate_width, config.role_width]
        self.projection = _orthogonal(hidden_width, sum(self.widths))
        sides = [width + self.n_constants for width in self.widths]
        self.bilinear = nn.Parameter(torch.zeros(sides[0], n_tags, sides[1]))
        self.dropout = FeatureDropout(config.dropout)

    def forward(self, positions: Tensor, rows: Tensor) -> ScoredRoles:
        """Score the tags of every token of a predicate's sentence. *Shapes:* positions
        (batch_size, seq_len, hidden_width), rows (F, 2), int64."""
        features = leaky_relu(self.projection(self.dropout(positions)), SLOPE)
        predicates, tokens = features.split(self.widths, dim=-1)
        sentence, word = rows.unbind(1)
        predicate = self.dropout(predicates[sentence, word].unsqueeze(1)).squeeze(1)
        ones = (0, self.n_constants)
        token = pad(self.dropout(tokens[sentence]), ones, value=1.0)
        with_one = pad(predicate, ones, value=1.0)
        seen = (with_one @ self.bilinear.flatten(1)).unflatten(
            1, self.bilinear.shape[1:]
        )
        return ScoredRoles(predicate, token @ seen.transpose(1, 2))


class RolesetScorer(nn.Module):
    """Scores of rolesets (senses) from the vectors of predicates, an affine map. LISA
    predicts none."""

    def __init__(
        self, config: configs.RolesetScorerConfig, predicate_width: int, n_rolesets: int
    ) -> None:
        super().__init__()
        self.dropout = ElementDropout(config.dropout)
        self.output = nn.Linear(predicate_width, n_rolesets)
        nn.init.zeros_(self.output.bias)

    def forward(self, predicates: Tensor) -> Tensor:
        """*Shapes:* (n_predicates, predicate_width) to (n_predicates, n_rolesets)."""
        return self.output(self.dropout(predicates))


class SpanRoleScorer(nn.Module):
    """Scores of roles for pairs of a predicate and a candidate range of a parse, as in
    Ouchi et al. (2018): from the vectors of the predicate and of the words at the
    candidate's ends and head, and features of the parse."""

    def __init__(
        self,
        config: configs.SpanRoleScorerConfig,
        vector_width: int,
        hidden_width: int,
        n_roles: int,
    ) -> None:
        super().__init__()
        self.config = config
        self.n_roles = n_roles
        width = config.hidden_width
        self.vectors = nn.Linear(vector_width, config.vectors_width)
        hidden_width += config.vectors_width
        self.predicate = nn.Linear(hidden_width, config.predicate_width)
        self.places = nn.Linear(hidden_width, N_PLACES * width)
        self.table = nn.EmbeddingBag(config.n_rows, FEATURE_WIDTH, mode="sum")
        self.features = nn.Linear(FEATURE_WIDTH, width)
        self.product = nn.Linear(hidden_width, 2 * PRODUCT_WIDTH)
        self.of_product = nn.Linear(PRODUCT_WIDTH, width)
        self.hidden = nn.Linear(width, width)
        self.output = nn.Linear(width, 1 + n_roles)
        self.dropout = ElementDropout(config.dropout)
        self.feature_dropout = ElementDropout(config.feature_dropout)
        nn.init.normal_(self.table.weight, std=0.05)

    def forward(
        self,
        vectors: Tensor,
        positions: Tensor,
        rows: Tensor,
        parses: Sequence[ParseArrays],
    ) -> ScoredRoles:
        """Score all candidates of every predicate's sentence. *Shapes:* vectors
        (batch_size, seq_len, vector_width), positions (batch_size, seq_len,
        hidden_width), rows (F, 2), int64."""
        ranges, n_cells, *arrays = _collect(
            parses, rows.cpu().numpy(), self.config.n_rows
        )
        index, features, cells = (
            torch.from_numpy(array).to(positions.device) for array in arrays
        )
        mapped = gelu(self.vectors(self.dropout(vectors)))
        words = self.dropout(torch.cat([mapped, positions], dim=-1))
        places = self._places(words, [parse.n_words for parse in parses])
        spans = positions.new_full((n_cells, 1 + self.n_roles), -torch.inf)
        spans[:, 0] = 0.0
        scores = self._score(words, places, index, features)
        # half precision, where autocast is on
        spans = spans.index_copy(0, cells, scores.to(spans.dtype))
        predicates = gelu(self.predicate(words[rows[:, 0], rows[:, 1]]))
        return ScoredRoles(predicates, None, spans, ranges)

    def _places(self, words: Tensor, lengths: Sequence[int]) -> Tensor:
        """Words in each place of a candidate, with zeros before and after each
        sentence: positions beyond its end depend on the batch. *Shape:* (batch_size,
        seq_len + 2, N_PLACES, hidden_width)."""
        ends = torch.tensor(lengths, device=words.device)[:, None]
        is_word = torch.arange(words.shape[1], device=words.device) < ends
        places = self.places(words) * is_word.unsqueeze(-1)
        return pad(places, (0, 0, 1, 1)).unflatten(-1, (N_PLACES, -1))

    def _score(
        self, words: Tensor, places: Tensor, index: Tensor, features: Tensor
    ) -> Tensor:
        """The scores of pairs. *Shape:* (n_pairs, 1 + n_roles). *Shapes:* index
        (n_pairs, 5), features (n_pairs, N_FEATURES)."""
        sentence, predicate, start, end, head = index.unbind(1)
        at = (predicate, head, start, end - 1, start - 1, end)
        hidden = sum(places[sentence, word + 1, k] for k, word in enumerate(at))
        ones = torch.ones(features.shape, device=features.device)
        kept = self.feature_dropout(ones)
        hidden = hidden + self.features(self.table(features, per_sample_weights=kept))
        of_predicates, of_heads = self.product(words).chunk(2, dim=-1)
        product = of_predicates[sentence, predicate] * of_heads[sentence, head]
        hidden = gelu(hidden + self.of_product(product))
        hidden = self.dropout(hidden)
        hidden = hidden + gelu(self.hidden(hidden))
        return self.output(self.dropout(hidden))


def _collect(
    parses: Sequence[ParseArrays], rows: ndarray, n_rows: int
) -> tuple[list[ndarray], int, ndarray, ndarray, ndarray]:
    """The candidates of each sentence; the number of all pairs of a predicate and a
    candidate; and of those that are scored: sentence, predicate, start, end, head,
    (n_pairs, 5); features, (n_pairs, N_FEATURES); their places among all."""
    ranges = []
    words = []
    features = []
    cells = []
    n_cells = 0
    for sentence, parse in enumerate(parses):
        predicates = rows[rows[:, 0] == sentence, 1]
        candidates = find_candidates(parse, predicates, n_rows)
        f, c = candidates.pairs.T
        of_pairs = (predicates[f], *candidates.ranges[c].T, candidates.heads[c])
        words.append(np.stack([np.full(len(f), sentence), *of_pairs], axis=1))
        cells.append(n_cells + f * len(candidates.ranges) + c)
        n_cells += len(predicates) * len(candidates.ranges)
        features.append(candidates.features)
        ranges.append(candidates.ranges)
    index = np.concatenate(words)
    table_rows = np.concatenate(features)
    return ranges, n_cells, index, table_rows, np.concatenate(cells)
