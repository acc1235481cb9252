"""`render(doc, style=...)`: pictures of a parse, with the interface of `spacy.displacy.render`.

svgling draws trees, displaCy arcs and constituents; label attention is a heat map. Each sentence has one picture, in a
box that scrolls. Every string of the text is escaped here or in `display/`: displaCy escapes words, but not tags and
labels.
"""

import hashlib
import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Union

from spacy import displacy
from spacy.displacy.render import DependencyRenderer, SpanRenderer
from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter, minify_html

from .annotations.span_groups import check_present
from .display.colors import chain_color
from .display.heatmap import N_SHOWN, heatmap
from .display.markup import escape, scroll_box, shorten, shown_width, visible
from .display.page import html_page
from .display.tree import tree_to_svg
from .export import Sentence, read_sentences
from .trees import split_chain

if TYPE_CHECKING:
    from spacy.language import Language

STYLES = ("tree", "dep", "spans", "attention", "contributions")
MAX_ROUND_LEVELS = 6  # with more levels, arcs are drawn in displaCy's compact form
ARC_WORD = 18  # characters of a word below arcs: the longest word sets the distance of all words
WORD_LETTER, LABEL_LETTER, MIN_DISTANCE = 9, 9, 115  # pixels, in displaCy's arcs

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


class RenderError(ValueError):
    """The Doc lacks the annotation that the style shows."""


def render(
    docs: Union[Iterable[Union[Doc, Span]], Doc, Span],
    style: str = "tree",
    page: bool = False,
    minify: bool = False,
    jupyter: Optional[bool] = None,
    options: Optional[Dict[str, Any]] = None,
    *,
    nlp: Optional["Language"] = None,
) -> Optional[str]:
    """Draw parses: a notebook displays them, elsewhere the markup is returned.

    docs (Union[Iterable[Union[Doc, Span]], Doc, Span]): Parsed Docs, or Spans, each within one sentence. Sentences of
        whitespace alone have no picture.
    style (str): "tree" (constituency, SVG), "dep" (displaCy's arcs, SVG), "spans" (constituents by displaCy, HTML; a
        unary chain is one span), "attention" (attention of the label heads, HTML), "contributions" (contributions of
        the label heads to the score of each constituent, HTML). The last two always show whole sentences.
    page (bool): Return a whole, self-contained HTML page.
    minify (bool): Leave line breaks and indentation out.
    jupyter (Optional[bool]): Display (True) or return (False). Default: display in a notebook.
    options (Optional[Dict[str, Any]]): For "dep" and "spans", displaCy's options (`compact`, `distance`, `colors`,
        ...); for "attention" and "contributions", `n_shown`, the number of label heads shown at first.
    nlp (Optional[Language]): For "attention" and "contributions", the pipeline that parsed: its network is run again.
    RETURNS (Optional[str]): HTML or SVG; None if it was displayed.
    RAISES (ValueError): The style is unknown, or needs `nlp`; a Span crosses a sentence boundary or, for "tree", is no
        constituent; sentence boundaries are missing; as `interpret.label_attention` and
        `interpret.constituent_contributions`. (RenderError): The Doc has no parse.
        (ImportError): The style is "tree" and svgling is not installed.
    """
    if style not in STYLES:
        raise ValueError(f"expected a style of {', '.join(STYLES)}, got {style!r}")
    items = [docs] if isinstance(docs, (Doc, Span)) else list(docs)
    pieces: List[str] = []
    for item in items:
        pieces += draw(item, style, options or {}, nlp)
    html = "\n".join(pieces)
    if page:
        html = html_page("Parses", html, **(writing(items[0]) if items else {}))
    if minify:
        html = minify_html(html)
    if displacy.RENDER_WRAPPER is not None:
        html = displacy.RENDER_WRAPPER(html)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        # displaCy's: the class keeps MathJax away from dollar signs
        display(HTML(f'<span class="tex2jax_ignore">{html}</span>'))
        return None
    return html


