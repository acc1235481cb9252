"""The network folded for parsing: the same scores by fewer and larger products, of which only the best are kept.

What a decoder chooses among is the best label of each span and the best deprel of each arc, so no more is written
down: a sentence of n words costs O(n^2) numbers, not O(n^2 * labels). Positions are packed, so that padding costs
nothing; what depends on the weights alone is multiplied once, when the network is folded.
"""

import math
from typing import NamedTuple, Optional, Tuple, cast

import torch
from torch import Tensor, nn

from .biaffine_scorer import BiaffineScorer
from .deprel_chooser import DeprelChooser, DeprelWeights
from .embedding import NetworkInputs
from .factored import join_features, split_features
from .label_attention import LabelAttention
from .modes import evaluating
from .packing import Packing
from .parser_network import ParserNetwork
from .products import Precision, Product
from .self_attention import SelfAttention
from .span_scorer import best_labels

_CHUNK_FLOATS = 1 << 23  # of the widest tensor that is held at once: 32 MiB


class FoldedOutput(NamedTuple):
    """The best scores of a batch. n is its longest sentence; beyond a sentence's own length they mean nothing.

    labels (Tensor): Scores of the empty label (0), of SUB_HEAD and of the best other label of each span. *Shape:*
        (batch_size, n + 1, n + 1, 3), or (batch_size, 0, 0, 3) where the network scores no spans.
    label_ids (Tensor): Which label that is. *Shape:* (batch_size, n + 1, n + 1), int16.
    arcs (Tensor): [dependent, head], 0 is the root. *Shape:* (batch_size, n + 1, n + 1).
    deprel_ids (Tensor): The best deprel of each arc. *Shape:* (batch_size, n + 1, n + 1), int16; or of each dependent,
        (batch_size, n + 1), where deprels are not scored given the head. (batch_size, 0) where none are, and where
        there is a `deprel_chooser`.
    label_attention (Optional[Tensor]): As in `NetworkOutput`.
    deprel_chooser (Optional[DeprelChooser]): What chooses deprels, on a CPU, when heads are chosen.
    """

    labels: Tensor
    label_ids: Tensor
    arcs: Tensor
    deprel_ids: Tensor
    label_attention: Optional[Tensor]
    deprel_chooser: Optional[DeprelChooser]


def can_fold(network: ParserNetwork) -> bool:
    """Whether there is a folded form: label queries are learned vectors, and each head has a block of its own."""
    config = network.config
    odd = config.label_query_per_token or config.label_combine_as_self or config.scrambled_queries
    return not (config.label_attention and odd)


