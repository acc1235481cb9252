"""The networks of the authors' checkpoints: hyperparameters, shapes and names of
weights -> our records and names. Of the LAL and the HPSG parser
(docs/explanation/parser.md), and of Kitaev & Klein's parser of constituents (2018;
docs/explanation/encoders.md), from whose code theirs was made."""

import re
from itertools import groupby
from typing import Any, Iterator, Literal, Mapping, Optional

import torch
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d
from torch import Tensor

from ..layers import configs
from ..layers.input_configs import (
    CharConcat,
    CharLSTM,
    InputLayerConfig,
    Tags,
    Vectors,
    WordFeature,
    Words,
)
from ..models.parser import ParserModel, assemble_parser
from ..trees import SUB_HEAD
from .layers import (
    ReferenceBiaffineScorerConfig,
    ReferenceLabelAttentionConfig,
)

# Their key -> ours: every rule is tried on every key, in this order. `{L}` is the
# number of self-attention layers, the index of their label attention layer; `{first}`
# and `{second}` are the kinds of embeddings in use.
KEY_RULES: tuple[tuple[str, str], ...] = (
    (r"^project_(xlnet|elmo)\.", "inputs.features.vectors.projection."),
    (r"^char_embedding\.", "inputs.features.char_concat.embedding."),
    (r"^char_encoder\.emb\.", "inputs.features.chars.embedding."),
    (r"^char_encoder\.lstm\.", "inputs.features.chars.lstm."),
    (r"^embedding\.position_table$", "inputs.positions"),
    (r"^embedding\.layer_norm\.", "inputs.layer_norm."),
    (r"^embedding\.embs\.0\.", "inputs.features.{first}.embedding."),
    (r"^embedding\.embs\.1\.", "inputs.features.{second}.embedding."),
    (r"^encoder\.attn_{L}\.", "label_attention."),
    (r"^encoder\.ff_{L}\.", "label_attention.feed_forward."),
    (r"^encoder\.attn_(\d+)\.", r"encoder.layers.\1.attention."),
    (r"^encoder\.ff_(\d+)\.", r"encoder.layers.\1.feed_forward."),
    (r"\.w_qs(\d?)$", r".query.<\1>"),
    (r"\.w_ks(\d?)$", r".key.<\1>"),
    (r"\.w_vs(\d?)$", r".value.<\1>"),
    (r"\.proj(\d?)\.weight$", r".output.<\1>.weight"),
    (r"\.reduce_proj\.", ".reduce."),
    (r"\.w_1([cp]?)\.", r".hidden.<\1>."),
    (r"\.w_2([cp]?)\.", r".output.<\1>."),
    (r"<(1|c)>", "content"),
    (r"<(2|p)>", "position"),
    (r"<>", "all"),
    (r"^f_label\.0\.", "span_scorer.hidden."),
    (r"^f_label\.1\.", "span_scorer.layer_norm."),
    (r"^f_label\.3\.", "span_scorer.output."),
    (r"\.layer_norm\.a_2$", ".norm.gain"),
    (r"\.layer_norm\.b_2$", ".norm.bias"),
    (r"^dep_score\.arc_h\.", "biaffine_scorer.arc_head."),
    (r"^dep_score\.arc_c\.", "biaffine_scorer.arc_dependent."),
    (r"^dep_score\.type_h\.", "biaffine_scorer.deprel_head."),
    (r"^dep_score\.type_c\.", "biaffine_scorer.deprel_dependent."),
    (r"^dep_score\.attention\.dep_weight$", "biaffine_scorer.arc_bilinear"),
    (r"^dep_score\.bilinear\.U$", "biaffine_scorer.deprel_bilinear"),
    (r"^dep_score\.bilinear\.W_l$", "biaffine_scorer.deprel_from_head"),
    (r"^dep_score\.bilinear\.W_r$", "biaffine_scorer.deprel_from_dependent"),
    (r"^dep_score\.bilinear\.bias$", "biaffine_scorer.deprel_bias"),
)
# Kinds of word features that the reference calls embeddings.
EMBEDDINGS = ("tags", "words")
TRANSFORMER_PREFIX = "xlnet."
# Weights that the reference builds but never uses in a forward pass.
UNUSED_PREFIXES = ("roberta.", "project_roberta.", "f_tag.", "elmo.")


