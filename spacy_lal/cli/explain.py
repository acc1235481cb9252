"""`lal explain TEXT`: the parse of a text, as a self-contained page or a picture."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
)

from spacy_lal.cli import io
from spacy_lal.cli.inputs import Inputs, with_inputs
from spacy_lal.files import write_file

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

MAX_TITLE = 80
ENDINGS = (".html", ".htm", ".svg", ".png")
INTRO = (
    "Each sentence has its constituents above, coloured by label; arcs below, which "
    "point from a head to its dependent; and a row of roles for each predicate. What "
    "the "
    "label heads of the network look at, and what they add to each score, is folded "
    "below."
)


@with_inputs(Inputs)
def explain_cli(inputs: Inputs) -> None:
    """Show how a text is parsed, sentence by sentence.

    Writes one self-contained HTML page: tree, arcs and roles in one picture, and the
    attention of each label head; or the pictures alone, -o FILE.svg or .png (with
    CairoSVG). `lal parse --format tree` draws trees with letters."""
    from spacy_lal.annotations import read_parses
    from spacy_lal.pictures import render
    from spacy_lal.pictures.svg import svg_to_png

    output = inputs.output
    suffix = ".html" if str(output) == io.STDIN else Path(str(output)).suffix.lower()
    if output is None or suffix not in ENDINGS:
        io.fail(
            "expected -o FILE that ends in .html, .svg or .png, or -o - for a page to "
            f"stdout, got {output}; `lal parse -f` writes other formats"
        )
    readable = inputs.find()
    nlp = io.load_pipeline(inputs.model, inputs.gpu_id)
    texts = inputs.texts(readable, nlp.max_length)
    docs = list(nlp.pipe(text for text, _ in texts))
    if not docs:
        io.fail("expected a text, got nothing but whitespace")
    n_sentences = sum(len(list(read_parses(doc))) for doc in docs)
    if suffix in (".svg", ".png"):
        has_heads = all(doc.has_annotation("DEP") for doc in docs)
        style = "parse" if has_heads else "tree"
        content = render(docs, style=style, format="svg") or ""
    else:
        content = explain_page(nlp, docs)
    if suffix == ".png":
        write_file(output, svg_to_png(content))
        io.wrote(output, io.counted(n_sentences, "sentence"))
    else:
        io.write_lines(output, [content], io.counted(n_sentences, "sentence"))


def explain_page(nlp: "Language", docs: Iterable["Doc"]) -> str:
    """The page, as self-contained HTML, with a section for each sentence that has a
    word."""
    from spacy_lal.pictures import writing
    from spacy_lal.pictures.markup import escape, html_page

    docs = list(docs)
    parts = [f'<p class="lal-intro" lang="en" dir="ltr">{escape(INTRO)}</p>']
    for doc in docs:
        parts.extend(_sections(nlp, doc))
    texts = [doc.text for doc in docs if doc.text.strip()]
    title = " ".join(texts[0].split()) if texts else ""
    if len(title) > MAX_TITLE:
        title = title[: MAX_TITLE - 1] + "\u2026"
    note = f"Parsed by {nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    direction = writing(docs[0]) if docs else {}
    return html_page(title, "\n".join(parts), note=note, **direction)


def _sections(nlp: "Language", doc: "Doc") -> Iterator[str]:
    """The markup of each sentence."""
    from spacy_lal.annotations import has_propositions, read_parses
    from spacy_lal.pictures.colors import label_legend
    from spacy_lal.pictures.markup import escape, fold

    parses = list(read_parses(doc))
    attention = _pictures("attention", nlp, doc, len(parses))
    contributions = _pictures("contributions", nlp, doc, len(parses))
    for i, parse in enumerate(parses):
        span = doc[parse.tokens[0] : parse.tokens[-1] + 1]
        style = "parse" if parse.heads is not None else "tree"
        labels = [x for y in parse.constituents or () for x in y.chain]
        (tree,) = _pictures(style, nlp, span)
        pictures = {"Parse": tree + label_legend(labels)}
        if has_propositions(doc):
            (pictures["Roles"],) = _pictures("roles", nlp, span, folded=True)
        pictures["Label attention"] = attention[i]
        pictures["Contributions"] = contributions[i]
        shown = "\n".join(
            fold(escape(heading), f"<div>{picture}</div>", heading == "Parse")
            for heading, picture in pictures.items()
        )
        title = escape(" ".join(parse.text.split()))
        sure = _sureness(nlp, span)
        yield f'<section>\n<h2 dir="auto">{title}</h2>\n{sure}{shown}\n</section>'


def _sureness(nlp: "Language", sentence: "Span") -> str:
    """The confidence of a parse, as markup; empty where nothing gives one."""
    from spacy_lal.interpret import parse_confidence

    try:
        confidence = parse_confidence(nlp, sentence)
    except ValueError:  # not calibrated, or no heads
        return ""
    said = f"All heads are right with a probability of {confidence:.2f}."
    return f'<p lang="en" dir="ltr">{said}</p>\n'


def _pictures(
    style: str, nlp: "Language", item: "Doc | Span", number: int = 1, **options: Any
) -> list[str]:
    """One picture per sentence; if the pipeline lacks the annotation for it, the reason
    instead."""
    from spacy_lal.pictures import draw
    from spacy_lal.pictures.markup import escape

    try:
        return list(draw(item, style, options, nlp))
    except ValueError as err:
        return [f"<p>{escape(str(err))}</p>"] * number
