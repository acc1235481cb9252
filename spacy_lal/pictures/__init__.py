"""`render(doc, style=...)`: pictures of a parse, with the interface of
`spacy.displacy.render`. Arcs, constituents as bars and boxes of roles are drawn by
displaCy, which escapes words alone: this room escapes every string that enters
markup."""

from typing import Any, Dict, Iterable, List, Mapping, Optional, Union
from zlib import crc32

from spacy import displacy
from spacy.displacy.render import DependencyRenderer, SpanRenderer
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.util import is_in_jupyter, minify_html

from ..annotations import check_present, has_propositions
from ..export import Sentence, read_sentences
from ..trees import split_chain
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
STYLES: Dict[str, List[str]] = {
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
    options: Optional[Dict[str, Any]] = None,
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
            _draw_svg(one, style, options)
            for item in items
            for one in _shown_sentences(item, style)
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
    item: Item, style: str, options: Dict[str, Any], nlp: Optional[Language] = None
) -> List[str]:
    """The pictures of a Doc or Span as HTML, one for each sentence with words. See
    `render`."""
    sentences = _shown_sentences(item, style)
    if style in SVG_STYLES:
        return [fitted(_draw_svg(sentence, style, options)) for sentence in sentences]
    if style == "spans":
        return [_draw_spans(sentence, options) for sentence in sentences]
    if style == "roles":
        return [
            draw_roles(sentence, bool(options.get("folded"))) for sentence in sentences
        ]
    if nlp is None:
        raise ValueError(
            f"style {style!r} asks the network again: expected the pipeline too, "
            "render(..., nlp=nlp)"
        )
    heads = draw_attention if style == "attention" else draw_contributions
    return (
        heads(item.doc if isinstance(item, Span) else item, sentences, options, nlp)
        if sentences
        else []
    )


def writing(item: Item) -> Dict[str, str]:
    """The language of a Doc and its writing direction: `lang` ("en") and `direction`
    ("ltr")."""
    return {
        "lang": item.vocab.lang or "en",
        "direction": item.vocab.writing_system.get("direction", "ltr"),
    }


def _shown_sentences(item: Item, style: str) -> List[Sentence]:
    """The sentences of a Doc that have words, or a Span's part of its sentence, with
    what the style shows."""
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    if not len(item):
        return []
    doc = item.doc if isinstance(item, Span) else item
    sentences = list(read_sentences(doc))
    if isinstance(item, Span):
        check_present(item)
        sentences = [
            one
            for one in sentences
            if one.tokens[0].i < item.end and item.start <= one.tokens[-1].i
        ]
        if len(sentences) > 1:
            raise ValueError(
                f"expected a Span of one sentence, got one over {len(sentences)}: draw "
                "each of span.sents"
            )
        if all(token.is_space for token in item):
            return []
        if STYLES[style]:
            sentences = [one.cut(item.start, item.end) for one in sentences]
    for one in sentences:
        _check_shown(one, style)
    return sentences


def _check_shown(sentence: Sentence, style: str) -> None:
    """Check that a sentence, or the part of it that is shown, has what a style shows.
    RAISES (ValueError): It lacks something, or is no tree."""
    known = {
        "constituents": sentence.constituents is not None,
        "dependencies": sentence.heads is not None,
        "semantic roles": has_propositions(sentence.tokens[0].doc),
    }
    lacking = [needed for needed in STYLES[style] if not known[needed]]
    if lacking:
        raise ValueError(
            f"style {style!r}: the Doc has no {' and no '.join(lacking)}: parse it "
            "first"
        )
    n_words = len(sentence.tokens)
    spans = [span[:2] for span in sentence.constituents or []]
    is_one = not sentence.is_cut or n_words == 1 or (0, n_words) in spans
    if style in ("tree", "parse") and not is_one:
        raise ValueError(
            "expected a Span that is a constituent or a sentence, got "
            f"{sentence.text!r}"
        )


