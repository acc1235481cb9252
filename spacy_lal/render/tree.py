"""Style "tree": the constituency tree of each sentence."""

from typing import List

from ..display.svg import Svg
from ..display.tree import draw_tree
from ..export import Sentence
from .sentences import require, shown_sentences, writing
from .styles import Item, Options


def draw_svgs(item: Item, options: Options) -> List[Svg]:
    """The pictures of a Doc or Span, one for each sentence with words.

    RAISES (ValueError): A Span is no constituent, or crosses a sentence boundary. (RenderError): The Doc has no
        constituents.
    """
    sentences = shown_sentences(item)
    for sentence in sentences:
        require(sentence, "tree", "constituents")
    return [_draw(sentence) for sentence in sentences]


def check_whole(sentence: Sentence) -> None:
    """Check that a part of a sentence can be drawn as one tree.

    RAISES (ValueError): It is neither a constituent nor a word nor a whole sentence.
    """
    constituents = sentence.constituents or []
    if sentence.is_cut and len(sentence.tokens) > 1 and (0, len(sentence.tokens)) not in [c[:2] for c in constituents]:
        raise ValueError(f"expected a Span that is a constituent or a sentence, got {sentence.text!r}")


def _draw(sentence: Sentence) -> Svg:
    check_whole(sentence)
    direction = writing(sentence.tokens[0].doc)["direction"]
    return draw_tree(sentence.tree(), title=f"Constituency tree: {sentence.text}", direction=direction)
