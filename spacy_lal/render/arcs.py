"""Style "dep": the arcs of each sentence."""

from typing import List

from ..display.parse_picture import Looks, draw_dependencies
from ..display.svg import Svg
from ..export import Sentence
from .sentences import require, shown_sentences, writing
from .styles import Item, Options


def draw_svgs(item: Item, options: Options) -> List[Svg]:
    """The pictures of a Doc or Span, one for each sentence with words.

    options (Dict[str, Any]): Of displaCy's options, `compact` (square arcs), `distance` (the least one between words,
        in pixels), `color`, `bg`, `font` and `add_lemma`. The others have no effect.
    RAISES (ValueError): A Span crosses a sentence boundary; `distance` is no number. (RenderError): The Doc has no
        heads.
    """
    sentences = shown_sentences(item)
    for sentence in sentences:
        require(sentence, "dep", "dependencies")
    return [_draw(sentence, options) for sentence in sentences]


def _draw(sentence: Sentence, options: Options) -> Svg:
    distance = options.get("distance", 0)
    if isinstance(distance, bool) or not isinstance(distance, (int, float)):
        raise ValueError(f"option distance: expected a number of pixels, got {distance!r}")
    notes = []
    for token in sentence.tokens:
        lemma = [token.lemma_] if options.get("add_lemma") else []
        notes.append([*lemma, token.tag_ or token.pos_])
    return draw_dependencies(
        [token.text for token in sentence.tokens],
        notes,
        sentence.heads or [],
        sentence.deprels,
        title=f"Dependency arcs: {sentence.text}",
        direction=writing(sentence.tokens[0].doc)["direction"],
        looks=Looks(
            distance=float(distance),
            compact=bool(options.get("compact", False)),
            color=str(options.get("color", "")),
            bg=str(options.get("bg", "")),
            font=str(options.get("font", "")),
        ),
    )