def our_key(key: str, config: configs.ParserNetworkConfig) -> str:
    """Translate the name of a reference weight by `KEY_RULES`: "encoder.attn_0.w_qs1"
    is "encoder.layers.0.attention.query.content" in our network."""
    kinds = [feature.kind for feature in config.inputs.features]
    tables = [kind for kind in EMBEDDINGS if kind in kinds] + ["?", "?"]
    n_layers = sum(layer.repeat for layer in config.encoder.layers)
    for pattern, replacement in KEY_RULES:
        pattern = pattern.replace("{L}", str(n_layers))
        replacement = replacement.replace("{first}", tables[0])
        key = re.sub(pattern, replacement.replace("{second}", tables[1]), key)
    return key


def convert_state_dict(
    state_dict: Mapping[str, Tensor],
    config: configs.ParserNetworkConfig,
    sizes: configs.ParserSizes,
) -> dict[str, Tensor]:
    """The reference's weights under our names, float32, without the transformer's and
    those that are never used. Kitaev & Klein's get the row of a sub-head label, whose
    score is always low."""
    skipped: tuple[str, ...] = (TRANSFORMER_PREFIX, *UNUSED_PREFIXES)
    if not sizes.vector_width:
        skipped += ("project_xlnet.",)
    weights = {}
    for key, weight in state_dict.items():
        weight = weight.float()
        if key in SUB_HEAD_ROWS and not sizes.n_deprels:
            before, after = weight.tensor_split([SUB_HEAD - 1])
            row = torch.full_like(after[:1], SUB_HEAD_ROWS[key])
            weight = torch.cat([before, row, after])
        if not key.startswith(skipped):
            weights[our_key(key, config)] = weight
    return weights


# Hyperparameters that are used, with a value where a checkpoint lacks one: an older
# one, of the HPSG parser, has no label attention.
_SHARED: dict[str, Any] = {
    "d_model": 1024,
    "num_heads": 8,
    "d_kv": 64,
    "d_ff": 2048,
    "d_label_hidden": 250,
    "sentence_max_len": 300,
    "attention_dropout": 0.2,
    "residual_dropout": 0.2,
    "tag_emb_dropout": 0.2,
    "char_lstm_input_dropout": 0.2,
    "partitioned": True,
    "word_emb_dropout": 0.4,
    "timing_dropout": 0.0,
    **dict.fromkeys(("use_tags", "use_words", "use_chars_lstm", "use_elmo"), False),
}
DEFAULT_HPARAMS: dict[str, Any] = {
    **_SHARED,
    "num_layers": 12,
    "d_biaffine": 1024,
    "lal_d_kv": 64,
    "lal_d_proj": 64,
    "d_char_emb": 64,
    "const_lada": 0.5,
    "embedding_dropout": 0.2,
    "relu_dropout": 0.2,
    **dict.fromkeys(("use_lal", "use_xlnet", "use_bert", "use_bert_only"), False),
    **dict.fromkeys(("lal_resdrop", "lal_pwff", "lal_q_as_matrix"), False),
    **dict.fromkeys(("lal_partitioned", "lal_combine_as_self"), False),
    "embedding_type": "random",
    "xlnet_model": "xlnet-large-cased",
    "xlnet_do_lower_case": False,
    "pad_left": False,
}
KK_ONLY = "num_layers_position_only"  # a hyperparameter that the LAL parser lacks
KK_DEFAULT_HPARAMS: dict[str, Any] = {
    **_SHARED,
    "num_layers": 8,
    KK_ONLY: 0,
    "d_char_emb": 32,
    "use_chars_concat": False,
    "embedding_dropout": 0.0,
    "relu_dropout": 0.1,
    "morpho_emb_dropout": 0.2,
    "elmo_dropout": 0.5,
}
# Our label vocabulary has a sub-head label, which Kitaev & Klein's trees never have:
# the values of its row.
SUB_HEAD_ROWS = {"f_label.3.weight": 0.0, "f_label.3.bias": -1e4}
MAX_WORD_LENGTH = 100_000  # no word is cut: the authors' character LSTM reads all of it