class FoldedNetwork:
    """A network ready to parse; it follows no later change of the weights.

    network (ParserNetwork): Of which `can_fold` is true.
    precision (Precision): In which matrices are multiplied. Whatever it is, norms, softmaxes and scores are float32.
    """

    @torch.no_grad()
    def __init__(self, network: ParserNetwork, precision: Precision = torch.float32) -> None:
        self.config = network.config
        self.network = evaluating(network)  # copies of its parts are then made as they parse
        self.embedding = network.embedding
        encoder = network.encoder
        self.attention = [_FoldedSelfAttention(cast(SelfAttention, layer), precision) for layer in encoder.attention]
        self.feed_forward = [Product.inside(layer, precision) for layer in encoder.feed_forward]
        self.label_attention: Optional[_FoldedLabelAttention] = None
        self.label_feed_forward: Optional[nn.Module] = None
        if encoder.label_attention is not None:
            self.label_attention = _FoldedLabelAttention(encoder.label_attention, precision)
        if encoder.label_feed_forward is not None:
            self.label_feed_forward = Product.inside(encoder.label_feed_forward, precision)
        self.scorers = _FoldedScorers(network, precision)
        self.span_scorer = network.span_scorer
        self.biaffine_scorer = network.biaffine_scorer
        self.deprel_weights: Optional[DeprelWeights] = None
        if self.biaffine_scorer is not None and self.biaffine_scorer.given_head:
            self.deprel_weights = DeprelWeights(self.biaffine_scorer, precision)

    def __call__(self, inputs: NetworkInputs) -> FoldedOutput:
        """Score a batch of sentences. RETURNS (FoldedOutput): The best scores, without gradient."""
        evaluating(self.network)
        with torch.inference_mode():
            return self._score(inputs)

    def _score(self, inputs: NetworkInputs) -> FoldedOutput:
        seq_len = int(inputs.lengths.max()) + 2 if len(inputs.lengths) else 2
        packing = Packing(inputs.lengths + 2, seq_len)
        tokens = packing.pack(self.embedding(inputs, seq_len))
        for attention, feed_forward in zip(self.attention, self.feed_forward, strict=True):
            tokens = feed_forward(attention(tokens, packing))
        weights = contexts = None
        if self.label_attention is not None:
            weights, contexts = self.label_attention(tokens, packing)
        features = self._features(tokens, contexts, packing)
        batch_size, n_fenceposts = packing.shape[0], seq_len - 1
        labels, label_ids = features.new_zeros(batch_size, 0, 0, 3), features.new_zeros(batch_size, 0, 0).short()
        arcs = features.new_zeros(batch_size, n_fenceposts, n_fenceposts)
        deprel_ids = features.new_zeros(batch_size, 0).short()
        span, *pairs = features.split(self.scorers.widths, dim=-1)
        if self.span_scorer is not None:
            labels, label_ids = best_labels(self.span_scorer, span, packing.first_rows, inputs.lengths, n_fenceposts)
        chooser: Optional[DeprelChooser] = None
        if self.biaffine_scorer is not None:
            *arc_features, head, dependent = (layer.relu() for layer in pairs)
            arcs = self.biaffine_scorer.score_arcs(*(packing.unpack(part)[:, :-1] for part in arc_features))
            if self.deprel_weights is not None and features.device.type == "cpu":
                chooser = DeprelChooser(self.deprel_weights, head, dependent, packing.first_rows)
            else:
                head, dependent = (packing.unpack(part)[:, :-1] for part in (head, dependent))
                deprel_ids = _best_deprels(self.biaffine_scorer, head, dependent)
        return FoldedOutput(labels, label_ids, arcs, deprel_ids, weights, chooser)

    def _features(self, tokens: Tensor, contexts: Optional[Tensor], packing: Packing) -> Tensor:
        """What the scorers' first layers make of each fencepost, which stands where the position before it does; the
        last row of a sentence, the position STOP, means nothing. *Shape:* (n_positions, width)."""
        width = max(self.config.encoded_width, self.scorers.width)
        size = max(64, _CHUNK_FLOATS // width)
        sums = self.scorers.bias.repeat(len(tokens), 1)
        for first in range(0, len(tokens), size):
            rows = slice(first, first + size)
            encoded = tokens[rows]
            if self.label_attention is not None and contexts is not None:
                encoded = self.label_attention.blocks(encoded, contexts, packing.sentence[rows])
                if self.label_feed_forward is not None:
                    encoded = self.label_feed_forward(encoded)
            self.scorers.add_to(sums, first, encoded, tokens[rows])
        return sums


class _FoldedSelfAttention:
    """`SelfAttention` on packed positions."""

    def __init__(self, layer: SelfAttention, precision: Precision) -> None:
        self.layer = layer
        heads = [torch.cat([layer.query[part], layer.key[part], layer.value[part]]) for part in layer.widths]
        self.projections = [Product(weight.transpose(1, 2).flatten(0, 1), precision) for weight in heads]
        self.outputs = [Product(layer.output[part].get_parameter("weight"), precision) for part in layer.widths]

    def __call__(self, inputs: Tensor, packing: Packing) -> Tensor:
        layer = self.layer
        parts = split_features(inputs, layer.widths)
        projected = [
            project(part).unflatten(-1, (3, layer.n_heads, layer.part_width))
            for project, part in zip(self.projections, parts, strict=True)
        ]
        query, key, value = packing.unpack(join_features(projected)).permute(2, 0, 3, 1, 4).unbind()
        context = nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=_attn_mask(packing), scale=1.0 / math.sqrt(layer.hidden_width)
        )
        packed = packing.pack(context.transpose(1, 2)).unflatten(-1, (len(parts), layer.part_width))
        outputs = [output(packed[..., i, :].flatten(1)) for i, output in enumerate(self.outputs)]
        return layer.norm(join_features(outputs).add_(inputs))


def _attn_mask(packing: Packing) -> Optional[Tensor]:
    return None if packing.is_full else ~packing.padding[:, None, None, :]


class _FoldedLabelAttention:
    """`LabelAttention` on packed positions: keys folded into queries, values into the projection of the output."""

    def __init__(self, layer: LabelAttention, precision: Precision) -> None:
        self.layer = layer
        folded, values = [], []
        reduce = split_features(layer.reduce_weights, layer.widths)
        for part, narrow in zip(layer.widths, reduce, strict=True):
            query = layer.query[part].unsqueeze(1)
            folded.append((query @ layer.key[part].transpose(1, 2)).squeeze(1))
            values.append(layer.value[part] @ (narrow @ layer.output[part].get_parameter("weight")).transpose(-1, -2))
        self.keys = Product(join_features(folded) / math.sqrt(layer.hidden_width), precision)
        self.values = torch.cat(values, dim=1)  # (n_heads, hidden_width, proj_width)
        self.reduce = Product(layer.reduce.weight, precision)

    def __call__(self, inputs: Tensor, packing: Packing) -> Tuple[Tensor, Tensor]:
        """Weights, *shape:* (batch_size, n_heads, seq_len); and what each head adds to its block, *shape:* (batch_size,
        n_heads, proj_width)."""
        logits = packing.unpack(self.keys(inputs)).transpose(1, 2)
        if not packing.is_full:
            logits = logits.masked_fill(packing.padding[:, None, :], -math.inf)
        weights = torch.softmax(logits, dim=-1)
        pooled = weights @ packing.unpack(inputs)
        return weights, torch.bmm(pooled.transpose(0, 1), self.values).transpose(0, 1)

    def blocks(self, inputs: Tensor, contexts: Tensor, sentence: Tensor) -> Tensor:
        """The output of positions: norm(R x_t + c_l). *Shape:* (n_positions, output_width)."""
        tokens = self.reduce(inputs).unflatten(-1, (-1, contexts.shape[-1]))  # of each head, or one for all heads
        blocks = contexts.index_select(0, sentence).add_(tokens)
        return self.layer.norm(blocks).flatten(1)


