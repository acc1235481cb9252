"""`render(doc, style=...)`: pictures of a parse, with the interface of `spacy.displacy.render`.

Trees and arcs are drawn here, constituents by displaCy; label attention is a heat map. Each sentence has one picture,
as wide as its box; below a legible size it scrolls. Every string of the text is escaped here or in `display/`: displaCy
escapes words, but not labels.
"""

from typing import Any, Dict, Iterable, List, Optional, Union

from spacy import displacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter, minify_html

from ..display.page import html_page
from ..display.svg import stand_alone
from . import arcs, label_heads, roles, self_attention, spans, tree, whole_parse
from .sentences import RenderError, writing
from .styles import Style, svg_style

__all__ = ["FORMATS", "STYLES", "RenderError", "draw", "render", "writing"]

STYLES: Dict[str, Style] = {
    "tree": svg_style(tree.draw_svgs),
    "dep": svg_style(arcs.draw_svgs),
    "parse": svg_style(whole_parse.draw_svgs),
    "spans": Style(spans.draw),
    "roles": Style(roles.draw),
    "attention": Style(self_attention.draw_attention, self_attention.draw_svgs),
    "contributions": Style(label_heads.draw_contributions),
}
FORMATS = ("html", "svg")


def render(
    docs: Union[Iterable[Union[Doc, Span]], Doc, Span],
    style: str = "tree",
    page: bool = False,
    minify: bool = False,
    jupyter: Optional[bool] = None,
    options: Optional[Dict[str, Any]] = None,
    *,
    nlp: Optional[Language] = None,
    format: str = "html",
) -> Optional[str]:
    """Draw parses: a notebook displays them, elsewhere the markup is returned.

    docs (Union[Iterable[Union[Doc, Span]], Doc, Span]): Parsed Docs, or Spans, each within one sentence. Sentences of
        whitespace alone have no picture.
    style (str): "tree" (constituency, SVG), "dep" (arcs, SVG), "parse" (tree, arcs and roles in one SVG), "spans"
        (constituents by displaCy, HTML; a unary chain is one span), "roles" (semantic roles, HTML, a row for each
        predicate), "attention" (attention of the label heads, HTML; with the option `layer` or `head`, a map of
        self-attention), "contributions" (contributions of the label heads to the score of each constituent, HTML). The
        last two always show whole sentences.
    page (bool): Return a whole, self-contained HTML page.
    minify (bool): Leave line breaks and indentation out.
    jupyter (Optional[bool]): Display (True) or return (False). Default: HTML is displayed in a notebook, SVG returned.
    options (Optional[Dict[str, Any]]): For "dep", displaCy's `compact`, `distance`, `color`, `bg`, `font` and
        `add_lemma`; for "spans", displaCy's options (`colors`, `top_offset`, ...); for "attention" and "contributions",
        `n_shown`, the number of label heads shown at first; for "attention", `layer` and `head` of the encoder, from 0
        (`head` alone: of layer 0; `layer` alone: mean over heads); for "roles", `folded`: a click on a predicate shows
        its arguments. For pages and SVG files, `theme`: "light", "dark" or "auto" (the reader's setting).
    nlp (Optional[Language]): For "attention" and "contributions", the pipeline that parsed: its network is run again.
    format (str): "html" or, for "tree", "dep", "parse" and a map of self-attention, "svg": one SVG file, sentences one
        below the other.
    RETURNS (Optional[str]): HTML or SVG; None if it was displayed.
    RAISES (ValueError): The style, format or theme is unknown; they do not go together; the style needs `nlp`; a Span
        crosses a sentence boundary or, for "tree" and "parse", is no constituent; sentence boundaries are missing; as
        `interpret.label_attention` and `interpret.constituent_contributions`. (RenderError): The Doc has no parse.
    """
    _check_names(style, format)
    items = [docs] if isinstance(docs, (Doc, Span)) else list(docs)
    if format == "svg":
        markup = _draw_file(items, style, options or {}, page, nlp)
        if not jupyter:
            return minify_html(markup) if minify else markup
    else:
        markup = "\n".join(piece for item in items for piece in draw(item, style, options or {}, nlp))
    if page:
        theme = (options or {}).get("theme", "auto")
        markup = html_page("Parses", markup, theme=theme, **(writing(items[0]) if items else {}))
    if minify:
        markup = minify_html(markup)
    if displacy.RENDER_WRAPPER is not None:
        markup = displacy.RENDER_WRAPPER(markup)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        # displaCy's: the class keeps MathJax away from dollar signs
        display(HTML(f'<span class="tex2jax_ignore">{markup}</span>'))
        return None
    return markup


def _check_names(style: str, file_format: str) -> None:
    if style not in STYLES:
        raise ValueError(f"expected a style of {', '.join(STYLES)}, got {style!r}")
    if file_format not in FORMATS:
        raise ValueError(f"expected a format of {', '.join(FORMATS)}, got {file_format!r}")


def draw(item: Union[Doc, Span], style: str, options: Dict[str, Any], nlp: Optional[Language] = None) -> List[str]:
    """The pictures of a Doc or Span, one for each sentence with words. See `render`."""
    return STYLES[style].draw(item, options, nlp) if _is_drawn(item) else []


def _draw_file(
    items: List[Union[Doc, Span]], style: str, options: Dict[str, Any], page: bool, nlp: Optional[Language]
) -> str:
    draw_svgs = STYLES[style].svgs
    if draw_svgs is None:
        able = ", ".join(name for name, one in STYLES.items() if one.svgs)
        raise ValueError(f"format 'svg' goes with the styles {able}, got {style!r}")
    if page:
        raise ValueError("page=True gives HTML: expected format='html', got 'svg'")
    svgs = [svg for item in items if _is_drawn(item) for svg in draw_svgs(item, options, nlp)]
    return stand_alone(svgs, options.get("theme", "auto"))


def _is_drawn(item: Union[Doc, Span]) -> bool:
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    return len(item) > 0
