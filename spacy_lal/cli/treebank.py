"""`lal check`, `convert` and `add-trees`: inspect a treebank, turn it into `.spacy`
files, add trees."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Optional,
)

import typer

from spacy_lal.cli import io
from spacy_lal.cli.inputs import read_docs
from spacy_lal.cli.texts import Source
from spacy_lal.files import quoted

if TYPE_CHECKING:
    from spacy_lal.treebanks.report import Report
    from spacy_lal.trees import Parse

SHOWN_PROBLEMS = 20
LONG_NAME = 120  # characters of a label; longer ones are cut
FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Trees (.ptb), dependencies (.conllu), roles (.srl.jsonl, .props); or "
        "columns of CoNLL-2012 (_conll); "
        "- is stdin",
    ),
]
# Of `convert` and `add-trees`, which write Docs.
DocsOutput = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="A .spacy file, or - (stdout)",
    ),
]


def check_cli(
    paths: FilesArgument,
    output: io.OutputOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole report as JSON")
    ] = False,
    top: Annotated[
        int,
        typer.Option(min=0, help="Rows of each table of labels; 0 shows all"),
    ] = 15,
) -> None:
    """Report the contents of a treebank and its irregularities.

    Exits with code 1 if words or numbers of sentences disagree, or a role is malformed;
    with 2 if a file is missing or no text."""
    from spacy_lal.pictures.markup import printable_json
    from spacy_lal.treebanks.reader import find_files
    from spacy_lal.treebanks.report import check_treebank

    io.check_apart(output, *paths)
    with io.input_paths(paths) as (read, named):
        report = check_treebank(find_files(read))
    if as_json:
        content = printable_json(report.to_dict(), indent=2)
    else:
        content = "\n".join(report_lines(report, top))
    io.write_lines(output, [named(content)], "the report")
    problems = report.problems[:SHOWN_PROBLEMS]
    n_more = report.figures["n_problems"] - len(problems)
    if n_more:
        problems.append(f"... and {n_more} more")
    if problems:
        io.say(named("\n".join(problems)))
        raise typer.Exit(1)


def convert_cli(
    paths: FilesArgument,
    output: DocsOutput,
    n_sents: Annotated[
        Optional[int],
        typer.Option(min=0, help="Sentences in a Doc; 0: no limit  [default: 1]"),
    ] = None,
    by_document: Annotated[
        bool, typer.Option("--by-document", "-d", help="A Doc for each '# newdoc'")
    ] = False,
    by_paragraph: Annotated[
        bool, typer.Option("--by-paragraph", help="A Doc for each '# newpar'")
    ] = False,
    exclude: Annotated[
        Optional[str],
        typer.Option("--exclude", "-x", help="A regex of sent_ids to leave out"),
    ] = None,
) -> None:
    """Convert a treebank to Docs, in a .spacy file.

    The Docs have heads, deprels, tags, constituents and roles, where the files have
    them. Only sentences that --exclude names are dropped. A tree that cannot be read,
    or words that differ between the two files, end the command with the files and
    lines, and no file is written."""
    from spacy.vocab import Vocab

    from spacy_lal.treebanks.docs import make_docs, pack_docs
    from spacy_lal.treebanks.reader import find_files
    from spacy_lal.treebanks.roles import read_sentences

    io.check_apart(output, *paths)
    if n_sents is None:
        n_sents = 0 if by_document or by_paragraph else 1
    left_out: list[str] = []
    pattern = io.compiled(exclude, "--exclude")
    with io.input_paths(paths) as (files, _):
        sentences = _kept(read_sentences(find_files(files)), pattern, left_out)
        docs = make_docs(
            sentences,
            Vocab(),
            n_sents=n_sents,
            by_document=by_document,
            by_paragraph=by_paragraph,
        )
        data, counts = pack_docs(docs)
    with io.binary_output(output) as file:
        file.write(data)
    written = ", ".join(io.counted(n, noun) for noun, n in counts.items())
    if exclude is not None:
        written += f" ({len(left_out)} sentences left out)"
    io.wrote(output, written)


def add_trees_cli(
    data_path: Annotated[
        Path,
        typer.Argument(
            metavar="IN.spacy", help="Gold Docs, as `lal convert` writes them"
        ),
    ],
    output: DocsOutput,
    model: io.ModelOption = None,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Add the other tree to Docs that have only one.

    The joint decoder finds the best heads, or constituents, that agree with the given
    tree. Docs with both or neither, or with a sentence that is too long for the
    decoder, are written unchanged."""
    from spacy_lal.pipeline.scoring import find_parser
    from spacy_lal.training.completion import complete, lacks
    from spacy_lal.treebanks.docs import pack_docs

    io.check_apart(output, data_path)
    nlp = io.load_pipeline(model, gpu_id)
    io.check_one_stdin([data_path])
    golds = read_docs(Source(str(data_path)), nlp.vocab)
    completed = list(complete(nlp, find_parser(nlp), golds))
    with io.binary_output(output) as file:
        file.write(pack_docs(completed)[0])
    got = Counter(map(lacks, golds)) - Counter(map(lacks, completed))
    io.wrote(
        output,
        f"{io.counted(len(golds), 'Doc')}; {got['heads']} got heads, "
        f"{got['constituents']} got constituents",
    )


def report_lines(report: "Report", top: int) -> Iterator[str]:
    """The report as text.

    top (int): Rows of each table of labels, 0 for all.
    """
    from spacy_lal.treebanks.report import TITLES, WHOLES

    for name, title in TITLES.items():
        if name in report.figures:
            share = report.share(name) if name in WHOLES else None
            shown = "" if share is None else f"{share:>10.2%}"
            yield f"{title:<28}{report.figures[name]:>12,}{shown}"
        for example in report.examples.get(name, ()):
            yield f"    but not {example}"
    lengths = sorted(report.tables["lengths"].elements())
    if lengths:
        mean = sum(lengths) / len(lengths)
        p95 = lengths[-1 - len(lengths) // 20]
        yield (
            f"\nLength in words: mean {mean:.1f}, 95 % are at most {p95}, longest "
            f"{lengths[-1]}"
        )
    for name, table in report.tables.items():
        if name == "lengths" or not table:
            continue
        yield f"\n{len(table)} {name}:"
        rows = table.most_common(top or None)
        for label, count in rows:
            yield f"  {_shown(label):<24}{count:>10,}"
        if len(rows) < len(table):
            yield f"  and {len(table) - len(rows)} more (--top 0 shows all)"


def _shown(name: str) -> str:
    """A label on one line: control characters are shown as Python escapes."""
    is_plain = name.isprintable() and len(name) <= LONG_NAME
    return name if is_plain else quoted(name)


def _kept(
    sentences: Iterable["Parse"],
    pattern: Optional["re.Pattern[str]"],
    left_out: list[str],
) -> Iterator["Parse"]:
    """Leaves out sentences by their sent_id, and enters it; the next one begins the
    document or paragraph."""
    begun: set[str] = set()  # comments of sentences that were left out
    for sentence in sentences:
        begun.update(filter(sentence.begins, ("newdoc", "newpar")))
        if pattern is not None and pattern.search(sentence.sent_id):
            left_out.append(sentence.sent_id)
        else:
            sentence.metadata.update(dict.fromkeys(begun))
            yield sentence
            begun.clear()
