"""Names of weights in pipelines that were saved with another structure of the network, translated into ours."""

import re
from typing import Any, Dict, Mapping, Tuple

# Each rule is tried on each key, in this order. No rule matches a key of the current network.
KEY_RULES: Tuple[Tuple[str, str], ...] = (
    (r"^embedding\.(tags|words)\.", r"inputs.features.\1.embedding."),
    (r"^embedding\.chars\.", "inputs.features.chars."),
    (r"^embedding\.vector_projection\.", "inputs.features.vectors.projection."),
    (r"^embedding\.boundary_vectors$", "inputs.features.vectors.boundaries"),
    (r"^embedding\.", "inputs."),
    (r"^encoder\.(attention|feed_forward)\.(\d+)\.", r"encoder.layers.\2.\1."),
    (r"^encoder\.label_attention\.", "label_attention."),
    (r"^encoder\.label_feed_forward\.", "label_attention.feed_forward."),
)


def rename_keys(state: Mapping[str, Any]) -> Dict[str, Any]:
    """A state dict under the names of the current network.

    state (Mapping[str, Any]): Of the current network, or of one saved by a version that had only `LALParser.v1`.
    RETURNS (Dict[str, Any]): The same values, in the same order.
    """
    renamed = {}
    for key, value in state.items():
        for pattern, replacement in KEY_RULES:
            key = re.sub(pattern, replacement, key)
        renamed[key] = value
    return renamed
