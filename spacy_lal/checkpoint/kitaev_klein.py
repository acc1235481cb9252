"""Checkpoints of Kitaev & Klein's parser (2018), a parser of constituents alone (reference-encoders.md A14).

Their weights have the names of the LAL parser's, which was made from it: `convert.py` translates them. Here are their
hyperparameters, their features, and their labels, without a sub-head label. *Not* here: ELMo.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Dict, FrozenSet, List, Mapping, Optional, Tuple

import torch
from torch import Tensor

from ..layers.configs import FencepostsConfig, ParserNetworkConfig, ParserSizes, SpanScorerConfig
from ..layers.encoders.configs import EncoderConfig, SelfAttentionLayerConfig
from ..layers.input_configs import CharConcat, CharLSTM, InputLayerConfig, Tags, Vectors, WordFeature, Words
from ..layers.parser_network import ParserNetwork
from ..trees import SUB_HEAD, SUB_HEAD_LABEL
from ..trees.escapes import unescape_word
from .convert import MAX_WORD_LENGTH, LoadedNetwork, convert_state_dict, label_strings
from .flat import shared_width
from .hparams import checked_hparams
from .reader import Checkpoint
from .records import CheckpointError, quoted

# Their hyperparameters, with a value where a checkpoint may lack one.
DEFAULT_HPARAMS: Dict[str, Any] = {
    "num_layers": 8,
    "num_layers_position_only": 0,
    "d_model": 1024,
    "num_heads": 8,
    "d_kv": 64,
    "d_ff": 2048,
    "d_label_hidden": 250,
    "d_char_emb": 32,
    "partitioned": True,
    "sentence_max_len": 300,
    "attention_dropout": 0.2,
    "embedding_dropout": 0.0,
    "relu_dropout": 0.1,
    "residual_dropout": 0.2,
    "tag_emb_dropout": 0.2,
    "word_emb_dropout": 0.4,
    "morpho_emb_dropout": 0.2,
    "timing_dropout": 0.0,
    "char_lstm_input_dropout": 0.2,
    "elmo_dropout": 0.5,
    "use_tags": False,
    "use_words": False,
    "use_chars_lstm": False,
    "use_chars_concat": False,
    "use_elmo": False,
}
FEATURES = ("use_tags", "use_words", "use_chars_lstm", "use_chars_concat", "use_elmo")
SUB_HEAD_SCORE = -1e4  # our label vocabulary has a sub-head label, which their trees never have
SKIPPED = "elmo."


@dataclass(frozen=True)
class Switches:
    """The switches that make the models of the paper (reference-encoders.md A2).

    join (str): "concat" or "sum": how words and positions are joined.
    factored (bool): Whether the matrices of all layers keep content and position apart.
    interleave (bool): Whether the halves of a fencepost are even and odd features, or first and last ones.
    position_only (FrozenSet[int]): Layers whose queries and keys are made of positions alone.
    """

    join: str
    factored: bool
    interleave: bool
    position_only: FrozenSet[int] = frozenset()

    @classmethod
    def released(cls, hparams: Mapping[str, Any]) -> "Switches":
        """The switches of the released code, where `partitioned` sets three of them together.

        RAISES (CheckpointError): The layers are factored, and some are position-only.
        """
        factored, n_position_only = bool(hparams["partitioned"]), hparams["num_layers_position_only"]
        if factored and n_position_only:
            raise CheckpointError(
                f"the checkpoint's hyperparameters make no network: num_layers_position_only is {n_position_only}, "
                "expected 0 with partitioned"
            )
        return cls("concat" if factored else "sum", factored, factored, frozenset(range(n_position_only)))


def is_kitaev_klein(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint is of Kitaev & Klein's code: it has no dependency labels."""
    return "type_vocab" not in checkpoint.vocabularies