def reference_config(
    hparams: Mapping[str, Any],
    n_label_heads: int = 0,
    *,
    scrambled_queries: bool = False,
    learned_boundaries: bool = False,
) -> configs.ParserNetworkConfig:
    """The records of a LAL or HPSG parser, or of Kitaev & Klein's, which has the
    hyperparameter `KK_ONLY`; missing ones take their defaults. Where the models of
    Kitaev & Klein's paper are none of the released code's
    (docs/explanation/encoders.md), also "join" ("concat" or "sum"), "factored",
    "even_odd" (halves of a fencepost), and "position_only" (layers), which
    `partitioned` sets together.

    n_label_heads (int): 0: one for each label.
    learned_boundaries (bool): Whether START and STOP have learned vectors."""
    is_kk = KK_ONLY in hparams
    h = {**(KK_DEFAULT_HPARAMS if is_kk else DEFAULT_HPARAMS), **hparams}
    factored = bool(h.get("factored", h["partitioned"]))
    inputs = InputLayerConfig(
        features=tuple(_features(h, learned_boundaries)),
        join=h.get("join", "concat" if factored else "sum"),
        max_positions=h["sentence_max_len"],
        position_dropout=h["timing_dropout"],
        dropout=h["embedding_dropout"],
    )
    position_only = h.get("position_only", range(h.get(KK_ONLY, 0)))
    kinds = [i in position_only for i in range(h["num_layers"])]
    layers = [
        _layer(h, len([*run]), factored, "positions" if positions else "features")
        for positions, run in groupby(kinds)
    ]
    halves: Any = "even_odd" if h.get("even_odd", factored) else "first_second"
    attention = None
    if h.get("use_lal"):
        attention = _label_attention(h, n_label_heads, scrambled_queries)
        halves = "first_second" if attention.combine_as_self else None
    width = h["d_label_hidden"]
    biaffine = None if is_kk else ReferenceBiaffineScorerConfig(h["d_biaffine"], width)
    return configs.ParserNetworkConfig(
        hidden_width=h["d_model"],
        inputs=inputs,
        encoder=configs.EncoderConfig(tuple(layers)),
        label_attention=attention,
        fenceposts=configs.FencepostsConfig(halves, scale_label_blocks=False),
        span_scorer=configs.SpanScorerConfig(width),
        biaffine_scorer=biaffine,
    )


def _features(h: Mapping[str, Any], learned_boundaries: bool) -> Iterator[WordFeature]:
    width = h["d_char_emb"]
    of_kk: Any = ()  # dropout of vectors of words, and the alphabet
    if KK_ONLY in h:
        of_kk = (h["morpho_emb_dropout"], "codepoints")
    if h["use_tags"]:
        yield Tags(h["tag_emb_dropout"])
    if h["use_words"]:
        yield Words(h["word_emb_dropout"])
    if h["use_chars_lstm"]:
        yield CharLSTM(width, MAX_WORD_LENGTH, h["char_lstm_input_dropout"], *of_kk)
    if h.get("use_chars_concat"):
        yield CharConcat(width, *of_kk)
    if h["use_elmo"]:
        yield Vectors(False, 1, h["elmo_dropout"], h["morpho_emb_dropout"])
    if reads_vectors(h):
        yield Vectors(learned_boundaries)


def _label_attention(
    h: Mapping[str, Any], n_heads: int, scrambled_queries: bool
) -> ReferenceLabelAttentionConfig:
    factored = bool(h["partitioned"] and h["lal_partitioned"])
    kind: Literal["split", "joint"] = "split" if factored else "joint"
    return ReferenceLabelAttentionConfig(
        n_heads=n_heads or None,
        attn_width=shared_width(h["lal_d_kv"], factored),
        proj_width=h["lal_d_proj"],
        factored=factored,
        attention_dropout=h["attention_dropout"],
        residual_dropout=h["residual_dropout"] if h["lal_resdrop"] else 0.0,
        query_per_token=bool(h["lal_q_as_matrix"]),
        combine_as_self=bool(h["lal_combine_as_self"]),
        scrambled_queries=scrambled_queries,
        shared_feed_forward=kind if h["lal_pwff"] else "none",
        shared_ff_width=h["d_ff"] if h["lal_pwff"] else 0,
        relu_dropout=h["relu_dropout"],
        ff_residual_dropout=h["residual_dropout"],
    )


