"""`python -m spacy lal complexity FILE...`: a table of syntactic complexity, one row a
file or a sentence."""

import glob
import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
)

import typer

from spacy_lal.cli import io, tables, texts
from spacy_lal.cli.parse import LEMMATIZERS, parse_texts
from spacy_lal.cli.texts import (
    ParagraphsOption,
    Reading,
    Source,
    TextOption,
    find_sources,
)
from spacy_lal.lang import DEFAULT_LANGUAGE, conventions

if TYPE_CHECKING:
    from spacy.language import Language

    from spacy_lal.complexity import Complexity

TEXT = "text"
KINDS = ("brackets", "conllu", "docbin", TEXT)
BY_ENDING = {**io.FORMAT_OF, ".conllu": "conllu"}
# Files of a folder that are measured; others lie beside them.
READ_IN_FOLDERS = (".conllu", ".md", ".mrg", ".ptb", ".spacy", ".text", ".txt")
BATCH_SIZE = 32
STRUCTURES_MISSING = (
    "structures are defined for English alone: counts and indices are empty for the "
    "language"
)
DIGITS = 4

PathsArgument = Annotated[
    Optional[List[str]],
    typer.Argument(
        metavar="[FILE|FOLDER|-|TEXT]...",
        help="Files, folders, patterns such as 'essays/*.txt'  [default: -, stdin]",
    ),
]
SentencesOption = Annotated[
    bool, typer.Option("--by-sentence", help="A row a sentence, with its text")
]
FormatOption = Annotated[
    Optional[str],
    typer.Option(
        "--format",
        "-f",
        help="csv, tsv, jsonl, parquet  [default: by the output's ending]",
        show_default=False,
    ),
]
InputFormatOption = Annotated[
    Optional[str],
    typer.Option(
        "--input-format",
        "-i",
        help="brackets, conllu, docbin, text  [default: by the file's ending]",
        show_default=False,
    ),
]
LanguageOption = Annotated[
    str, typer.Option("--lang", help="The language of .ptb and .conllu files")
]


class Measured(NamedTuple):
    """A sentence with its measures."""

    text: str
    measures: "Complexity"


