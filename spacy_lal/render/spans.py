"""Style "spans": the constituents of each sentence as bars below its words, by displaCy."""

from typing import Dict, List, Optional

from spacy.displacy.render import SpanRenderer
from spacy.language import Language

from ..display.colors import chain_color
from ..display.markup import escape, scroll_box, shorten, visible
from ..export import Sentence
from ..trees import split_chain
from .sentences import require, shown_sentences, writing
from .styles import Item, Options

# displaCy's, but a token is as wide as the labels that begin at it: no label covers its neighbour's.
_SPAN_TEMPLATES = {
    "span": '<span dir="auto" style="font-weight: bold; display: inline-block; position: relative; '
    'vertical-align: top; height: {total_height}px;">{text}{span_slices}{span_starts}</span> ',
    "slice": '<span style="background: {bg}; top: {top_offset}px; height: 4px; left: -1px; width: calc(100% + 7px); '
    'position: absolute;"></span>',
    "start": '<span style="background: {bg}; top: {top_offset}px; height: 4px; border-top-left-radius: 3px; '
    'border-bottom-left-radius: 3px; left: -1px; width: calc(100% + 2px); position: absolute;">'
    '<span style="background: {bg}; z-index: 10; color: #000; top: -0.5em; padding: 2px 3px; position: absolute; '
    'font-size: 0.6em; font-weight: bold; line-height: 1; border-radius: 3px">{label}{kb_link}</span></span>'
    '<span aria-hidden="true" style="display: block; visibility: hidden; height: 0; line-height: 0; '
    'font-size: 0.6em; padding: 0 4px">{label}</span>',
}


def draw(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
    """The pictures of a Doc or Span, one for each sentence with words.

    options (Dict[str, Any]): displaCy's, such as `colors` and `top_offset`.
    RAISES (ValueError): A Span crosses a sentence boundary. (RenderError): The Doc has no constituents.
    """
    sentences = shown_sentences(item)
    for sentence in sentences:
        require(sentence, "spans", "constituents")
    return [_draw(sentence, options) for sentence in sentences]


def _draw(sentence: Sentence, options: Options) -> str:
    spans, colors = [], {}
    given: Dict[str, str] = options.get("colors", {})
    for start, end, chain in sentence.constituents or []:
        label = escape(chain)  # displaCy does not escape labels
        labels = split_chain(chain)
        colors[label] = next((given[one] for one in (chain, *labels) if one in given), chain_color(labels))
        spans.append({"start_token": start, "end_token": end, "label": label})
    looks = {"template": _SPAN_TEMPLATES, "top_offset": 36, **options, "colors": {**given, **colors}}
    renderer = SpanRenderer(looks)
    renderer.direction = writing(sentence.tokens[0].doc)["direction"]
    tokens = [shorten(visible(token.text)) for token in sentence.tokens]
    return scroll_box(renderer.render_spans(tokens, spans, None), f"Constituents: {sentence.text}")
