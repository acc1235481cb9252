"""`render(doc, style=...)`: pictures of a parse, with the interface of
`spacy.displacy.render`. This room escapes every string that enters markup."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Optional, Union

from spacy import displacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter, minify_html

from ..annotations import Item, check_present, has_propositions, read_parses
from ..trees import Parse
from .heatmap import draw_attention, draw_contributions
from .markup import html_page
from .parse import draw_parse
from .roles import draw_roles, word_rows
from .svg import Svg, fitted, stand_alone
from .tree import tree_to_svg

# The annotation that a style needs.
STYLES: dict[str, list[str]] = {
    "tree": ["constituents"],
    "dep": ["dependencies"],
    "parse": ["constituents", "dependencies"],
    "roles": ["semantic roles"],
    "attention": [],
    "contributions": [],
}
SVG_STYLES = ("tree", "dep", "parse")
FORMATS = ("html", "svg")


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
    style (str): "tree" (constituency tree), "dep" (arcs), "parse" (tree, arcs and roles
        in one picture), "roles" (a row for each predicate), "attention" (of the label
        heads), "contributions" (of the label heads to the score of each constituent).
        The last two always show whole sentences.
    page (bool): Return a whole, self-contained HTML page.
    minify (bool): Leave line breaks and indentation out.
    jupyter (Optional[bool]): Display (True) or return (False). Default: HTML is
        displayed in a notebook, SVG returned.
    options (Optional[Dict[str, Any]]): For "attention" and "contributions", `n_shown`,
        the most label heads in a heat map. For "roles", `folded`: a click on a
        predicate shows its arguments. Others are ignored, as by displaCy.
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
            _draw_svg(parse, style)
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
        return [fitted(_draw_svg(parse, style)) for parse in parses]
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
    if isinstance(item, Doc):
        return [_checked(parse, style) for parse in read_parses(item)] if item else []
    check_present(item)
    if not item.text.strip():
        return []
    parses = list(read_parses(item))
    if len(parses) > 1:
        raise ValueError(
            f"expected a Span of one sentence, got one over {len(parses)}: draw "
            "each of span.sents"
        )
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


def _draw_svg(parse: Parse, style: str) -> Svg:
    direction = writing(parse.doc)["direction"]
    if style == "tree":
        title = f"Constituency tree: {parse.text}"
        return tree_to_svg(parse.to_tree(), title=title, direction=direction)
    if style == "dep":
        arcs = replace(parse, constituents=())
        title = f"Dependency arcs: {parse.text}"
        return draw_parse(arcs, title=title, direction=direction)
    rows = word_rows(parse) if has_propositions(parse.doc) else []
    return draw_parse(parse, rows, title=f"Parse: {parse.text}", direction=direction)