def network_config(
    hparams: Mapping[str, Any], state_dict: Mapping[str, Tensor], switches: Optional[Switches] = None
) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The config of a checkpoint's network, and its sizes, which come from the weights.

    hparams (Mapping[str, Any]): Their hyperparameters; missing ones take their defaults.
    state_dict (Mapping[str, Tensor]): Their weights.
    switches (Optional[Switches]): For a model of the paper that the released code does not make. None: by the
        hyperparameters.
    RAISES (CheckpointError): The hyperparameters make no network, or the weights lack some.
    """
    given = checked_hparams(hparams, state_dict, DEFAULT_HPARAMS)
    switches = switches or Switches.released(given)

    def size(key: str, axis: int = 0) -> int:
        if key not in state_dict or state_dict[key].dim() <= axis:
            raise CheckpointError(f"the checkpoint's weights lack {key!r}, which its hyperparameters call for")
        return int(state_dict[key].shape[axis])

    try:
        config = ParserNetworkConfig(
            hidden_width=given["d_model"],
            inputs=InputLayerConfig(
                features=tuple(_features(given)),
                join=switches.join,  # type: ignore[arg-type]
                max_positions=given["sentence_max_len"],
                position_dropout=given["timing_dropout"],
                dropout=given["embedding_dropout"],
                position_scale=1.0,
            ),
            encoder=EncoderConfig(tuple(_layers(given, switches))),
            label_attention=None,
            fenceposts=FencepostsConfig(halves="even_odd" if switches.interleave else "first_second"),
            span_scorer=SpanScorerConfig(hidden_width=given["d_label_hidden"]),
            biaffine_scorer=None,
        )
    except (TypeError, ValueError) as error:
        raise CheckpointError(f"the checkpoint's hyperparameters make no network: {error}") from error
    sizes = ParserSizes(
        vector_width=size("project_elmo.weight", 1) if given["use_elmo"] else 0,
        n_tags=size("embedding.embs.0.weight") if given["use_tags"] else 0,
        n_words=size(f"embedding.embs.{int(given['use_tags'])}.weight") if given["use_words"] else 0,
        n_chars=_n_chars(given, size),
        n_labels=size("f_label.3.weight") + 2,
    )
    return config, sizes


def _n_chars(hparams: Mapping[str, Any], size: Any) -> int:
    if hparams["use_chars_lstm"]:
        return size("char_encoder.emb.weight")
    return size("char_embedding.weight") if hparams["use_chars_concat"] else 0


def _features(hparams: Mapping[str, Any]) -> List[WordFeature]:
    char_width, morpho = hparams["d_char_emb"], hparams["morpho_emb_dropout"]
    made: Dict[str, WordFeature] = {
        "use_tags": Tags(hparams["tag_emb_dropout"]),
        "use_words": Words(hparams["word_emb_dropout"]),
        "use_chars_lstm": CharLSTM(
            char_width, MAX_WORD_LENGTH, hparams["char_lstm_input_dropout"], morpho, "codepoints"
        ),
        "use_chars_concat": CharConcat(char_width, morpho, "codepoints"),
        "use_elmo": Vectors(learned_boundaries=False, vector_dropout=hparams["elmo_dropout"], dropout=morpho),
    }
    return [made[name] for name in FEATURES if hparams[name]]


def _layers(hparams: Mapping[str, Any], switches: Switches) -> List[SelfAttentionLayerConfig]:
    """One record for each run of equal layers."""
    kinds = [i in switches.position_only for i in range(hparams["num_layers"])]
    return [
        SelfAttentionLayerConfig(
            repeat=len(list(run)),
            n_heads=hparams["num_heads"],
            attn_width=shared_width(hparams["d_kv"], switches.factored),
            ff_width=shared_width(hparams["d_ff"], switches.factored),
            factored=switches.factored,
            queries="positions" if reads_positions else "features",
            attention_dropout=hparams["attention_dropout"],
            relu_dropout=hparams["relu_dropout"],
            residual_dropout=hparams["residual_dropout"],
        )
        for reads_positions, run in groupby(kinds)
    ]


def converted_weights(
    state_dict: Mapping[str, Tensor], config: ParserNetworkConfig, sizes: ParserSizes
) -> Dict[str, Tensor]:
    """Their weights under our names, with the row of a sub-head label, whose score is always low.

    RETURNS (Dict[str, Tensor]): A complete state of `ParserNetwork(config, sizes)`, float32.
    RAISES (CheckpointError): The weights do not fit the network.
    """
    weights = {key: value for key, value in state_dict.items() if not key.startswith(SKIPPED)}
    for key, fill in (("f_label.3.weight", 0.0), ("f_label.3.bias", SUB_HEAD_SCORE)):
        if key in weights and weights[key].dim():
            row = torch.full_like(weights[key][:1], fill, dtype=torch.float32)
            weights[key] = torch.cat([weights[key][: SUB_HEAD - 1], row, weights[key][SUB_HEAD - 1 :]])
    return convert_state_dict(weights, config, sizes)


def build_network(
    hparams: Mapping[str, Any], state_dict: Mapping[str, Tensor], switches: Optional[Switches] = None
) -> ParserNetwork:
    """The network of a checkpoint, in evaluation mode.

    hparams, state_dict, switches: As for `network_config`.
    RAISES (CheckpointError): The weights do not fit the network.
    """
    config, sizes = network_config(hparams, state_dict, switches)
    converted = converted_weights(state_dict, config, sizes)  # before the network is made
    network = ParserNetwork(config, sizes)
    network.load_state_dict(converted)
    return network.eval()


def load_constituents(checkpoint: Checkpoint) -> LoadedNetwork:
    """Build the network of a checkpoint of Kitaev & Klein's parser.

    checkpoint (Checkpoint): From `read_checkpoint`.
    RETURNS (LoadedNetwork): The network and its vocabularies. Words are raw text: `-LRB-` is `(`.
    RAISES (CheckpointError): The parts of the checkpoint do not fit together, or it reads ELMo's vectors.
    """
    if checkpoint.hparams.get("use_elmo"):
        raise CheckpointError(
            "the checkpoint's network reads what is not supported: use_elmo (ELMo vectors); supported are tags "
            "(use_tags), words (use_words) and characters (use_chars_lstm, use_chars_concat)"
        )
    network = build_network(checkpoint.hparams, checkpoint.state_dict)
    sizes, values = network.sizes, {name: one.values for name, one in checkpoint.vocabularies.items()}
    expected = {"tag_vocab": sizes.n_tags, "word_vocab": sizes.n_words, "char_vocab": sizes.n_chars}
    for name, size in {**expected, "label_vocab": sizes.n_labels - 1}.items():
        if size and len(values[name]) != size:
            raise CheckpointError(f"{name} has {len(values[name])} entries, but the weights are for {size}")
    labels = label_strings(values["label_vocab"], [()])
    if SUB_HEAD_LABEL in labels:
        raise CheckpointError(f"the label vocabulary has {SUB_HEAD_LABEL!r}: expected labels of constituents alone")
    words = values["word_vocab"] if sizes.n_words else []
    counts = checkpoint.vocabularies["word_vocab"].counts
    return LoadedNetwork(
        network=network,
        labels=labels,
        deprels=[],
        tags=list(values["tag_vocab"]) if sizes.n_tags else [],
        words=_raw_words(words),
        chars=list(values["char_vocab"]) if sizes.n_chars else [],
        transformer={},
        constituency_weight=1.0,
        word_counts=[max(0, counts.get(word, 0)) for word in words],
    )


def _raw_words(words: List[Any]) -> List[str]:
    """Words as they stand in a text. A word whose raw form is in the vocabulary, too, stays escaped.

    RAISES (CheckpointError): A word is no string.
    """
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise CheckpointError(f"the word vocabulary holds {quoted(strange[0])}: expected strings")
    raw = [unescape_word(word) for word in words]
    counts = Counter(raw)
    return [one if one and counts[one] == 1 else word for word, one in zip(words, raw, strict=True)]
