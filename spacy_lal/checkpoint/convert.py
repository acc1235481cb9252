"""A checkpoint of the reference -> our network, its vocabularies, its config.

One table of key rules maps every weight. A weight without a place, or a place without a weight, is an error that lists
it (reference-parser.md 1.2 and 6). Not here: tokenizers and transformers, whose weights pass through unchanged.
"""

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence, Tuple

import torch
from torch import Tensor

from ..layers.configs import ParserNetworkConfig, ParserSizes
from ..layers.parser_network import ParserNetwork
from ..trees.labels import SUB_HEAD_LABEL, join_chain
from .flat import FlatConfig
from .hparams import checked_hparams
from .reader import Checkpoint, CheckpointError
from .records import quoted
from .reference.layers import EMBEDDINGS

# Their hyperparameter -> a field of `FlatConfig` with the same value.
PLAIN_HPARAMS: Dict[str, str] = {
    "d_char_emb": "char_width",
    "use_cat": "concatenate_features",
    "d_model": "hidden_width",
    "num_layers": "n_layers",
    "num_heads": "n_attn_heads",
    "d_kv": "attn_width",
    "d_ff": "ff_width",
    "partitioned": "factored",
    "sentence_max_len": "max_positions",
    "use_lal": "label_attention",
    "lal_d_kv": "label_attn_width",
    "lal_d_proj": "label_proj_width",
    "lal_resdrop": "label_residual_dropout",
    "lal_q_as_matrix": "label_query_per_token",
    "lal_combine_as_self": "label_combine_as_self",
    "d_label_hidden": "span_hidden_width",
    "d_biaffine": "arc_hidden_width",
    "attention_dropout": "attention_dropout",
    "embedding_dropout": "embedding_dropout",
    "relu_dropout": "relu_dropout",
    "residual_dropout": "residual_dropout",
    "tag_emb_dropout": "tag_dropout",
    "timing_dropout": "position_dropout",
    "char_lstm_input_dropout": "char_dropout",
}