def _layer(
    h: Mapping[str, Any], repeat: int, factored: bool, queries: Any = "features"
) -> configs.SelfAttentionLayerConfig:
    rates = ("attention_dropout", "relu_dropout", "residual_dropout")
    return configs.SelfAttentionLayerConfig(
        repeat=repeat,
        n_heads=h["num_heads"],
        attn_width=shared_width(h["d_kv"], factored),
        ff_width=shared_width(h["d_ff"], factored),
        factored=factored,
        queries=queries,
        **{rate: h[rate] for rate in rates},
    )


def shared_width(width: int, factored: bool) -> int:
    """A width as its parts share it: the reference rounds down, and uses 32 of 33
    factored features."""
    return width - 1 if factored and width > 2 and width % 2 else width


def reads_vectors(hparams: Mapping[str, Any]) -> bool:
    """With a character LSTM, the reference silently drops its XLNet vectors."""
    return bool(hparams.get("use_xlnet") and not hparams["use_chars_lstm"])


def network_config(
    hparams: Mapping[str, Any],
    state_dict: Mapping[str, Tensor],
    *,
    scrambled_queries: bool = False,
) -> tuple[configs.ParserNetworkConfig, configs.ParserSizes]:
    """The records of a checkpoint's network (`reference_config`), and its sizes, which
    come from the weights. A network without deprels is Kitaev & Klein's.

    scrambled_queries (bool): Reproduce the reference's batch effect."""
    n_deprels = len(state_dict.get("dep_score.bilinear.U", ()))
    defaults = DEFAULT_HPARAMS if n_deprels else KK_DEFAULT_HPARAMS
    h = {**defaults, **hparams}
    tables = {
        "use_tags": ("n_tags", "embedding.embs.0.weight"),
        "use_words": ("n_words", f"embedding.embs.{int(h['use_tags'])}.weight"),
        "use_chars_lstm": ("n_chars", "char_encoder.emb.weight"),
        "use_chars_concat": ("n_chars", "char_embedding.weight"),
    }
    sizes = {
        size: len(state_dict[key])
        for name, (size, key) in tables.items()
        if h.get(name)
    }
    if h["use_elmo"]:
        sizes["vector_width"] = state_dict["project_elmo.weight"].shape[1]
    if reads_vectors(h):
        sizes["vector_width"] = state_dict["project_xlnet.weight"].shape[1]
    n_label_heads = 0
    if h.get("use_lal"):
        part = "1" if h["partitioned"] and h["lal_partitioned"] else ""
        n_label_heads = len(state_dict[f"encoder.attn_{h['num_layers']}.w_ks{part}"])
    # EMPTY is no row; Kitaev & Klein's labels have no SUB_HEAD
    n_labels = len(state_dict["f_label.3.weight"]) + (1 if n_deprels else 2)
    config = reference_config(h, n_label_heads, scrambled_queries=scrambled_queries)
    return config, configs.ParserSizes(
        **sizes, n_labels=n_labels, n_deprels=n_deprels, n_label_heads=n_label_heads
    )


def build_reference_parser(
    tok2vec: Optional[Model[list[Doc], list[Floats2d]]],
    hparams: dict[str, Any],
    n_label_heads: Optional[int] = None,
    scrambled_queries: bool = False,
) -> ParserModel:
    """Registered as `spacy-lal.ReferenceParser.v1`: the LAL parser, or Kitaev & Klein's
    (2018), as the authors' hyperparameters describe it, for pipelines that `lal
    import-official` makes. For your own parser, use `spacy-lal.LALParser.v1`.

    tok2vec (Optional[Model]): Token vectors, as for `spacy-lal.LALParser.v1`. Required
        by use_xlnet.
    hparams (Dict[str, Any]): Hyperparameters by the authors' names; missing ones take
        the values of `spacy_lal.checkpoint.networks`. With num_layers_position_only
        they are Kitaev & Klein's.
    n_label_heads (Optional[int]): Label heads. None: one for each label of the
        treebank.
    scrambled_queries (bool): Reproduce a fault of their code, for their published
        scores: label queries meet the keys of other labels, depending on the number of
        sentences scored at once.
    """
    sentence_rows = tok2vec is not None and bool(tok2vec.attrs.get("sentence_rows"))
    network = reference_config(
        hparams,
        n_label_heads or 0,
        scrambled_queries=scrambled_queries,
        learned_boundaries=not sentence_rows,
    )
    return assemble_parser(tok2vec, network)
