"""A network's records as blocks of a config, by the names under which `setup.cfg` registers them."""

from dataclasses import fields, is_dataclass
from typing import Any, Dict

from ..layers.configs import FencepostsConfig, ParserNetworkConfig, SpanScorerConfig
from ..layers.encoders.configs import SelfAttentionLayerConfig
from ..layers.input_configs import CharConcat, CharLSTM, InputLayerConfig, Tags, Vectors, Words

NAMES = {
    Tags: "Tags",
    Words: "Words",
    CharLSTM: "CharLSTM",
    CharConcat: "CharConcat",
    Vectors: "Vectors",
    InputLayerConfig: "InputLayer",
    SelfAttentionLayerConfig: "SelfAttentionLayer",
    FencepostsConfig: "Fenceposts",
    SpanScorerConfig: "SpanScorer",
}
LEFT_OUT = {Vectors: ("learned_boundaries",), InputLayerConfig: ("features",)}  # no options of the block


def model_blocks(config: ParserNetworkConfig) -> Dict[str, Any]:
    """The block `model` of a parser of constituents alone, without label attention.

    config (ParserNetworkConfig): Its records.
    RETURNS (Dict[str, Any]): The block of `spacy-lal.LALParser.v1`, without its tok2vec.
    RAISES (ValueError): A record has no registered name.
    """
    inputs = _block(config.inputs)
    inputs["*"] = {feature.kind: _block(feature) for feature in config.inputs.features}
    encoder: Dict[str, Any] = {"@misc": "spacy-lal.NoEncoder.v1"}
    if config.encoder.layers:
        layers = {f"layers_{i}": _block(layer) for i, layer in enumerate(config.encoder.layers)}
        encoder = {"@misc": "spacy-lal.Encoder.v1", "*": layers}
    return {
        "@architectures": "spacy-lal.LALParser.v1",
        "hidden_width": config.hidden_width,
        "inputs": inputs,
        "encoder": encoder,
        "label_attention": None,
        "fenceposts": _block(config.fenceposts),
        "span_scorer": _block(config.span_scorer),
        "biaffine_scorer": None,
    }


def _block(record: Any) -> Dict[str, Any]:
    if type(record) not in NAMES:
        raise ValueError(f"expected a record that is registered as a block, got {record!r}")
    names = [field.name for field in fields(record) if field.name not in LEFT_OUT.get(type(record), ())]
    values = {name: getattr(record, name) for name in names}
    block = {name: _block(value) if is_dataclass(value) else value for name, value in values.items()}
    return {"@misc": f"spacy-lal.{NAMES[type(record)]}.v1", **block}
