"""Config blocks that hold any number of further blocks: the input layer's features and the encoder's layers.

The other blocks are the records of `spacy_lal.layers` themselves, registered as they are.
"""

from typing import Literal, Optional

from ..layers.encoders import EncoderLayer
from ..layers.encoders.encoder import EncoderConfig
from ..layers.input_layer import InputLayerConfig
from ..layers.word_features import WordFeature
from ..layers.word_features.vectors import Vectors


def make_input_layer(
    *features: WordFeature,
    join: Literal["concat", "sum"] = "concat",
    max_positions: int = 512,
    position_dropout: float = 0.0,
    dropout: float = 0.2,
    position_scale: Optional[float] = None,
) -> InputLayerConfig:
    """See `InputLayerConfig`. Each feature is a block `[....inputs.*.NAME]`; names are free, their order matters."""
    return InputLayerConfig(
        features=features,
        join=join,
        max_positions=max_positions,
        position_dropout=position_dropout,
        dropout=dropout,
        position_scale=position_scale,
    )


def make_vectors(mix_layers: int = 1, vector_dropout: float = 0.0, dropout: float = 0.0) -> Vectors:
    """The vectors of the model's `tok2vec` as a word feature; see `Vectors`."""
    return Vectors(mix_layers=mix_layers, vector_dropout=vector_dropout, dropout=dropout)


def make_encoder(*layers: EncoderLayer) -> EncoderConfig:
    """An encoder. Each kind of layer is a block `[....encoder.*.NAME]`; names are free, their order matters. The config
    system requires at least one; see `make_no_encoder`.

    *layers (EncoderLayer): In order.
    """
    return EncoderConfig(layers=layers)


def make_no_encoder() -> EncoderConfig:
    """An encoder without layers: positions keep their embeddings."""
    return EncoderConfig()
