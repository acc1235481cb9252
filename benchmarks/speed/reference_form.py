"""The network in the reference's own order of computation, as a baseline for `speed.py network`.

What the authors' program computes, and how much of it, is in reference-parser.md 1.9 and 1.11; nothing is taken from
its code. Two layers differ from ours: label attention makes a key and a value of every token for every head, and a
residual of the full width before it is reduced; and the span scorer reads the differences of whole fenceposts, for all
pairs of them, sentence by sentence. The scores are the same up to rounding.
"""

from functools import partial
from typing import Optional, Tuple

from torch import Tensor, nn

from spacy_lal.checkpoint.reference.layers import ReferenceLabelAttentionConfig
from spacy_lal.layers.configs import ParserNetworkConfig
from spacy_lal.layers.factored import join_features, split_features
from spacy_lal.layers.label_attention import LabelAttention
from spacy_lal.layers.parser_network import ParserNetwork
from spacy_lal.layers.scorers.span_scorer import SpanScorer


def has_reference_form(config: ParserNetworkConfig) -> bool:
    """Whether label attention is what is written here: by learned queries, each head with its own, whose blocks are
    all kept and go through one projection."""
    attention, scorer = config.label_attention, config.span_scorer
    if attention is None or scorer is None:
        return False
    departures = [
        attention.per_head_projection,
        scorer.label_heads,
        scorer.separate_endpoints,
        config.fenceposts.token_skip,
    ]
    if isinstance(attention, ReferenceLabelAttentionConfig):
        departures += [attention.query_per_token, attention.combine_as_self, attention.scrambled_queries]
    return not any(departures)


def use_reference_form(network: ParserNetwork) -> None:
    """Let a network that has a reference form compute in it, in parsing. Its weights stay as they are."""
    attention, scorer = network.label_attention, network.span_scorer
    assert attention is not None and scorer is not None
    attention.forward = partial(_label_attention, attention)  # type: ignore[method-assign]
    scorer.forward = partial(_span_scores, scorer)  # type: ignore[method-assign]


def _label_attention(layer: LabelAttention, inputs: Tensor, padding: Tensor) -> Tuple[Tensor, Tensor]:
    """As `LabelAttention.forward`."""
    widths, scale = layer.widths, layer.hidden_width**-0.5
    parts = [part.unsqueeze(1) for part in split_features(inputs, widths)]  # (batch, 1, seq_len, width)
    key = join_features([part @ layer.key[name] for name, part in zip(widths, parts, strict=True)])
    value = join_features([part @ layer.value[name] for name, part in zip(widths, parts, strict=True)])
    query = join_features([layer.query[name] for name in widths])  # (n_heads, attn_width)
    logits = (key @ query.unsqueeze(-1)).squeeze(-1) * scale
    weights = layer.weights(logits, padding[:, None, :])  # (batch, n_heads, seq_len)
    context = split_features(weights.unsqueeze(2) @ value, dict.fromkeys(widths, layer.part_width))
    outputs = join_features([layer.output[name](c) for name, c in zip(widths, context, strict=True)])
    residual = inputs.unsqueeze(2) + outputs.transpose(1, 2)  # (batch, seq_len, n_heads, hidden_width)
    blocks = layer.norm(layer.reduce(residual)).flatten(2)
    return blocks if layer.feed_forward is None else layer.feed_forward(blocks), weights


def _span_scores(scorer: SpanScorer, fenceposts: Tensor, lengths: Tensor, ties: Optional[Tensor] = None) -> Tensor:
    """As `SpanScorer.forward`, but for what stands where start >= end, which no decoder reads."""
    batch_size, n_fenceposts, _ = fenceposts.shape
    chart = fenceposts.new_zeros(batch_size, n_fenceposts, n_fenceposts, scorer.output.out_features + 1)
    for i, length in enumerate(lengths.tolist()):
        rows = fenceposts[i, : length + 1]
        spans = rows.unsqueeze(0) - rows.unsqueeze(1)  # [start, end]
        hidden = scorer.norm(scorer.hidden(spans)).relu()
        chart[i, : length + 1, : length + 1] = nn.functional.pad(scorer.output(hidden), (1, 0))
    return chart
