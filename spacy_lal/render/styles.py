"""A style of `render`: how it draws. To add one, write a module beside this one, and name it in `__init__.py`."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..display.svg import Svg, fitted

Item = Union[Doc, Span]
Options = Dict[str, Any]


class Style(NamedTuple):
    """A style: pictures of a Doc or Span, one for each sentence with words.

    draw (Callable): Gives HTML. svgs (Optional[Callable]): Gives SVG, for a style that has `format="svg"`. Both get the
        pipeline too, if there is one.
    """

    draw: Callable[[Item, Options, Optional[Language]], List[str]]
    svgs: Optional[Callable[[Item, Options, Optional[Language]], List[Svg]]] = None


def svg_style(svgs: Callable[[Item, Options], List[Svg]]) -> Style:
    """A style whose pictures are SVG: in HTML, they are as wide as the page, up to their own width."""

    def draw(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
        return [fitted(svg) for svg in svgs(item, options)]

    return Style(draw, lambda item, options, nlp: svgs(item, options))


def needed_pipeline(nlp: Optional[Language], style: str) -> Language:
    """The pipeline, for a style that runs its network again.

    RAISES (ValueError): It is missing.
    """
    if nlp is None:
        raise ValueError(f"style {style!r} asks the network again: expected the pipeline too, render(..., nlp=nlp)")
    return nlp