def draw(item: Union[Doc, Span], style: str, options: Dict[str, Any], nlp: Optional["Language"] = None) -> List[str]:
    """The pictures of a Doc or Span, one for each sentence with words. See `render`."""
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    if not len(item):
        return []
    if style in ("attention", "contributions"):
        if nlp is None:
            raise ValueError(f"style {style!r} asks the network again: expected the pipeline too, render(..., nlp=nlp)")
        draw_numbers = _draw_attention if style == "attention" else _draw_contributions
        return draw_numbers(item, options.get("n_shown", N_SHOWN), nlp)
    sentences = _sentences(item)
    for sentence in sentences:
        missing = sentence.heads is None if style == "dep" else sentence.constituents is None
        if missing:
            what = "dependencies (token.head)" if style == "dep" else 'constituents (doc.spans["constituents"])'
            raise RenderError(
                f"style {style!r}: the Doc has no {what}: it must come from a pipeline whose lal_parser sets them"
            )
    draw_one = {"tree": _draw_tree, "dep": _draw_arcs, "spans": _draw_spans}[style]
    return [draw_one(sentence, options) for sentence in sentences]


def writing(item: Union[Doc, Span]) -> Dict[str, str]:
    """The language of a Doc and its writing direction: `lang` ("en") and `direction` ("ltr")."""
    system = item.vocab.writing_system
    return {"lang": item.vocab.lang or "en", "direction": system.get("direction", "ltr")}


def _sentences(item: Union[Doc, Span]) -> List[Sentence]:
    """The sentences of a Doc that have words, or a Span's part of its sentence."""
    if isinstance(item, Doc):
        return list(read_sentences(item))
    check_present(item)
    touched = [
        sentence
        for sentence in read_sentences(item.doc)
        if sentence.tokens[0].i < item.end and item.start <= sentence.tokens[-1].i
    ]
    if len(touched) > 1:
        raise ValueError(f"expected a Span of one sentence, got one over {len(touched)}: draw each of span.sents")
    return [sentence.cut(item.start, item.end) for sentence in touched if any(not token.is_space for token in item)]


def _draw_tree(sentence: Sentence, options: Dict[str, Any]) -> str:
    constituents = sentence.constituents or []
    if sentence.is_cut and len(sentence.tokens) > 1 and (0, len(sentence.tokens)) not in [c[:2] for c in constituents]:
        raise ValueError(f"expected a Span that is a constituent or a sentence, got {sentence.text!r}")
    title = f"Constituency tree: {sentence.text}"
    svg = tree_to_svg(sentence.tree(), title=title, direction=writing(sentence.tokens[0].doc)["direction"])
    return scroll_box(svg, title)