def _draw_svg(sentence: Sentence, style: str, options: Dict[str, Any]) -> Svg:
    doc = sentence.tokens[0].doc
    direction = writing(doc)["direction"]
    if style == "dep":
        return _draw_arcs(sentence, options)
    if style == "tree":
        return tree_to_svg(
            sentence.tree(),
            title=f"Constituency tree: {sentence.text}",
            direction=direction,
        )
    rows = word_rows(sentence) if has_propositions(doc) else []
    title = f"Parse: {sentence.text}"
    return draw_parse(
        sentence.tree(),
        sentence.heads or [],
        sentence.deprels,
        rows,
        title=title,
        direction=direction,
    )


def _draw_arcs(sentence: Sentence, options: Dict[str, Any]) -> Svg:
    """Arcs by displaCy, in the colours of the text around them, words as close as their
    letters let them be."""
    heads = sentence.heads or []
    deprels = sentence.deprels
    words = [_word(token, bool(options.get("add_lemma"))) for token in sentence.tokens]
    arcs = []
    for dependent, (head, deprel) in enumerate(zip(heads, deprels, strict=True)):
        if head:
            start, end = sorted((dependent, head - 1))
            side = "left" if dependent < head - 1 else "right"
            arc = {"start": start, "end": end, "label": escape(deprel), "dir": side}
            arcs.append(arc)
    texts = [str(one["text"]) for one in words]
    widest = max(text_width(text) * 16 for text in [*texts, *deprels])
    looks = {
        "color": "currentColor",
        "bg": "transparent",
        "font": FONT,
        "distance": max(round(widest) + 16, 80),
    }
    given = {
        key: escape(value) if isinstance(value, str) else value
        for key, value in options.items()
    }
    renderer = DependencyRenderer({**looks, **given})
    renderer.lang, renderer.direction = writing(sentence.tokens[0].doc).values()
    # Equal drawings have equal names: paths of labels refer to them.
    name = f"arcs-{crc32(repr((words, arcs, looks, given)).encode()):x}"
    markup = renderer.render_svg(name, words, arcs).strip()
    # Labels stand above: in a short arc their letters overlap.
    markup = markup.replace('dy="1.25em"', 'dy="-0.35em"')
    title = f"Dependency arcs: {sentence.text}"
    description = describe_arcs([t.text for t in sentence.tokens], heads, deprels)
    width = float(renderer.width)
    height = float(renderer.height)
    size = f'viewBox="0 0 {number(width)} {number(height)}"'
    role = f'role="img" aria-label="{escape(title)}"'
    opening, _, rest = markup.partition(">")
    opening = opening.replace(f"max-width: none; height: {renderer.height}px; ", "", 1)
    described = f"{opening} {size} {role}>{naming(title, description)}{rest}"
    return Svg(described, width, height, title)


def _word(token: Token, add_lemma: bool) -> Dict[str, Any]:
    """A word as displaCy takes it; displaCy escapes the text alone."""
    tag = shorten(visible(token.tag_ or token.pos_), _MAX_ARC_WORD)
    lemma = shorten(visible(token.lemma_), _MAX_ARC_WORD)
    return {
        "text": shorten(visible(token.text), _MAX_ARC_WORD),
        "tag": escape(tag),
        "lemma": escape(lemma) if add_lemma else None,
    }


def _draw_spans(sentence: Sentence, options: Dict[str, Any]) -> str:
    given = options.get("colors", {})
    if not isinstance(given, Mapping) or not all(
        isinstance(one, str) for one in given.values()
    ):
        raise ValueError(
            "options['colors']: expected a mapping from labels to strings, got "
            f"{given!r}"
        )
    given = {label: escape(color) for label, color in given.items()}
    spans = []
    colors = {}
    for start, end, chain in sentence.constituents or []:
        labels = split_chain(chain)
        wanted = [given[one] for one in (chain, *labels) if one in given]
        label = escape(chain)
        colors[label] = wanted[0] if wanted else chain_color(labels)
        spans.append({"start_token": start, "end_token": end, "label": label})
    renderer = SpanRenderer({"top_offset": 36, **options, "colors": colors})
    renderer.direction = writing(sentence.tokens[0].doc)["direction"]
    tokens = [shorten(visible(token.text)) for token in sentence.tokens]
    drawn = renderer.render_spans(tokens, spans, None)
    return scroll_box(drawn, f"Constituents: {sentence.text}")
