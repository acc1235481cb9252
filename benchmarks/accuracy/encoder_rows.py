"""The encoders that are compared: one row of a table each, as blocks of a config."""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

Block = Dict[str, Any]
# Whose transformer gives vectors, and its layers: the embeddings and six more.
PIPELINE, PIPELINE_LAYERS = "en_lal_md", 7


@dataclass(frozen=True)
class Size:
    """The size and the dropout of all networks of a comparison: small, and less dropped
    than in the paper, for short training.

    hidden_width, n_layers, n_heads, attn_width, ff_width, label_width, char_width
        (int): Of the encoder, of the span scorer's hidden layer, of a character.
    """

    hidden_width: int = 128
    n_layers: int = 4
    n_heads: int = 4
    attn_width: int = 32
    ff_width: int = 256
    label_width: int = 64
    char_width: int = 32
    # Of tags, characters, projected vectors, attention weights, hidden units,
    # residuals; of words and vectors, twice
    dropout: float = 0.1


@dataclass(frozen=True)
class Row:
    """A network, by the switches of the paper (Kitaev & Klein 2018; see
    docs/explanation/encoders.md).

    join (str): "concat" or "sum". factored (bool): In all layers. halves (str): Of
        fenceposts.
    queries (str): "features" or "positions", in all layers.
    window, relaxed (int, bool): In all layers; 0 for no window.
    features (Tuple[str, ...]): Word features.
    n_vector_layers (int): Layers of the transformer that vectors are an average of,
        from the last one downwards.
    selectors (Mapping[int, Block]): Options of the selectors of some layers.
    lal (bool): Whether the layers are followed by label attention.
    heads (bool): Whether dependencies are scored, too.
    """

    join: str = "concat"
    factored: bool = True
    halves: str = "even_odd"
    queries: str = "features"
    window: int = 0
    relaxed: bool = False
    features: Tuple[str, ...] = ("tags", "words")
    n_vector_layers: int = PIPELINE_LAYERS
    selectors: Mapping[int, Block] = field(default_factory=dict)
    lal: bool = False
    heads: bool = False


