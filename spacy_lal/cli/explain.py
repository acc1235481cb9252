"""`python -m spacy lal explain TEXT`: the parse of a text, as a self-contained page, a picture, or text. Beside it
`explain-label`, the meaning of a label, and `label-heads`, the label heads of a parser over a treebank."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterable, Iterator, List, Optional, Union

import typer

from spacy_lal.cli.io import (
    GpuOption,
    ModelOption,
    check_apart,
    counted,
    fail,
    is_stdout,
    load_pipeline,
    read_docs,
    say,
    text_output,
    write_bytes,
    write_json,
    wrote,
)
from spacy_lal.cli.texts import ParagraphsOption, Reading, TextOption, WordsArgument, find_sources

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

    from spacy_lal.export import Sentence
    from spacy_lal.interpret import HeadReport
    from spacy_lal.pictures.page import Picture, Section

LONG_SENTENCE = 40  # words; in longer sentences only the tree is unfolded
MAX_TITLE = 80
ENDINGS = (".html", ".htm", ".svg", ".png")
INTRO = (
    "Each sentence has two trees that agree: constituents, coloured by label, and arcs that point from a head to its "
    "dependent. Below them stand what the label heads of the network look at and what they add to each score: a head "
    "does not always speak for the label that it is called by."
)
SHOWN_LABELS = 20
SHOWN_HEADS = 3  # heads shown for each label; each gets a line in the table of heads
SHOWN_WORDS = 5


def explain_cli(
    words: WordsArgument = None,
    model: ModelOption = None,
    text: TextOption = None,
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output", "-o", help="Write .html, or trees as .svg or .png; - is a page to stdout; without: letters"
        ),
    ] = None,
    paragraphs: ParagraphsOption = None,
    gpu_id: GpuOption = -1,
) -> None:
    """Show how a text is parsed, sentence by sentence.

    With -o, writes one self-contained HTML page: tree, arcs, constituents, and the attention of each label head; or
    a picture of the trees, .svg or .png (with CairoSVG or rsvg-convert).
    Without -o, prints the tree drawn with letters and a table of heads.
    """
    from spacy_lal.cli.parse import format_drawing
    from spacy_lal.cli.texts import Origin
    from spacy_lal.export import read_sentences

    suffix = output.suffix.lower() if output is not None and not is_stdout(output) else ".html"
    if suffix not in ENDINGS:
        other = "`lal parse -f` writes other formats"
        fail(f"expected a file that ends in .html, .svg or .png after -o, got {output}; {other}")
    reading = Reading(find_sources(words, text), paragraphs=paragraphs)
    check_apart(output, *(source.name for source in reading.sources))
    nlp = load_pipeline(model, gpu_id)
    docs = list(nlp.pipe([text for text, _ in reading.texts(nlp.max_length)]))
    if not docs:
        fail("expected a text, got nothing but whitespace")
    sentences = [(number, sentence) for number, doc in enumerate(docs) for sentence in read_sentences(doc)]
    if output is None:
        with text_output(None) as write:
            for number, sentence in sentences:
                write(format_drawing(sentence, Origin(number)))
        return
    content = _content(suffix, nlp, docs)
    if isinstance(content, str):
        with text_output(output) as write:
            write(content)
    else:
        write_bytes(output, content)
    wrote(output, counted(len(sentences), "sentence"))


def _content(suffix: str, nlp: "Language", docs: List["Doc"]) -> Union[str, bytes]:
    """The content of a file, by its ending: .svg and .png show trees, any other a page."""
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


def explain_label_cli(
    labels: Annotated[List[str], typer.Argument(metavar="LABEL...", help="For instance NP, S::VP, nsubj:pass or VBZ")],
) -> None:
    """Describe labels of constituents, deprels, tags and parts of speech, one a line.

    Exits with code 1 if a label is unknown.
    """
    from spacy_lal.lang.glossary import explain

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        described = {label: explain(label) for label in labels}
    for label, text in described.items():
        if text is not None:
            say(f"{label}\t{text}")
    unknown = [label for label, text in described.items() if text is None]
    if unknown:
        say(f"no explanation for: {', '.join(unknown)}", err=True)
        raise typer.Exit(1)


def heads_cli(
    data_path: Annotated[Path, typer.Argument(metavar="DEV.spacy", help="Gold Docs, as `lal convert` writes them")],
    model: ModelOption = None,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", help="Write the whole report as JSON")] = None,
    top: Annotated[
        int, typer.Option("--top", "-k", min=1, help="Heads of a label, and labels and words of a head, in the JSON")
    ] = 10,
    batch_size: Annotated[int, typer.Option("--batch-size", "-b", min=1, help="Docs read together")] = 64,
    gpu_id: GpuOption = -1,
) -> None:
    """Show which label heads contribute to which labels, and which words they attend to.

    A head's part is its contribution to the margin of a label over the next best label: a mean over the constituents
    that the parser gets right on gold tokens and sentence breaks.
    """
    from spacy_lal.interpret import head_report

    check_apart(output, data_path)
    nlp = load_pipeline(model, gpu_id)
    report = head_report(nlp, read_docs(data_path, nlp.vocab), k=top, batch_size=batch_size)
    if output is not None:
        write_json(output, report.records(top))
    say("\n".join(heads_lines(report)), err=output is not None and is_stdout(output))
    if output is not None:
        wrote(output, f"{counted(len(report.labels), 'label')}, {counted(len(report.heads), 'label head')}")


def heads_lines(report: "HeadReport") -> List[str]:
    """The report as lines of text: the most frequent labels, the heads that rank first in them, and the number of
    labels whose own head ranks first."""
    lines = [f"{report.n_sentences} sentences, {len(report.labels)} labels, {len(report.heads)} label heads"]
    if report.n_left_out:
        lines.append(f"left out, for the parser reads them in pieces: {report.n_left_out} sentences")
    lines += _label_lines(report)
    lines += _head_lines(report)
    named = [one for one in report.labels if one.own is not None]
    shares = ", ".join(
        f"first {k}: {100 * share:.1f} (chance {100 * report.chance(k):.1f})"
        for k in (1, 3, 10)
        if (share := report.own_head_share(k)) is not None
    )
    if shares:
        lines.append(f"% of labels with the head of their name among their {shares}")
    else:
        lines.append("no label is ever right" if named else "no head has the name of a label")
    return lines


def _label_lines(report: "HeadReport") -> Iterator[str]:
    """For each label: its count, the margin and its parts, the rank of the head of the same name, the first heads."""
    numbers = "".join(f"{name:>9}" for name in ("correct", "margin", "bias", "tokens", "heads"))
    yield f"{'label':<20}{'gold':>7}{numbers}{'own':>6}  first heads"
    for one in report.labels[:SHOWN_LABELS]:
        parts = "".join(f"{part:>9.3f}" for part in (one.margin, one.bias, one.tokens, float(one.heads.sum())))
        first = ", ".join(f"{report.heads[i].name} {one.heads[i]:+.3f}" for i in one.ranking[:SHOWN_HEADS])
        own = one.own_rank or "-"
        yield f"  {one.label:<18}{one.counts.gold:>7}{one.counts.correct:>9}{parts}{own:>6}  {first or '-'}"
    if len(report.labels) > SHOWN_LABELS:
        yield f"  and {len(report.labels) - SHOWN_LABELS} labels more"


def _head_lines(report: "HeadReport") -> Iterator[str]:
    """For each head in the table of labels: the labels in which it ranks highest, and the words that it attends to."""
    shown = {i for one in report.labels[:SHOWN_LABELS] for i in one.ranking[:SHOWN_HEADS]}
    if not shown:
        return
    yield f"{'head':<20}{'labels (place)':<40} words (% of attention, % if even)"
    for i in sorted(shown):
        head = report.heads[i]
        labels = ", ".join(f"{place.label} ({place.rank})" for place in head.labels[:SHOWN_HEADS])
        words = ", ".join(f"{one.word} {100 * one.share:.1f}/{100 * one.even:.1f}" for one in head.words[:SHOWN_WORDS])
        yield f"  {head.name:<18}{labels:<40} {words}"
    if len(report.heads) > len(shown):
        yield f"  and {len(report.heads) - len(shown)} heads more"