# Their key -> ours: every rule is tried on every key, in this order. `{L}` is the number of self-attention layers, the
# index of their label attention layer; `{first}` and `{second}` are the kinds of embeddings in use.
KEY_RULES: Tuple[Tuple[str, str], ...] = (
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
TRANSFORMER_PREFIX = "xlnet."
MAX_WORD_LENGTH = 100_000  # no word is cut: the authors' character LSTM reads all of it
MAX_LISTED = 20  # names in a message
# Weights that the reference builds but never uses in a forward pass (reference-parser.md 1.4 and 4.1).
UNUSED_PREFIXES = ("roberta.", "project_roberta.", "f_tag.")


class LoadedNetwork(NamedTuple):
    """A network, its vocabularies, and the weights of its transformer.

    network (ParserNetwork): In evaluation mode.
    labels (List[str]): Constituent labels from id 2 on, as `LabelVocab` takes them.
    deprels (List[str]): Dependency labels by id.
    tags, words, chars (List[str]): Vocabularies by id; empty where the network does not read them.
    transformer (Dict[str, Tensor]): Weights of the XLNet model, by the names of `XLNetModel`; may be empty.
    constituency_weight (float): Weight of label scores against arc scores in the joint decoder (their `const_lada`).
    word_counts (List[int]): Of the words, in training data; empty where the network does not read them.
    """

    network: ParserNetwork
    labels: List[str]
    deprels: List[str]
    tags: List[str]
    words: List[str]
    chars: List[str]
    transformer: Dict[str, Tensor]
    constituency_weight: float
    word_counts: Sequence[int] = ()


def flat_config(hparams: Mapping[str, Any], n_label_heads: int, *, scrambled_queries: bool = False) -> FlatConfig:
    """The config of the network that some hyperparameters describe.

    hparams (Mapping[str, Any]): The reference's hyperparameters, all of them.
    n_label_heads (int): Label heads, which the hyperparameters do not give.
    scrambled_queries (bool): Reproduce the reference's batch effect.
    RAISES (ValueError): The hyperparameters make no network.
    """
    plain = {ours: hparams[theirs] for theirs, ours in PLAIN_HPARAMS.items()}
    label_factored = bool(hparams["partitioned"] and hparams["lal_partitioned"])
    feed_forward = "none"
    if hparams["use_lal"] and hparams["lal_pwff"]:
        feed_forward = "split" if label_factored else "joint"
    return FlatConfig(
        **plain,
        use_tags=bool(hparams["use_tags"]),
        use_chars=bool(hparams["use_chars_lstm"]),
        max_word_length=MAX_WORD_LENGTH,
        n_label_heads=n_label_heads or None,
        label_factored=label_factored,
        label_feed_forward=feed_forward,  # type: ignore[arg-type]
        scale_label_blocks=False,
        scrambled_queries=scrambled_queries,
        deprel_hidden_width=hparams["d_label_hidden"],
        deprel_given_head=False,
    )


def network_config(
    hparams: Mapping[str, Any], state_dict: Mapping[str, Tensor], *, scrambled_queries: bool = False
) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The config of a checkpoint's network, and its sizes, which come from the weights.

    hparams (Mapping[str, Any]): The reference's hyperparameters; missing ones take their defaults.
    state_dict (Mapping[str, Tensor]): The reference's weights.
    scrambled_queries (bool): Reproduce the reference's batch effect.
    RAISES (CheckpointError): The network needs unsupported parts (GloVe, ELMo, BERT), or lacks a weight.
    """
    given = checked_hparams(hparams, state_dict)
    _refuse_unsupported(given, state_dict)

    def size(key: str, axis: int = 0) -> int:
        if key not in state_dict or state_dict[key].dim() <= axis:
            raise CheckpointError(f"the checkpoint's weights lack {key!r}, which its hyperparameters call for")
        return int(state_dict[key].shape[axis])

    label_factored = bool(given["partitioned"] and given["lal_partitioned"])
    n_label_heads = 0
    if given["use_lal"]:
        n_label_heads = size(f"encoder.attn_{given['num_layers']}.w_ks{'1' if label_factored else ''}")
    try:
        flat = flat_config(given, n_label_heads, scrambled_queries=scrambled_queries)
        config = flat.compose(
            reads_vectors=reads_vectors(given),
            learned_boundaries=False,
            word_dropout=given["word_emb_dropout"] if given["use_words"] else None,
        )
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"the checkpoint's hyperparameters make no network: {error}") from error
    sizes = ParserSizes(
        vector_width=size("project_xlnet.weight", 1) if reads_vectors(given) else 0,
        n_tags=size("embedding.embs.0.weight") if given["use_tags"] else 0,
        n_words=size(f"embedding.embs.{int(given['use_tags'])}.weight") if given["use_words"] else 0,
        n_chars=size("char_encoder.emb.weight") if given["use_chars_lstm"] else 0,
        n_labels=size("f_label.3.weight") + 1,
        n_deprels=size("dep_score.bilinear.U"),
        n_label_heads=n_label_heads,
    )
    return config, sizes


def reads_vectors(hparams: Mapping[str, Any]) -> bool:
    """With a character LSTM, the reference silently drops its XLNet vectors unless it concatenates (T10)."""
    return bool(hparams["use_xlnet"]) and (bool(hparams["use_cat"]) or not hparams["use_chars_lstm"])


def _refuse_unsupported(hparams: Mapping[str, Any], state_dict: Mapping[str, Tensor]) -> None:
    """Refuse inputs that we do not build, by name."""
    refused = [name for name in ("use_elmo", "use_bert", "use_bert_only") if hparams[name]]
    if (hparams["use_words"] and hparams["embedding_type"] != "random") or any("pretrain_emb" in k for k in state_dict):
        refused.append(f"embedding_type={quoted(hparams['embedding_type'])} (GloVe)")
    if refused:
        raise CheckpointError(f"the checkpoint needs inputs that are not supported: {', '.join(refused)}")


def our_key(key: str, config: ParserNetworkConfig) -> str:
    """Translate the name of a reference weight by `KEY_RULES`: "encoder.attn_0.w_qs1" is
    "encoder.layers.0.attention.query.content" in our network."""
    kinds = [feature.kind for feature in config.inputs.features]
    tables = [kind for kind in EMBEDDINGS if kind in kinds] + ["?", "?"]
    n_layers = sum(layer.repeat for layer in config.encoder.layers)
    for pattern, replacement in KEY_RULES:
        pattern = pattern.replace("{L}", str(n_layers))
        key = re.sub(pattern, replacement.replace("{first}", tables[0]).replace("{second}", tables[1]), key)
    return key


def convert_state_dict(
    state_dict: Mapping[str, Tensor], config: ParserNetworkConfig, sizes: ParserSizes
) -> Dict[str, Tensor]:
    """The reference's weights under our names, each used once.

    state_dict (Mapping[str, Tensor]): The reference's weights; the transformer's weights are skipped.
    config (ParserNetworkConfig): The network to convert for.
    sizes (ParserSizes): Its sizes.
    RETURNS (Dict[str, Tensor]): A complete state of `ParserNetwork(config, sizes)`, float32.
    RAISES (CheckpointError): A weight has no place, a place no weight, or a shape differs; the message lists them.
    """
    try:
        with torch.device("meta"):
            wanted = {key: tuple(value.shape) for key, value in ParserNetwork(config, sizes).state_dict().items()}
    except RuntimeError as error:  # a size in bytes that has more than 64 bits
        raise CheckpointError(f"the checkpoint's hyperparameters make no network: {str(error)[:200]}") from error
    skipped = (TRANSFORMER_PREFIX, *UNUSED_PREFIXES, *(() if sizes.vector_width else ("project_xlnet.",)))
    converted, unused, misshapen = {}, [], []
    for key, value in state_dict.items():
        if key.startswith(skipped):
            continue
        ours = our_key(key, config)
        if ours not in wanted or ours in converted:
            unused.append(key)
        elif tuple(value.shape) != wanted[ours]:
            misshapen.append(f"{key} {tuple(value.shape)}, expected {wanted[ours]}")
        converted[ours] = value.detach()
    unfilled = sorted(wanted.keys() - converted.keys())
    problems = {"unused": unused, "not filled": unfilled, "of another shape": misshapen}
    if any(problems.values()):
        raise CheckpointError(f"the checkpoint's weights do not fit the network. {listed(problems)}")
    return to_float32(converted)


def to_float32(weights: Mapping[str, Tensor]) -> Dict[str, Tensor]:
    """Weights as float32.

    RAISES (CheckpointError): Some weights are not finite.
    """
    converted = {key: value.to(torch.float32) for key, value in weights.items()}
    infinite = [key for key, value in converted.items() if not value.isfinite().all()]
    if infinite:
        raise CheckpointError(f"the checkpoint's weights are not finite numbers. {listed({'in': infinite})}")
    return converted


def listed(problems: Mapping[str, List[str]]) -> str:
    """Problems for a message: the names of weights by kind of problem; of many names only the first."""
    parts = []
    for kind, names in problems.items():
        more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        parts += [f"{kind}: {', '.join(names[:MAX_LISTED])}{more}"] if names else []
    return "; ".join(parts)


def load_network(checkpoint: Checkpoint, *, scrambled_queries: bool = False) -> LoadedNetwork:
    """Build the network of a checkpoint.

    checkpoint (Checkpoint): From `read_checkpoint`.
    scrambled_queries (bool): Reproduce the reference's batch effect, for published scores.
    RETURNS (LoadedNetwork): The network and its vocabularies.
    RAISES (CheckpointError): The parts of the checkpoint do not fit together.
    """
    hparams = checked_hparams(checkpoint.hparams, checkpoint.state_dict)
    config, sizes = network_config(hparams, checkpoint.state_dict, scrambled_queries=scrambled_queries)
    converted = convert_state_dict(checkpoint.state_dict, config, sizes)  # before the network is made
    network = ParserNetwork(config, sizes)
    network.load_state_dict(converted)
    values = {name: vocabulary.values for name, vocabulary in checkpoint.vocabularies.items()}
    transformer = {}
    if sizes.vector_width:
        length = len(TRANSFORMER_PREFIX)
        items = checkpoint.state_dict.items()
        transformer = {key[length:]: value for key, value in items if key.startswith(TRANSFORMER_PREFIX)}
    expected = {"type_vocab": sizes.n_deprels, "tag_vocab": sizes.n_tags, "word_vocab": sizes.n_words}
    for name, size in {**expected, "label_vocab": sizes.n_labels}.items():
        if size and len(values[name]) != size:
            raise CheckpointError(f"{name} has {len(values[name])} entries, but the weights are for {size}")
    return LoadedNetwork(
        network=network.eval(),
        labels=label_strings(values["label_vocab"], [(), (SUB_HEAD_LABEL,)]),
        deprels=list(values["type_vocab"]),
        tags=list(values["tag_vocab"]) if sizes.n_tags else [],
        words=list(values["word_vocab"]) if sizes.n_words else [],
        chars=list(values["char_vocab"]) if sizes.n_chars else [],
        transformer=transformer,
        constituency_weight=float(hparams["const_lada"]),
    )


def label_strings(values: List[Any], fixed: List[Tuple[str, ...]]) -> List[str]:
    """Label tuples as strings, without the fixed labels.

    RAISES (CheckpointError): A label is no tuple, or the fixed labels do not come first.
    """
    strange = [value for value in values if not isinstance(value, tuple)]
    if strange:
        raise CheckpointError(f"the label vocabulary holds {quoted(strange[0])}: expected tuples of strings")
    if values[: len(fixed)] != fixed:
        first = ", ".join(quoted(join_chain(chain)) for chain in values[: len(fixed)])
        expected = " and ".join(repr(join_chain(chain)) if chain else "the empty chain" for chain in fixed)
        raise CheckpointError(f"the label vocabulary begins with {first}, expected {expected}")
    return [join_chain(chain) for chain in values[len(fixed) :]]
