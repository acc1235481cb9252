"""The block `model` of a parser, by short names: what every test of small parsers starts from."""

from typing import Any, Dict, List

from spacy.util import registry

BLOCKS = {
    "inputs": "InputLayer",
    "chars": "CharLSTM",
    "tags": "Tags",
    "layer": "SelfAttentionLayer",
    "label": "LabelAttention",
    "fenceposts": "Fenceposts",
    "span": "SpanScorer",
    "biaffine": "BiaffineScorer",
}
# A short name -> its options, as BLOCK.OPTION.
NAMES: Dict[str, List[str]] = {
    "char_width": ["chars.char_width"],
    "char_dropout": ["chars.dropout"],
    "max_word_length": ["chars.max_word_length"],
    "tag_dropout": ["tags.dropout"],
    "max_positions": ["inputs.max_positions"],
    "position_dropout": ["inputs.position_dropout"],
    "embedding_dropout": ["inputs.dropout"],
    "n_layers": ["layer.repeat"],
    "n_attn_heads": ["layer.n_heads"],
    "attn_width": ["layer.attn_width"],
    "ff_width": ["layer.ff_width"],
    "relu_dropout": ["layer.relu_dropout"],
    "residual_dropout": ["layer.residual_dropout"],
    "attention_dropout": ["layer.attention_dropout", "label.attention_dropout"],
    "n_label_heads": ["label.n_heads"],
    "label_attn_width": ["label.attn_width"],
    "label_proj_width": ["label.proj_width"],
    "label_own_projection": ["label.per_head_projection"],
    "label_factored": ["label.factored"],
    "whole_tokens": ["fenceposts.token_skip"],
    "scale_label_blocks": ["fenceposts.scale_label_blocks"],
    "span_hidden_width": ["span.hidden_width"],
    "span_own_projections": ["span.separate_endpoints"],
    "label_ties": ["span.label_heads"],
    "arc_hidden_width": ["biaffine.arc_width"],
    "deprel_hidden_width": ["biaffine.deprel_width"],
    "biaffine_dropout": ["biaffine.dropout"],
    "arcs_from_tokens": ["biaffine.from_tokens"],
    "spans_from_tokens": ["span.from_tokens"],
}


def parser_block(
    tok2vec: Any = None,
    *,
    hidden_width: int = 256,
    use_chars: bool = True,
    use_tags: bool = False,
    factored: bool = True,
    label_attention: bool = True,
    **options: Any,
) -> Dict[str, Any]:
    """The block `model` of a `lal_parser`.

    tok2vec (Any): A block or a model.
    factored (bool): Whether content and position are kept apart.
    label_attention (bool): Whether the network has label attention.
    options: By the names of `NAMES`; `n_layers = 0` is no encoder.
    """
    blocks: Dict[str, Dict[str, Any]] = {key: {"@misc": f"spacy-lal.{name}.v1"} for key, name in BLOCKS.items()}
    for name, value in {"n_layers": 2, **options}.items():
        for place in NAMES[name]:
            block, option = place.split(".")
            blocks[block][option] = value
    features = {"tags": use_tags, "chars": use_chars, "vectors": tok2vec is not None}
    blocks["vectors"] = {"@misc": "spacy-lal.Vectors.v1"}
    inputs = {**blocks["inputs"], "*": {name: blocks[name] for name, is_read in features.items() if is_read}}
    encoder: Dict[str, Any] = {"@misc": "spacy-lal.NoEncoder.v1"}
    if blocks["layer"]["repeat"]:
        encoder = {"@misc": "spacy-lal.Encoder.v1", "*": {"layer": {**blocks["layer"], "factored": factored}}}
    return {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": tok2vec,
        "hidden_width": hidden_width,
        "inputs": {**inputs, "join": "concat" if factored else "sum"},
        "encoder": encoder,
        "label_attention": {"factored": factored, **blocks["label"]} if label_attention else None,
        "fenceposts": blocks["fenceposts"],
        "span_scorer": blocks["span"],
        "biaffine_scorer": blocks["biaffine"],
    }


def small_parser(tok2vec: Any = None, **options: Any) -> Any:
    """The model of `parser_block`."""
    return registry.resolve({"model": parser_block(tok2vec, **options)})["model"]
