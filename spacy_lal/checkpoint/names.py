"""The authors' names of weights -> ours. Kitaev & Klein's weights have the LAL parser's names, which was made from it.

One table of rules maps every weight (reference-parser.md 1.2 and 6).
"""

import re
from typing import Dict, Mapping, Tuple

from torch import Tensor

from ..layers.configs import ParserNetworkConfig, ParserSizes

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
# Weights that the reference builds but never uses in a forward pass (reference-parser.md 1.4 and 4.1).
UNUSED_PREFIXES = ("roberta.", "project_roberta.", "f_tag.")
EMBEDDINGS = ("tags", "words")  # kinds of word features that the reference calls embeddings; others are extras


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
    """The reference's weights under our names, float32, without the transformer's and those that are never used."""
    skipped = (TRANSFORMER_PREFIX, *UNUSED_PREFIXES, *(() if sizes.vector_width else ("project_xlnet.",)))
    return {our_key(key, config): value.float() for key, value in state_dict.items() if not key.startswith(skipped)}
