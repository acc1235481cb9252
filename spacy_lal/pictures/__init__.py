"""`render(doc, style=...)`: pictures of a parse, with the interface of
`spacy.displacy.render`. Arcs, constituents as bars and boxes of roles are drawn by
displaCy, which escapes words alone: this room escapes every string that enters
markup."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union
from zlib import crc32

from spacy import displacy
from spacy.displacy.render import DependencyRenderer, SpanRenderer
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.util import is_in_jupyter, minify_html

from ..annotations import check_present, has_propositions, read_parses
from ..trees import Parse
from .colors import chain_color
from .heatmap import draw_attention, draw_contributions
from .markup import escape, html_page, scroll_box, shorten, visible
from .parse import describe_arcs, draw_parse
from .roles import draw_roles, word_rows
from .svg import FONT, Svg, fitted, naming, number, stand_alone, text_width
from .tree import tree_to_svg

__all__ = ["STYLES", "draw", "render", "writing"]

Item = Union[Doc, Span]
# The annotation that a style needs.
STYLES: dict[str, list[str]] = {
    "tree": ["constituents"],
    "dep": ["dependencies"],
    "parse": ["constituents", "dependencies"],
    "spans": ["constituents"],
    "roles": ["semantic roles"],
    "attention": [],
    "contributions": [],
}
SVG_STYLES = ("tree", "dep", "parse")
FORMATS = ("html", "svg")
_MAX_ARC_WORD = 18  # characters


def render(
    docs: Union[Iterable[Item], Item],
    style: str = "tree",
    page: bool = False,
    minify: bool = False,
    jupyter: Optional[bool] = None,
    options: Optional[dict[str, Any]] = None,
    *,
    nlp: Optional[Language] = None,
    format: str = "html",
) -> Optional[str]:
    """Draw parsed Docs, or Spans: sentences or, for most styles, any part of one.

    docs (Union[Iterable[Union[Doc, Span]], Doc, Span]): Parsed Docs or Spans.
    style (str): "tree" (constituency tree), "dep" (arcs, by displaCy), "parse" (tree,
        arcs and roles in one picture), "spans" (constituents by displaCy; a unary chain
        is one span), "roles" (a row for each predicate), "attention" (of the label
        heads), "contributions" (of the label heads to the score of each constituent).
        The last two always show whole sentences.
    page (bool): Return a whole, self-contained HTML page.
    minify (bool): Leave line breaks and indentation out.
    jupyter (Optional[bool]): Display (True) or return (False). Default: HTML is
        displayed in a notebook, SVG returned.
    options (Optional[Dict[str, Any]]): For "dep" and "spans", displaCy's options
        (`compact`, `add_lemma`, `colors`, ...). For "attention" and "contributions",
        `n_shown`, the most label heads in a heat map. For "roles", `folded`: a click on
        a predicate shows its arguments. Others are ignored, as by displaCy.
    nlp (Optional[Language]): For "attention" and "contributions", the pipeline that
        parsed: its network is run again.
    format (str): "html" or, for "tree", "dep" and "parse", "svg": one SVG file,
        sentences one below the other.
    RETURNS (Optional[str]): HTML or SVG; None if it was displayed.
    RAISES (ValueError): Arguments do not go together; a Span crosses a sentence
        boundary or, for "tree" and "parse", is no constituent; the Doc has no parse."""
    options = options or {}
    for what, value, expected in (
        ("style", style, STYLES),
        ("format", format, FORMATS),
    ):
        if value not in expected:
            raise ValueError(
                f"expected a {what} of {', '.join(expected)}, got {value!r}"
            )
    if format == "svg" and (style not in SVG_STYLES or page):
        raise ValueError(
            f"format 'svg' goes with the styles {', '.join(SVG_STYLES)}, without page; "
            f"got {style!r}"
        )
    items = [docs] if isinstance(docs, (Doc, Span)) else list(docs)
    if format == "svg":
        drawn = [
            _draw_svg(parse, style, options)
            for item in items
            for parse in _shown_sentences(item, style)
        ]
        markup = stand_alone(drawn)
    else:
        markup = "\n".join(
            piece for item in items for piece in draw(item, style, options, nlp)
        )
    if page:
        markup = html_page("Parses", markup, **(writing(items[0]) if items else {}))
    if minify:
        markup = minify_html(markup)
    if format == "svg" and not jupyter:
        return markup
    if displacy.RENDER_WRAPPER is not None:
        markup = displacy.RENDER_WRAPPER(markup)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        display(
            HTML(f'<span class="tex2jax_ignore">{markup}</span>')
        )  # MathJax ignores dollar signs in it
        return None
    return markup


def draw(
    item: Item, style: str, options: dict[str, Any], nlp: Optional[Language] = None
) -> list[str]:
    """The pictures of a Doc or Span as HTML, one for each sentence with words. See
    `render`."""
    parses = _shown_sentences(item, style)
    if style in SVG_STYLES:
        return [fitted(_draw_svg(parse, style, options)) for parse in parses]
    if style == "spans":
        return [_draw_spans(parse, options) for parse in parses]
    if style == "roles":
        return [draw_roles(parse, bool(options.get("folded"))) for parse in parses]
    if nlp is None:
        raise ValueError(
            f"style {style!r} asks the network again: expected the pipeline too, "
            "render(..., nlp=nlp)"
        )
    heads = draw_attention if style == "attention" else draw_contributions
    return heads(parses, options, nlp) if parses else []


def writing(item: Item) -> dict[str, str]:
    """The language of a Doc and its writing direction: `lang` ("en") and `direction`
    ("ltr")."""
    return {
        "lang": item.vocab.lang or "en",
        "direction": item.vocab.writing_system.get("direction", "ltr"),
    }


def _shown_sentences(item: Item, style: str) -> list[Parse]:
    """The sentences of a Doc that have words, or a Span's part of its sentence, with
    what the style shows.

    RAISES (ValueError): The Span has words of several sentences, or is no constituent
        where one is needed; the Doc lacks something."""
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    if isinstance(item, Doc):
        return [_checked(parse, style) for parse in read_parses(item)] if item else []
    if not item:
        return []
    parses = [
        parse
        for parse in read_parses(item.doc)
        if parse.tokens[0] < item.end and item.start <= parse.tokens[-1]
    ]
    check_present(item)
    if len(parses) > 1:
        raise ValueError(
            f"expected a Span of one sentence, got one over {len(parses)}: draw "
            "each of span.sents"
        )
    if all(token.is_space for token in item):
        return []
    return [_part(parse, item, style) if STYLES[style] else parse for parse in parses]


def _part(parse: Parse, item: Span, style: str) -> Parse:
    """The part of a sentence within a Span.

    RAISES (ValueError): It lacks what the style shows, or is no constituent where a
        tree is drawn."""
    start, end = (bisect_left(parse.tokens, place) for place in (item.start, item.end))
    part = _checked(parse.cut(start, end), style)
    widths = [span.end - span.start for span in part.constituents or ()]
    is_one = end - start in (1, len(parse.words), *widths)
    if style in ("tree", "parse") and not is_one:
        raise ValueError(
            f"expected a Span that is a constituent or a sentence, got {part.text!r}"
        )
    return part


def _checked(parse: Parse, style: str) -> Parse:
    """A sentence, or the part of it that is shown.

    RAISES (ValueError): It lacks what the style shows."""
    known = {
        "constituents": parse.constituents is not None,
        "dependencies": parse.heads is not None,
        "semantic roles": has_propositions(parse.doc),
    }
    lacking = [needed for needed in STYLES[style] if not known[needed]]
    if lacking:
        raise ValueError(
            f"style {style!r}: the Doc has no {' and no '.join(lacking)}: parse it "
            "first"
        )
    return parse


def _draw_svg(parse: Parse, style: str, options: dict[str, Any]) -> Svg:
    direction = writing(parse.doc)["direction"]
    if style == "dep":
        return _draw_arcs(parse, options)
    if style == "tree":
        title = f"Constituency tree: {parse.text}"
        return tree_to_svg(parse.to_tree(), title=title, direction=direction)
    rows = word_rows(parse) if has_propositions(parse.doc) else []
    return draw_parse(parse, rows, title=f"Parse: {parse.text}", direction=direction)


def _draw_arcs(parse: Parse, options: dict[str, Any]) -> Svg:
    """Arcs by displaCy, in the colours of the text around them, words as close as their
    letters let them be."""
    add_lemma = bool(options.get("add_lemma"))
    words = [_word(parse.doc[i], add_lemma) for i in parse.tokens]
    arcs = []
    for dependent, (head, deprel) in enumerate(
        zip(parse.heads or (), parse.deprels, strict=True)
    ):
        if head:
            start, end = sorted((dependent, head - 1))
            side = "left" if dependent < head - 1 else "right"
            arc = {"start": start, "end": end, "label": escape(deprel), "dir": side}
            arcs.append(arc)
    texts = [str(word["text"]) for word in words]
    widest = max(text_width(text) * 16 for text in [*texts, *parse.deprels])
    looks = {
        "color": "currentColor",
        "bg": "transparent",
        "font": FONT,
        "distance": max(round(widest) + 16, 80),
    }
    chosen = {
        key: escape(value) if isinstance(value, str) else value
        for key, value in options.items()
    }
    renderer = DependencyRenderer({**looks, **chosen})
    renderer.lang, renderer.direction = writing(parse.doc).values()
    # Equal drawings have equal names: paths of labels refer to them.
    name = f"arcs-{crc32(repr((words, arcs, looks, chosen)).encode()):x}"
    markup = renderer.render_svg(name, words, arcs).strip()
    # Labels stand above: in a short arc their letters overlap.
    markup = markup.replace('dy="1.25em"', 'dy="-0.35em"')
    title = f"Dependency arcs: {parse.text}"
    description = describe_arcs(parse)
    width = float(renderer.width)
    height = float(renderer.height)
    size = f'viewBox="0 0 {number(width)} {number(height)}"'
    role = f'role="img" aria-label="{escape(title)}"'
    opening, _, inside = markup.partition(">")
    opening = opening.replace(f"max-width: none; height: {renderer.height}px; ", "", 1)
    described = f"{opening} {size} {role}>{naming(title, description)}{inside}"
    return Svg(described, width, height, title)


def _word(token: Token, add_lemma: bool) -> dict[str, Any]:
    """A word as displaCy takes it; displaCy escapes the text alone."""
    tag = shorten(visible(token.tag_ or token.pos_), _MAX_ARC_WORD)
    lemma = shorten(visible(token.lemma_), _MAX_ARC_WORD)
    return {
        "text": shorten(visible(token.text), _MAX_ARC_WORD),
        "tag": escape(tag),
        "lemma": escape(lemma) if add_lemma else None,
    }


def _draw_spans(parse: Parse, options: dict[str, Any]) -> str:
    named = options.get("colors", {})
    if not isinstance(named, Mapping) or not all(
        isinstance(color, str) for color in named.values()
    ):
        raise ValueError(
            "options['colors']: expected a mapping from labels to strings, got "
            f"{named!r}"
        )
    named = {label: escape(color) for label, color in named.items()}
    spans = []
    colors = {}
    for span in parse.constituents or ():
        wanted = [named[name] for name in (span.label, *span.chain) if name in named]
        label = escape(span.label)
        colors[label] = wanted[0] if wanted else chain_color(span.chain)
        place = {"start_token": span.start, "end_token": span.end}
        spans.append({**place, "label": label})
    renderer = SpanRenderer({"top_offset": 36, **options, "colors": colors})
    renderer.direction = writing(parse.doc)["direction"]
    tokens = [shorten(visible(word)) for word in parse.words]
    drawn = renderer.render_spans(tokens, spans, None)
    return scroll_box(drawn, f"Constituents: {parse.text}")
