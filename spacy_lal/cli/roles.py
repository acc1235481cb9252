"""`python -m spacy lal roles TEXT`: who did what to whom, predicate by predicate."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterator, Optional

import typer

from spacy_lal.cli.inputs import text_or_file
from spacy_lal.cli.options import GpuOption, ModelOption
from spacy_lal.cli.role_formats import ALIASES, FORMATS, role_sentences
from spacy_lal.cli.streams import Terminal, closed_pipe_is_no_error, fail
from spacy_lal.cli.texts import Interruptible, TextError, TextReader, given_text
from spacy_lal.lang import DEFAULT_PIPELINE

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

SUFFIX = ".spacy"


def roles_cli(
    word: Annotated[
        Optional[str],
        typer.Argument(
            metavar="[FILE|-|TEXT]",
            help="Each line is a text; - is stdin; Docs of .spacy as they are",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = None,
    text: Annotated[Optional[str], typer.Option("--text", "-t", help="This text instead of a file")] = None,
    output_format: Annotated[str, typer.Option("--format", "-f", help=", ".join(FORMATS))] = "table",
    auxiliaries: Annotated[
        bool, typer.Option("--auxiliaries/--no-auxiliaries", help="Show auxiliaries and modals")
    ] = True,
    frames: Annotated[
        Optional[Path], typer.Option("--frames", help="PropBank's frames (.jsonl, from projects/srl), for descriptions")
    ] = None,
    gpu_id: GpuOption = -1,
) -> None:
    """Show the semantic roles of a text: each predicate with its roleset and its arguments.

    The pipeline needs a component that sets roles, such as lal_srl. The roles of a .spacy file are shown without one.
    """
    output_format = ALIASES.get(output_format, output_format)
    if output_format not in FORMATS:
        fail(f"expected a format of {', '.join(FORMATS)}, got {output_format!r}")
    source = text_or_file(word, text)
    from spacy_lal.trees.frames import FrameError

    try:
        docs = _stored_docs(Path(source.name), frames) if source.name.endswith(SUFFIX) else None
        if docs is None:
            docs = _parsed_docs(source.name, source.text, model, frames, gpu_id)
        _write(docs, output_format, auxiliaries)
    except (TextError, FrameError, ValueError) as err:
        fail(str(err))


def _write(docs: "Iterator[Doc]", output_format: str, auxiliaries: bool) -> None:
    from spacy_lal.treebanks.conll_roles import document_lines

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    out = Terminal(sys.stdout) if sys.stdout.isatty() else sys.stdout
    write = FORMATS[output_format]
    with closed_pipe_is_no_error():
        for number, doc in enumerate(docs):
            sentences = "".join(write(one, number) for one in role_sentences(doc, auxiliaries=auxiliaries))
            if output_format == "conll":
                begin, end = document_lines(f"text/{number + 1}")
                sentences = f"{begin}{sentences}{end}"
            out.write(sentences)


def _stored_docs(path: Path, frames: Optional[Path]) -> "Iterator[Doc]":
    import spacy
    from spacy.tokens import DocBin

    from spacy_lal.annotations import has_propositions

    vocab = spacy.blank("xx").vocab  # its lexemes know what white space is
    _install(vocab, frames)
    try:
        docs = list(DocBin().from_disk(path).get_docs(vocab))
    except Exception as err:  # errors of zlib, msgpack and spaCy have no common base
        fail(f"{path} is no .spacy file ({type(err).__name__}: {err})")
    if not any(map(has_propositions, docs)):
        fail(f"the Docs of {path} have no roles")
    return iter(docs)


def _parsed_docs(
    name: str, text: Optional[str], model: Optional[str], frames: Optional[Path], gpu_id: int
) -> "Iterator[Doc]":
    from spacy_lal.annotations import has_propositions
    from spacy_lal.cli.pipelines import load_pipeline
    from spacy_lal.pipeline.lal_srl import HOW_TO_GET

    nlp = load_pipeline(model, gpu_id, needs_parser=False)
    _install(nlp.vocab, frames)
    reader = TextReader(name, max_length=nlp.max_length)
    texts = Interruptible(reader if text is None else given_text(text, name="TEXT"))
    for doc in nlp.pipe(one.text for one in texts):
        if not has_propositions(doc):
            fail(
                f"the pipeline {model or DEFAULT_PIPELINE!r} sets no roles, only {', '.join(nlp.pipe_names)}: give one "
                f"with a trained lal_srl by --model. {HOW_TO_GET}"
            )
        yield doc
    if texts.error is not None:
        raise texts.error


def _install(vocab: "Vocab", frames: Optional[Path]) -> None:
    from spacy_lal.annotations import install_frames
    from spacy_lal.trees.frames import read_frames

    if frames is not None:
        install_frames(vocab, read_frames(frames).values())