def _draw_arcs(sentence: Sentence, options: Dict[str, Any]) -> str:
    words = [
        {
            "text": shorten(visible(token.text), ARC_WORD),
            "tag": escape(token.tag_ or token.pos_),
            "lemma": escape(shorten(token.lemma_, ARC_WORD)) if options.get("add_lemma") else None,
        }
        for token in sentence.tokens
    ]
    arcs = []
    for dependent, (head, deprel) in enumerate(zip(sentence.heads or [], sentence.deprels, strict=True), start=1):
        if head:
            start, end = sorted((dependent - 1, head - 1))
            direction = "left" if dependent < head else "right"
            arcs.append({"start": start, "end": end, "label": escape(deprel), "dir": direction})
    widths = [shown_width(str(word["text"])) * WORD_LETTER + 20 for word in words]
    distance = max([MIN_DISTANCE, *widths, *(len(deprel) * LABEL_LETTER for deprel in sentence.deprels)])
    n_levels = max(DependencyRenderer().get_levels(arcs).values(), default=0)
    looks = {
        "color": "currentColor",
        "bg": "transparent",
        "distance": distance,
        "offset_x": max(50, widths[0] // 2),
        "compact": n_levels > MAX_ROUND_LEVELS,
        # displaCy shortens an arc by this much for each level above it: below many levels, it would vanish.
        "arrow_spacing": min(20, 80 / max(n_levels, 1)),
    }
    renderer = DependencyRenderer({**looks, **options})
    manner = writing(sentence.tokens[0].doc)
    renderer.lang, renderer.direction = manner["lang"], manner["direction"]
    # displaCy's own ids are random. An id made from the content gives the same markup for the same Doc.
    content = repr((words, arcs, sorted(options.items(), key=str)))
    render_id = f"lal-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    svg = renderer.render_svg(render_id, words, arcs).strip()
    title = f"Dependency arcs: {sentence.text}"
    return scroll_box(_finish_arcs(svg, renderer, title), title)


def _finish_arcs(svg: str, renderer: DependencyRenderer, title: str) -> str:
    """Name displaCy's drawing, and remove the empty space above the arcs and below the tags."""
    # Whitespace between a word and its tag would count as letters and shift them.
    svg = re.sub(r">\s+<", "><", svg)
    # Curves rise three quarters of the way to their control points; compact arcs are level and rise a third.
    level = renderer.distance / 2
    rise = renderer.highest_level * level * (1 / 3 if renderer.compact else 3 / 4)
    top = max(renderer.offset_y - rise - 15, 0)
    height = renderer.height - top - 0.5 * renderer.word_spacing
    opening, rest = svg.split(">", 1)
    opening = opening.replace(f'height="{renderer.height}"', f'height="{height}"')
    opening = opening.replace(f"height: {renderer.height}px", f"height: {height}px")
    view = f'viewBox="0 {top} {renderer.width} {height}"'
    opening = opening.replace("<svg ", f'<svg role="img" aria-label="{escape(title)}" {view} ', 1)
    return f"{opening}>{rest}"


def _draw_spans(sentence: Sentence, options: Dict[str, Any]) -> str:
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


def _draw_attention(item: Union[Doc, Span], n_shown: int, nlp: "Language") -> List[str]:
    from .interpret import label_attention  # imports torch

    found = label_attention(nlp, item) if isinstance(item, Doc) else [label_attention(nlp, item)]
    pictures = []
    for attention in found:
        if len(attention.tokens) < 3:  # a sentence of whitespace: START and STOP alone
            continue
        # An idle head may attend to START or STOP: rows are sorted by attention to words alone.
        strongest = attention.weights[:, 1:-1].max(axis=1).tolist()
        picture = heatmap(
            attention.weights.tolist(),
            attention.heads,
            attention.tokens,
            title="Share of its attention that a label head gives to each word",
            row_kind="label heads",
            n_shown=n_shown,
            sort_by=strongest,
        )
        pictures.append(picture)
    return pictures


def _draw_contributions(item: Union[Doc, Span], n_shown: int, nlp: "Language") -> List[str]:
    from .interpret import constituent_contributions  # imports torch

    pictures = []
    for sentence in _sentences(item):
        span = sentence.tokens[0].doc[sentence.tokens[0].i : sentence.tokens[-1].i + 1]
        found = constituent_contributions(nlp, span)
        if not found:
            pictures.append("<p>This sentence has no constituent.</p>")
            continue
        totals = [
            ("score", [one.score for one in found]),
            ("label heads, sum", [float(one.heads.sum()) for one in found]),
            ("whole tokens", [one.tokens for one in found]),
            ("bias", [one.bias for one in found]),
        ]
        doc = span.doc
        picture = heatmap(
            [list(row) for row in zip(*(one.heads.tolist() for one in found), strict=True)],
            found[0].names,
            [f"{one.label}: {' '.join(doc[one.start : one.end].text.split())}" for one in found],
            title="What each label head adds to the score of a constituent",
            row_kind="label heads",
            n_shown=n_shown,
            totals=[(name, row) for name, row in totals if name != "whole tokens" or any(row)],
        )
        pictures.append(picture)
    return pictures