def complexity_cli(
    paths: PathsArgument = None,
    model: io.ModelOption = None,
    text: TextOption = None,
    output_format: FormatOption = None,
    output: io.OutputOption = None,
    input_format: InputFormatOption = None,
    by_sentence: SentencesOption = False,
    paragraphs: ParagraphsOption = None,
    lang: LanguageOption = DEFAULT_LANGUAGE,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Measure the syntactic complexity of texts.

    A row is a file, a column a measure.

    The columns are those of L2SCA (Lu 2010), then means over sentences, then parts of
    the counts. Trees (.ptb), heads (.conllu) and Docs (.spacy) are measured as they
    are; texts are parsed. A file without sentences has a row, too: counts of 0."""
    output_format = io.output_format(output_format, output, tables.FORMATS)
    if input_format not in (None, *KINDS):
        io.fail(f"expected an input format of {', '.join(KINDS)}, got {input_format!r}")
    sources = find_sources(_expanded(paths), text, output)
    load = lru_cache(lambda: _load(model, gpu_id))
    measured = (
        (source, _measure(source, input_format, paragraphs, lang, load))
        for source in _with_progress(sources)
    )
    table = (
        row
        for source, sentences in measured
        for row in _rows(source.shown, sentences, by_sentence)
    )
    n_rows = tables.write_table(table, _columns(by_sentence), output_format, output)
    io.wrote(output, io.counted(n_rows, "row"))
    kinds = {_kind(source, input_format) for source in sources}
    if "conllu" in kinds:
        io.say(
            "CoNLL-U has no constituents: measures of trees are empty there", err=True
        )
    code = load().lang if TEXT in kinds else lang
    if not conventions(code or "").structures:
        io.say(f"{STRUCTURES_MISSING} {code!r}", err=True)


def _expanded(paths: Optional[List[str]]) -> Optional[List[str]]:
    """The files of folders and patterns, in order of their names; other words as they
    are."""
    found: List[str] = []
    for word in paths or ():
        if os.path.isdir(word):
            inside = _files_within(Path(word))
            if not inside:
                endings = ", ".join(READ_IN_FOLDERS)
                io.fail(f"{word} is a folder without files of {endings}")
            found += inside
        elif glob.has_magic(word) and not os.path.exists(word):
            found += sorted(glob.glob(word, recursive=True)) or [word]
        else:
            found.append(word)
    return found or paths


def _files_within(folder: Path) -> List[str]:
    return sorted(
        str(path)
        for path in folder.rglob("*")
        if path.suffix.lower() in READ_IN_FOLDERS and path.is_file()
    )


def _load(model: Optional[str], gpu_id: int) -> "Language":
    unread = (io.ROLES_FACTORY, *LEMMATIZERS)
    return io.load_pipeline(model, gpu_id, exclude=unread)


def _with_progress(sources: List[Source]) -> Iterator[Source]:
    """The sources, with a bar on a terminal's stderr."""
    if len(sources) == 1 or not sys.stderr.isatty():
        yield from sources
        return
    with typer.progressbar(sources, file=sys.stderr, show_pos=True) as bar:
        yield from bar


def _kind(source: Source, input_format: Optional[str]) -> str:
    return input_format or BY_ENDING.get(source.suffix, TEXT)


def _measure(
    source: Source,
    input_format: Optional[str],
    paragraphs: Optional[bool],
    lang: str,
    load: "Callable[[], Language]",
) -> Iterator[Measured]:
    """The sentences of a source, in order."""
    kind = _kind(source, input_format)
    if kind == "brackets":
        return _of_brackets(source, lang)
    if kind == "conllu":
        return _of_conllu(source, lang)
    if kind == "docbin":
        return _of_docs(source)
    return _of_texts(Reading([source], input_format, paragraphs), load())


def _of_brackets(source: Source, lang: str) -> Iterator[Measured]:
    from spacy_lal.complexity import measure_sentence
    from spacy_lal.trees import Parse, read_brackets_with_lines

    lines = (line for _, line in texts.numbered_lines(source))
    for tree, _ in read_brackets_with_lines(lines, name=source.shown):
        parse = Parse.from_tree(tree)
        figures = measure_sentence(parse.tags, tree, lang=lang)
        yield Measured(" ".join(parse.words), figures)


def _of_conllu(source: Source, lang: str) -> Iterator[Measured]:
    from spacy_lal.complexity import headed_words, measure_sentence
    from spacy_lal.trees import read_conllu

    is_stdin = source.name == io.STDIN
    lines = (line for _, line in texts.numbered_lines(source))
    for sentence in read_conllu(lines if is_stdin else source.name):
        text = sentence.metadata.get("text") or " ".join(sentence.words)
        words = headed_words(sentence)
        yield Measured(text, measure_sentence(sentence.tags, None, words, lang=lang))


def _of_docs(source: Source) -> Iterator[Measured]:
    import spacy

    vocab = spacy.blank(DEFAULT_LANGUAGE).vocab
    for doc in io.read_docs(Path(source.name), vocab):
        yield from _of_doc(doc)


def _of_texts(reading: Reading, nlp: "Language") -> Iterator[Measured]:
    read = reading.texts(nlp.max_length)
    for doc, _ in parse_texts(nlp, read, batch_size=BATCH_SIZE):
        yield from _of_doc(doc)


def _of_doc(doc: Any) -> Iterator[Measured]:
    from spacy_lal.annotations import sentence_complexities, sentence_words

    sentences = [words for words in sentence_words(doc) if words]
    for words, measures in zip(sentences, sentence_complexities(doc), strict=True):
        yield Measured(doc[words[0] : words[-1] + 1].text, measures)


# Rows


def _columns(by_sentence: bool) -> List[str]:
    from spacy_lal.complexity import Complexity

    place = ["file", "sentence", "text"] if by_sentence else ["file"]
    return [*place, *Complexity().to_dict()]


def _rows(
    name: str, sentences: Iterable[Measured], by_sentence: bool
) -> Iterator[Dict[str, Any]]:
    from spacy_lal.complexity import summed

    if not by_sentence:
        measures = summed(one.measures for one in sentences)
        yield {"file": name, **_rounded(measures)}
        return
    for number, one in enumerate(sentences, start=1):
        place = {"file": name, "sentence": number, "text": one.text}
        yield {**place, **_rounded(one.measures)}


def _rounded(measures: "Complexity") -> Dict[str, Any]:
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value
        for name, value in measures.to_dict().items()
    }
