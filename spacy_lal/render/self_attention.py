"""Style "attention" with a layer: a map of the encoder's self-attention. It always shows whole sentences."""

from typing import List, Optional

from spacy.language import Language
from spacy.tokens import Doc

from ..display.attention_map import attention_map
from ..display.markup import scroll_box
from ..display.svg import Svg
from .label_heads import draw_attention as draw_label_heads
from .styles import Item, Options, needed_pipeline


def draw_attention(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
    """Attention of one head of one layer from each position to each, one picture for each sentence with words; pairs
    that a selector chooses are outlined. Without `layer` and `head`: the attention of the label heads.

    options (Dict[str, Any]): `layer`, from 0 (default: 0); `head`, from 0 (default: the mean over heads, without
        outlines); `n_shown` of label heads.
    RAISES (ValueError): The layer or head does not exist; as `interpret.self_attention`; without `nlp`.
    """
    if "layer" not in options and "head" not in options:
        return draw_label_heads(item, options, nlp)
    return [scroll_box(svg.markup, svg.title) for svg in draw_svgs(item, options, nlp)]


def draw_svgs(item: Item, options: Options, nlp: Optional[Language]) -> List[Svg]:
    """The maps as SVG. See `draw_attention`.

    RAISES (ValueError): As `draw_attention`; neither `layer` nor `head` is given: label heads are drawn as HTML alone.
    """
    if "layer" not in options and "head" not in options:
        raise ValueError(
            "format 'svg' of style 'attention' draws a map of self-attention: expected the option 'layer' or 'head', "
            f"got {', '.join(options) or 'no option'}"
        )
    nlp = needed_pipeline(nlp, "attention")
    return draw_maps(item, nlp, options.get("layer", 0), options.get("head"))


def draw_maps(item: Item, nlp: Language, layer: int = 0, head: Optional[int] = None) -> List[Svg]:
    """The pictures as SVG; `spacy_lal.display.svg.stand_alone` makes a file of them.

    layer (int): Number of a self-attention layer.
    head (Optional[int]): Number of a head; None for the mean over heads.
    RAISES (ValueError): As `draw_attention`.
    """
    from ..interpret import self_attention  # imports torch

    found = self_attention(nlp, item) if isinstance(item, Doc) else [self_attention(nlp, item)]
    pictures = []
    for attention in found:
        if len(attention.tokens) < 3:  # a sentence of whitespace: START and STOP alone
            continue
        _check_number("layer", layer, len(attention.layers))
        one = attention.layers[layer]
        if head is None:
            weights, choice, name = one.weights.mean(axis=0), None, f"mean of {len(one.weights)} heads"
        else:
            _check_number("head", head, len(one.weights))
            weights, name = one.weights[head], f"head {head}"
            choice = None if one.choice is None else one.choice[head].tolist()
        title = f"Self-attention, layer {layer}, {name}"
        pictures.append(attention_map(weights.tolist(), attention.tokens, chosen=choice, title=title))
    return pictures


def _check_number(what: str, value: object, n: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < n:
        raise ValueError(f"{what} of an attention map: expected an integer from 0 to {n - 1}, got {value!r}")
