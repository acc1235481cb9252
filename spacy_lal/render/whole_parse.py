"""Style "parse": tree, arcs and, where the Doc has them, semantic roles of each sentence in one picture."""

from typing import List

from ..display.parse_picture import PredicateRow, draw_parse
from ..display.svg import Svg
from ..export import Sentence
from .roles import word_roles
from .sentences import require, shown_sentences, writing
from .styles import Item, Options
from .tree import check_whole


def draw_svgs(item: Item, options: Options) -> List[Svg]:
    """The pictures of a Doc or Span, one for each sentence with words. Of a Span, predicates are shown whose arguments
    all lie within it.

    RAISES (ValueError): A Span is no constituent, or crosses a sentence boundary. (RenderError): The Doc has no
        constituents or no heads.
    """
    sentences = shown_sentences(item)
    for sentence in sentences:
        require(sentence, "parse", "constituents")
        require(sentence, "parse", "dependencies")
    return [_draw(sentence) for sentence in sentences]


def _draw(sentence: Sentence) -> Svg:
    check_whole(sentence)
    rows = [PredicateRow(predicate.roleset or "V", spans) for predicate, spans in word_roles(sentence.tokens)]
    return draw_parse(
        sentence.tree(),
        sentence.heads or [],
        sentence.deprels,
        rows,
        title=f"Parse: {sentence.text}",
        direction=writing(sentence.tokens[0].doc)["direction"],
    )
