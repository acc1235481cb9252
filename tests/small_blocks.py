"""The block `model` of a parser, by short names, and its network: what every test of
small parsers starts from."""

from typing import Any, Dict, List, Tuple

from spacy.util import registry
from thinc.api import Model

from spacy_lal.layers.configs import ParserNetworkConfig, ParserSizes
from spacy_lal.layers.parser_network import ParserNetwork

BLOCKS = {
    "inputs": "InputLayer",
    "chars": "CharLSTM",
    "tags": "Tags",
    "words": "Words",
    "vectors": "Vectors",
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
    "word_dropout": ["words.dropout"],
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
    use_words: bool = False,
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
    blocks: Dict[str, Dict[str, Any]] = {
        key: {"@misc": f"spacy-lal.{name}.v1"} for key, name in BLOCKS.items()
    }
    for name, value in {"n_layers": 2, **options}.items():
        for place in NAMES[name]:
            block, option = place.split(".")
            blocks[block][option] = value
    features = {
        "tags": use_tags,
        "words": use_words,
        "chars": use_chars,
        "vectors": tok2vec is not None,
    }
    inputs = {
        **blocks["inputs"],
        "*": {name: blocks[name] for name, is_read in features.items() if is_read},
    }
    encoder: Dict[str, Any] = {"@misc": "spacy-lal.NoEncoder.v1"}
    if blocks["layer"]["repeat"]:
        encoder = {
            "@misc": "spacy-lal.Encoder.v1",
            "*": {"layer": {**blocks["layer"], "factored": factored}},
        }
    return {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": tok2vec,
        "hidden_width": hidden_width,
        "inputs": {**inputs, "join": "concat" if factored else "sum"},
        "encoder": encoder,
        "label_attention": {"factored": factored, **blocks["label"]}
        if label_attention
        else None,
        "fenceposts": blocks["fenceposts"],
        "span_scorer": blocks["span"],
        "biaffine_scorer": blocks["biaffine"],
    }


def small_parser(tok2vec: Any = None, **options: Any) -> Any:
    """The model of `parser_block`."""
    return registry.resolve({"model": parser_block(tok2vec, **options)})["model"]


# A network that is quick to run: options by the names of `parser_block`, sizes by those
# of `ParserSizes`.
TINY = {
    "vector_width": 6,
    "hidden_width": 8,
    "n_layers": 1,
    "n_attn_heads": 2,
    "attn_width": 4,
    "ff_width": 8,
    "n_label_heads": 3,
    "label_attn_width": 4,
    "label_proj_width": 4,
    "span_hidden_width": 5,
    "arc_hidden_width": 5,
    "deprel_hidden_width": 5,
    "word_dropout": 0.0,
}


def network_config(**changes: Any) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The blocks and the sizes of a tiny network. It reads tags, words and characters
    if `n_tags` ... are set.

    changes: Of `TINY`.
    """
    options = {**TINY, **changes}
    sizes = {
        name: options.pop(name)
        for name in ParserSizes.__dataclass_fields__
        if name in options
    }
    reads = {
        f"use_{name}": bool(sizes.get(f"n_{name}"))
        for name in ("tags", "words", "chars")
    }
    tok2vec = (
        Model("not_run", lambda *args: None) if sizes.get("vector_width") else None
    )  # type: ignore[arg-type]
    model = small_parser(
        tok2vec, **options, n_label_heads=sizes.get("n_label_heads"), **reads
    )
    return model.layers[-1].shims[0].config, ParserSizes(**sizes)


def make_network(**changes: Any) -> ParserNetwork:
    """A tiny network with fresh weights; `changes` as for `network_config`."""
    return ParserNetwork(*network_config(**changes))
