"""A parser network that is quick to run: what every test of networks starts from."""

from typing import Any, Tuple

from flat_config import FlatConfig

from spacy_lal.layers.configs import ParserNetworkConfig, ParserSizes
from spacy_lal.layers.parser_network import ParserNetwork

# Options by the names of `FlatConfig`, which are shorter to write than blocks, and sizes by those of `ParserSizes`.
SETTINGS = {
    "use_chars": False,
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
}

# The options of a tok2vec in a config, under any section.
TOK2VEC = """
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 8
depth = 1
embed_size = 50
window_size = 1
maxout_pieces = 2
subword_features = true
"""


def network_config(**changes: Any) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The blocks and the sizes of a tiny network.

    changes: Of `SETTINGS`; also `learned_boundaries` and `word_dropout`, see `FlatConfig.compose`. Tags, words and
        characters are read where `n_tags`, `n_words` and `n_chars` are set.
    """
    options = {**SETTINGS, **changes}
    sizes = {name: options.pop(name) for name in ParserSizes.__dataclass_fields__ if name in options}
    options["n_label_heads"] = sizes.get("n_label_heads")
    options["use_tags"], options["use_chars"] = bool(sizes.get("n_tags")), bool(sizes.get("n_chars"))
    word_dropout = options.pop("word_dropout", 0.0 if sizes.get("n_words") else None)
    learned_boundaries = options.pop("learned_boundaries", True)
    config = FlatConfig(**options).compose(
        reads_vectors=bool(sizes.get("vector_width")), learned_boundaries=learned_boundaries, word_dropout=word_dropout
    )
    return config, ParserSizes(**sizes)


def make_network(**changes: Any) -> ParserNetwork:
    """A tiny network with fresh weights; `changes` as for `network_config`."""
    return ParserNetwork(*network_config(**changes))
