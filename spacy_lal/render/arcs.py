"""Style "dep": the arcs of each sentence, by displaCy."""

import hashlib
import re
from typing import List

from spacy.displacy.render import DependencyRenderer

from ..display.markup import escape, shorten, shown_width, visible
from ..display.svg import Svg
from ..export import Sentence
from .sentences import require, shown_sentences, writing
from .styles import Item, Options

MAX_ROUND_LEVELS = 6  # with more levels, arcs are drawn in displaCy's compact form
ARC_WORD = 18  # characters of a word below arcs: the longest word sets the distance of all words
WORD_LETTER, LABEL_LETTER, MIN_DISTANCE = 9, 9, 115  # pixels, in displaCy's arcs


def draw_svgs(item: Item, options: Options) -> List[Svg]:
    """The pictures of a Doc or Span, one for each sentence with words.

    options (Dict[str, Any]): displaCy's, such as `compact`, `distance` and `color`.
    RAISES (ValueError): A Span crosses a sentence boundary. (RenderError): The Doc has no heads.
    """
    sentences = shown_sentences(item)
    for sentence in sentences:
        require(sentence, "dep", "dependencies")
    return [_draw(sentence, options) for sentence in sentences]


def _draw(sentence: Sentence, options: Options) -> Svg:
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
    return _finish(svg, renderer, title)


def _finish(svg: str, renderer: DependencyRenderer, title: str) -> Svg:
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
    return Svg(f"{opening}>{rest}", renderer.width, height, title)