class _FoldedScorers:
    """The first layers of both scorers as one product, for the two halves of fenceposts by themselves.

    widths (List[int]): Of the span scorer; of arc head, arc dependent, deprel head, deprel dependent.
    """

    def __init__(self, network: ParserNetwork, precision: Precision) -> None:
        config = network.config
        layers = network.biaffine_scorer.input_layers if network.biaffine_scorer is not None else []
        weights = [layer.weight for layer in layers]
        span_scorer = network.span_scorer
        no_spans = network.embedding.positions.new_zeros(0, config.fencepost_width)
        weights.insert(0, no_spans if span_scorer is None else span_scorer.projection())
        self.widths = [len(weight) for weight in weights]
        self.width = sum(self.widths)
        # the span scorer's bias is added to differences of fenceposts, not to fenceposts
        biases = [layer.bias for layer in layers]
        self.bias = torch.cat([weights[0].new_zeros(self.widths[0]), *biases])
        # columns: forward halves, backward halves, then the whole tokens before and after
        posts = network.fenceposts
        self.blocks, first = posts.blocks, posts.first_width if posts.halves else 0
        block_width = config.halves_width // self.blocks
        half_widths = [self.blocks * first, self.blocks * (block_width - first)]
        of_blocks = weights[:1] if config.arcs_from_tokens else weights  # the others have no columns for halves
        halves = torch.cat([weight[:, : config.halves_width] for weight in of_blocks])
        forward, backward = (half * posts.scale for half in halves.split(half_widths, dim=1))
        token_width = config.hidden_width if config.whole_tokens else 0
        tokens = torch.cat([weight[:, weight.shape[1] - 2 * token_width :] for weight in weights])
        before, after = tokens.split([token_width] * 2, dim=1)
        self.first_width, self.has_halves, self.has_tokens = first, posts.halves, config.whole_tokens
        self.halves = [Product(half, precision) for half in (forward, backward)]
        self.tokens = [Product(token, precision) for token in (before, after)]

    def add_to(self, sums: Tensor, first: int, encoded: Tensor, tokens: Tensor) -> None:
        """Add what positions give to the fencepost after them, and to the one before.

        sums (Tensor): Of all fenceposts. *Shape:* (n_positions, width).
        first (int): The first of the positions that `encoded` and `tokens` are of.
        """
        after = sums[first : first + len(tokens)]
        skipped = 1 if first == 0 else 0  # the fencepost before the first position of all is nobody's
        before = sums[first - 1 + skipped : first - 1 + len(tokens)]
        if self.has_halves:
            blocks = encoded.unflatten(-1, (self.blocks, -1))
            n_out = len(self.halves[0].weight)
            self.halves[0].add_to(after[:, :n_out], blocks[..., : self.first_width].flatten(1))
            self.halves[1].add_to(before[:, :n_out], blocks[skipped:, :, self.first_width :].flatten(1))
        if self.has_tokens:
            self.tokens[0].add_to(after, tokens)
            self.tokens[1].add_to(before, tokens[skipped:])


def _best_deprels(scorer: BiaffineScorer, head: Tensor, dependent: Tensor) -> Tensor:
    """The best deprel of each arc, those of a few heads at once; or of each dependent. head, dependent: p and q."""
    if not scorer.given_head:
        return scorer.score_deprels(head, dependent).argmax(-1).short()
    batch_size, n_fenceposts, width = head.shape
    n_deprels = len(scorer.deprel_bias)
    deprel_ids = head.new_empty((batch_size, n_fenceposts, n_fenceposts), dtype=torch.int16)
    n_rows = max(
        1, _CHUNK_FLOATS // (n_deprels * max(n_fenceposts, width))
    )  # heads at once, of one sentence or of several
    n_sentences, n_heads = max(1, n_rows // n_fenceposts), min(n_rows, n_fenceposts)
    for first in range(0, batch_size, n_sentences):
        batch = slice(first, first + n_sentences)
        for first_head in range(0, n_fenceposts, n_heads):
            heads = slice(first_head, first_head + n_heads)
            deprel_ids[batch, :, heads] = scorer.score_deprels(head[batch, heads], dependent[batch]).argmax(-1)
    return deprel_ids
