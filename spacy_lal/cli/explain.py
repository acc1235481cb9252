"""`python -m spacy lal explain --text TEXT`: the parse of a text, as a self-contained page or as text."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterable, List, Optional, Union

import typer

from spacy_lal.cli.inputs import text_or_file
from spacy_lal.cli.options import GpuOption, ModelOption
from spacy_lal.cli.outputs import check_stream_apart, is_stdout, path_or_stdout
from spacy_lal.cli.streams import closed_pipe_is_no_error, counted, fail, wrote
from spacy_lal.cli.texts import Origin, TextError, TextReader, given_text

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

    from spacy_lal.export import Sentence
    from spacy_lal.pictures.page import Picture, Section

LONG_SENTENCE = 40  # words; in longer sentences only the tree is unfolded
MAX_TITLE = 80
OTHER_ENDINGS = (".conllu", ".spacy", ".json", ".jsonl", ".pdf")  # a page under such a name would mislead
INTRO = (
    "Each sentence has two trees that agree: constituents, coloured by label, and arcs that point from a head to its "
    "dependent. Below them stand what the label heads of the network look at and what they add to each score: a head "
    "does not always speak for the label that it is called by."
)


def explain_cli(
    word: Annotated[
        Optional[str],
        typer.Argument(metavar="[FILE|-|TEXT]", help="Blank lines end a text; - is stdin", show_default=False),
    ] = None,
    model: ModelOption = None,
    text: Annotated[Optional[str], typer.Option("--text", "-t", help="Explain this text instead of a file")] = None,
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output", "-o", help="Write .html, or trees as .svg or .png; - is a page to stdout; without: letters"
        ),
    ] = None,
    gpu_id: GpuOption = -1,
) -> None:
    """Show how a text is parsed, sentence by sentence.

    With -o, writes one self-contained HTML page: tree, arcs, constituents, and the attention of each label head; or
    a picture of the trees, .svg or .png (with CairoSVG or rsvg-convert).
    Without -o, prints the tree drawn with letters and a table of heads.
    """
    from spacy_lal.cli.pipelines import load_pipeline
    from spacy_lal.export import read_sentences
    from spacy_lal.files import write_file

    if output is not None and output.suffix.lower() in OTHER_ENDINGS:
        other = "`lal parse -f` writes other formats"
        fail(f"expected a file that ends in .html, .svg or .png after -o, got {output}; {other}")
    source = text_or_file(word, text)
    if source.text is None:
        check_stream_apart(output, source.name)
    nlp = load_pipeline(model, gpu_id)
    reader = TextReader(source.name, paragraphs=True, max_length=nlp.max_length)
    try:
        texts = [given.text for given in (reader if source.text is None else given_text(source.text, name="TEXT"))]
    except TextError as err:
        fail(str(err))
    if not texts:
        fail("expected a text, got nothing but whitespace")
    try:
        docs = list(nlp.pipe(texts))
        if output is None:
            _print_drawings(docs)
        else:
            with path_or_stdout(output) as path:
                write_file(path, _content(output, nlp, docs))
            if not is_stdout(output):
                wrote(output, counted(sum(1 for doc in docs for _ in read_sentences(doc)), "sentence"))
    except OSError as err:
        fail(f"can't write {output or 'to stdout'}: {err.strerror or err}")
    except ValueError as err:
        fail(str(err))


def _content(output: Path, nlp: "Language", docs: List["Doc"]) -> Union[str, bytes]:
    """The content of a file, by its ending: .svg and .png show trees, any other a page."""
    suffix = output.suffix.lower()
    if suffix not in (".svg", ".png"):
        return explain_page(nlp, docs)
    from spacy_lal.pictures import render
    from spacy_lal.pictures.svg import svg_to_png

    theme = "light" if suffix == ".png" else "auto"
    svg = render(docs, style="tree", format="svg", options={"theme": theme}) or ""
    return svg_to_png(svg) if suffix == ".png" else svg


def explain_page(nlp: "Language", docs: Iterable["Doc"]) -> str:
    """The page, with a section for each sentence that has a word.

    nlp (Language): The pipeline that parsed the Docs.
    docs (Iterable[Doc]): Parsed Docs.
    RETURNS (str): Self-contained HTML.
    RAISES (ValueError): The Docs have no sentence boundaries.
    """
    from spacy_lal.pictures import writing
    from spacy_lal.pictures.page import page

    docs = list(docs)
    sections = [section for doc in docs for section in _sections(nlp, doc)]
    first = next((doc.text for doc in docs if doc.text.strip()), "")
    title = " ".join(first.split())
    title = title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "\u2026"
    note = f"Parsed by {nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    return page(title, sections, note=note, intro=INTRO, **(writing(docs[0]) if docs else {}))


def _sections(nlp: "Language", doc: "Doc") -> List["Section"]:
    from spacy_lal.export import read_sentences
    from spacy_lal.pictures.page import Section

    sentences = list(read_sentences(doc))
    attention = _pictures("Label attention", "attention", nlp, doc, len(sentences))
    contributions = _pictures("Contributions", "contributions", nlp, doc, len(sentences))
    sections = []
    for sentence, attended, contributed in zip(sentences, attention, contributions, strict=True):
        span = doc[sentence.tokens[0].i : sentence.tokens[-1].i + 1]
        (tree,) = _pictures("Tree", "tree", nlp, span, 1)
        tree = tree._replace(markup=tree.markup + _legend(sentence))
        folds = [
            *_pictures("Arcs", "dep", nlp, span, 1),
            *_pictures("Constituents", "spans", nlp, span, 1),
            attended,
        ]
        is_short = len(sentence.tokens) <= LONG_SENTENCE
        pictures = [
            tree,
            *_roles(span),
            *(fold._replace(is_open=is_short) for fold in folds),
            contributed._replace(is_open=False),
        ]
        sections.append(Section(" ".join(sentence.text.split()), pictures))
    return sections


def _legend(sentence: "Sentence") -> str:
    from spacy_lal.pictures.colors import label_legend
    from spacy_lal.trees.labels import split_chain

    return label_legend(label for *_, chain in sentence.constituents or [] for label in split_chain(chain))


def _pictures(heading: str, style: str, nlp: "Language", item: Union["Doc", "Span"], number: int) -> List["Picture"]:
    """One picture per sentence; if the pipeline lacks the annotation for it, the reason instead."""
    from spacy_lal.pictures import draw
    from spacy_lal.pictures.markup import escape
    from spacy_lal.pictures.page import Picture

    try:
        return [Picture(heading, markup) for markup in draw(item, style, {}, nlp)]
    except ValueError as err:
        return [Picture(heading, f"<p>{escape(str(err))}</p>")] * number


def _roles(span: "Span") -> List["Picture"]:
    """The semantic roles of a sentence, if its Doc has roles: a click on a predicate shows its arguments."""
    from spacy_lal.annotations import has_propositions
    from spacy_lal.pictures import draw
    from spacy_lal.pictures.page import Picture

    if not has_propositions(span.doc):
        return []
    return [Picture("Roles", markup) for markup in draw(span, "roles", {"folded": True})]


def _print_drawings(docs: Iterable["Doc"]) -> None:
    from spacy_lal.cli.formats import format_drawing
    from spacy_lal.export import read_sentences

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    with closed_pipe_is_no_error():
        for number, doc in enumerate(docs):
            for sentence in read_sentences(doc):
                sys.stdout.write(format_drawing(sentence, Origin(number)))