BASE = Row(join="sum", factored=False, halves="first_second")
FEATURES: Dict[str, Callable[[Size], Block]] = {
    "vectors": lambda size: {
        "@misc": "spacy-lal.Vectors.v1",
        **{"dropout": size.dropout, "vector_dropout": 2 * size.dropout},
    },
    "tags": lambda size: {"@misc": "spacy-lal.Tags.v1", "dropout": size.dropout},
    "words": lambda size: {"@misc": "spacy-lal.Words.v1", "dropout": 2 * size.dropout},
    "char_lstm": lambda size: {
        **{"@misc": "spacy-lal.CharLSTM.v1", "char_width": size.char_width},
        **{
            "dropout": size.dropout,
            "output_dropout": size.dropout,
            "alphabet": "codepoints",
        },
    },
    "char_concat": lambda size: {
        **{
            "@misc": "spacy-lal.CharConcat.v1",
            "alphabet": "codepoints",
            "dropout": size.dropout,
        },
        **{
            "char_width": max(1, size.hidden_width // 32)
        },  # 16 letters of a factored network, as in the paper
    },
}


def _selective(**layers: Block) -> Row:
    return Row(
        heads=True,
        selectors={int(name[1:]): options for name, options in layers.items()},
    )


ROWS: Dict[str, Row] = {
    "base": BASE,
    "factored": Row(),
    "concatenated": Row(factored=False),
    "control": Row(join="sum"),
    "position_only": Row(
        join="sum", factored=False, halves="first_second", queries="positions"
    ),
    "char_lstm": Row(features=("char_lstm",)),
    "char_lstm+words": Row(features=("words", "char_lstm")),
    "char_concat": Row(features=("char_concat",)),
    "char_concat+words": Row(features=("words", "char_concat")),
    "words": Row(features=("words",)),
    "vectors": Row(features=("vectors",)),
    "vectors_last": Row(features=("vectors",), n_vector_layers=1),
    **{
        f"window{width}{'_relaxed' if relaxed else ''}": Row(
            window=width, relaxed=relaxed
        )
        for width in (5, 10)
        for relaxed in (False, True)
    },
    "plain+heads": _selective(),
    "hard0": _selective(l0={"mode": "hard"}),
    "soft0": _selective(l0={"mode": "soft"}),
    "sample0": _selective(l0={"mode": "sample"}),
    **{f"hard{i}": _selective(**{f"l{i}": {"mode": "hard"}}) for i in (1, 2, 3)},
    "lal": Row(features=("char_lstm",), lal=True, heads=True),
    "lal_char_plain": Row(features=("char_lstm",), heads=True),
}
# What each table compares, most important first.
TABLES: Dict[str, Tuple[str, ...]] = {
    "encoders": (
        "base",
        "factored",
        "concatenated",
        "control",
        "position_only",
        "char_lstm",
        "vectors",
        "vectors_last",
    ),
    "selectors": (
        "plain+heads",
        "hard0",
        "soft0",
        "sample0",
        "hard1",
        "hard2",
        "hard3",
    ),
    "windows": (
        "factored",
        "window5",
        "window5_relaxed",
        "window10",
        "window10_relaxed",
    ),
    "lexical": (
        "words",
        "factored",
        "char_lstm",
        "char_lstm+words",
        "char_concat",
        "char_concat+words",
    ),
    "ours": ("lal_char_plain", "lal"),
}


def model_block(row: Row, size: Size) -> Block:
    """The block `model` of a parser.

    RAISES (ValueError): A feature is unknown.
    """
    unknown = set(row.features) - set(FEATURES)
    if unknown:
        raise ValueError(
            f"features: expected some of {', '.join(FEATURES)}, got "
            f"{', '.join(sorted(unknown))}"
        )
    inputs = {name: FEATURES[name](size) for name in row.features}
    tok2vec: Optional[Block] = None
    if "vectors" in inputs:
        inputs["vectors"]["mix_layers"] = row.n_vector_layers
        source = {"pipeline": PIPELINE, "n_layers": row.n_vector_layers}
        tok2vec = {"@architectures": "benchmarks.FrozenTransformer.v1", **source}
    label_attention: Optional[Block] = (
        {"@misc": "spacy-lal.LabelAttention.v1", "n_heads": 28} if row.lal else None
    )
    biaffine: Optional[Block] = (
        {"@misc": "spacy-lal.BiaffineScorer.v1"} if row.heads else None
    )
    fenceposts: Block = {"@misc": "spacy-lal.Fenceposts.v1"}
    if not row.lal:
        fenceposts["halves"] = row.halves
    return {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": tok2vec,
        "hidden_width": size.hidden_width,
        "inputs": {
            **{
                "@misc": "spacy-lal.InputLayer.v1",
                "join": row.join,
                "max_positions": 300,
            },
            **{"dropout": 0.0, "position_scale": 1.0, "*": inputs},
        },
        "encoder": {"@misc": "spacy-lal.Encoder.v1", "*": _layers(row, size)},
        "label_attention": label_attention,
        "fenceposts": fenceposts,
        "span_scorer": {
            "@misc": "spacy-lal.SpanScorer.v1",
            "hidden_width": size.label_width,
        },
        "biaffine_scorer": biaffine,
    }


def _layers(row: Row, size: Size) -> Block:
    layer = {
        **{
            "@misc": "spacy-lal.SelfAttentionLayer.v1",
            "n_heads": size.n_heads,
            "attn_width": size.attn_width,
        },
        **{
            "ff_width": size.ff_width,
            "factored": row.factored,
            "queries": row.queries,
            "relu_dropout": size.dropout,
        },
        **{"attention_dropout": size.dropout, "residual_dropout": size.dropout},
        **{"window": row.window, "relaxed_window": row.relaxed},
    }
    if not row.selectors:
        return {"all": {**layer, "repeat": size.n_layers}}
    selector = {"@misc": "spacy-lal.Selector.v1"}
    return {
        f"layer{i}": {**layer, "selector": {**selector, **row.selectors[i]}}
        if i in row.selectors
        else layer
        for i in range(size.n_layers)
    }


def limits_of_tables(n_layers: int) -> Dict[str, Block]:
    """Limits at test time, by name: the paper's Table 1, in halves and three quarters
    of the layers, and Table 2.

    RETURNS (Dict[str, Block]): Options of `limited`, and "layers": the numbers of the
    layers that have them."""
    everything, half, most = range(n_layers), n_layers // 2, n_layers * 3 // 4
    content_in = {
        "none": [],
        "first_half": list(range(half)),
        "last_half": list(range(n_layers - half, n_layers)),
        "first_most": list(range(most)),
        "last_most": list(range(n_layers - most, n_layers)),
    }
    limits: Dict[str, Block] = {
        "position_none": {"position": False, "layers": list(everything)}
    }
    for name, layers in content_in.items():
        limits[f"content_{name}"] = {
            "content": False,
            "layers": [i for i in everything if i not in layers],
        }
    for width in (5, 10, 15, 20, 30, 40):
        for relaxed in (False, True):
            name = f"window{width}{'_relaxed' if relaxed else ''}"
            limits[name] = {
                "window": width,
                "relaxed_window": relaxed,
                "layers": list(everything),
            }
    return limits
