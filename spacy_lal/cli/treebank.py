"""`python -m spacy lal check` and `python -m spacy lal convert`: inspect a treebank, convert it to `.spacy` files."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Callable, Iterable, Iterator, List, Optional

import typer

from spacy_lal.cli.outputs import check_apart, is_stdout, path_or_stdout, paths_or_stdin
from spacy_lal.cli.progress import progress
from spacy_lal.cli.role_report import role_lines
from spacy_lal.cli.streams import closed_pipe_is_no_error, counted, fail, say, wrote
from spacy_lal.cli.tables import table_lines

if TYPE_CHECKING:
    from spacy_lal.treebanks.reader import TreebankSentence
    from spacy_lal.treebanks.report import TreebankReport

SHOWN_PROBLEMS = 20
BAR_WIDTH = 40
FILES = (
    "Trees (.ptb), dependencies (.conllu), roles (.srl.jsonl, .props); or columns of CoNLL-2012 (_conll); - is stdin"
)


def check_cli(
    paths: Annotated[List[Path], typer.Argument(metavar="FILE...", help=FILES)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole report as JSON")] = False,
    top: Annotated[int, typer.Option("--top", help="Rows of each table of labels; 0 shows all")] = 15,
) -> None:
    """Report the contents of a treebank and its irregularities.

    Exits with code 1 if something cannot be read, or if words or numbers of sentences disagree.
    """
    with paths_or_stdin(paths) as (files, named):
        _check(files, named, as_json=as_json, top=top)


def _check(paths: List[Path], named: Callable[[str], str], *, as_json: bool, top: int) -> None:
    """named (Callable[[str], str]): Gives files in a message the names that the user knows."""
    from spacy_lal.pictures.markup import printable_json
    from spacy_lal.treebanks.reader import TreebankError
    from spacy_lal.treebanks.report import check_columns, check_treebank
    from spacy_lal.treebanks.role_report import check_roles
    from spacy_lal.treebanks.role_sources import find_files

    try:
        files = find_files(paths)
        report = check_columns(files.columns) if files.columns else None
        if files.brackets or files.conllu:
            report = check_treebank(files.brackets, files.conllu)
        roles = check_roles(files) if files.has_roles else None
    except (TreebankError, OSError) as error:
        fail(named(str(error)))
    with closed_pipe_is_no_error():
        if as_json:
            shown = {**(report.to_dict() if report else {}), **({"roles": roles.to_dict()} if roles else {})}
            typer.echo(named(printable_json(shown, indent=2)))
        else:
            for line in (*(report_lines(report, top) if report else ()), *([""] if report and roles else [])):
                say(named(line))
            for line in role_lines(roles, top) if roles else ():
                say(named(line))
    problems = list(report.problems) if report else []
    n_problems = report.n_problems if report else 0
    if roles and roles.problem and not any(roles.problem in problem for problem in problems):
        problems.insert(0, roles.problem)
        n_problems += 1
    if problems:
        more = n_problems - len(problems[:SHOWN_PROBLEMS])
        fail(named("\n".join([*problems[:SHOWN_PROBLEMS], *([f"... and {more} more"] if more else [])])))


def convert_cli(
    paths: Annotated[List[Path], typer.Argument(metavar="FILE...", help=FILES)],
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help="A .spacy file to write, - for stdout, or a folder for several")
    ],
    n_sents: Annotated[
        Optional[int],
        typer.Option(
            "--n-sents", "-n", help="Sentences in a Doc, at most  [default: 1; with --by-document 0, no limit]"
        ),
    ] = None,
    by_document: Annotated[
        bool, typer.Option("--by-document", "-d", help="Begin a new Doc where the CoNLL-U has '# newdoc'")
    ] = False,
    exclude: Annotated[
        Optional[str],
        typer.Option("--exclude", "-x", help="Leave out sentences whose sent_id this regex matches"),
    ] = None,
) -> None:
    """Convert a treebank to Docs with heads, deprels, tags, constituents and roles, in a .spacy file.

    Only sentences that --exclude names are dropped. A tree that cannot be read, or words that differ between the two
    files, end the command with the files and lines, and no file is written.
    """
    from spacy.vocab import Vocab

    from spacy_lal.treebanks.docs import make_docs, write_docs
    from spacy_lal.treebanks.reader import SUFFIXES, TreebankError
    from spacy_lal.treebanks.role_sources import ROLE_SUFFIXES, find_files, read_sentences
    from spacy_lal.trees import BracketError, SpanError
    from spacy_lal.trees.conllu import ConlluError

    if output.suffix in (*SUFFIXES, *ROLE_SUFFIXES) or (output in paths and not is_stdout(output)):
        fail(f"the last argument is the .spacy file or the folder to write, got {output}")
    check_apart(output, *paths)
    if n_sents is None:
        n_sents = 0 if by_document else 1
    try:
        excluded = _Excluded(re.compile(exclude) if exclude is not None else None)
    except re.error as error:
        fail(f"--exclude: {exclude!r} is no regular expression: {error}")
    with paths_or_stdin(paths) as (files, named), path_or_stdout(output, binary=True) as target:
        try:
            sentences = progress(excluded.filter(read_sentences(find_files(files))))
            counts = write_docs(make_docs(sentences, Vocab(), n_sents=n_sents, by_document=by_document), target)
        except (BracketError, ConlluError, SpanError, TreebankError, ValueError, OSError) as error:
            fail(named(str(error)))
    left_out = f" ({excluded.count} sentences left out)" if exclude is not None else ""
    in_files = "" if counts.files == 1 else f" in {counts.files} files"
    counts_of = ((counts.docs, "Doc"), (counts.sentences, "sentence"), (counts.tokens, "token"))
    content = ", ".join(counted(number, noun) for number, noun in counts_of)
    wrote("to stdout" if is_stdout(output) else output, f"{content}{in_files}{left_out}")


def report_lines(report: "TreebankReport", top: int) -> Iterator[str]:
    """The report as text. top (int): Rows of each table of labels, 0 for all."""
    trees, arcs = report.brackets is not None, report.conllu is not None
    yield "Treebank: " + " + ".join(name for name in (report.brackets, report.conllu) if name)
    yield ""
    for name, count in [("sentences", report.sentences), ("tokens", report.tokens)]:
        yield f"{name:<28}{count:>12,}"
    if trees:
        yield f"{'constituents':<28}{report.constituents:>12,}"
        yield f"{'trees without one over all':<28}{report.trees_without_cover:>12,}"
    if arcs:
        yield f"{'arcs':<28}{report.arcs:>12,}"
        for name, count in [
            ("non-projective sentences", report.non_projective),
            ("sentences of several roots", report.several_roots),
            ("sentences without root", report.no_root),
            ("sentences lacking heads", report.missing_heads),
            ("UPOS unknown to spaCy", report.unknown_pos),
        ]:
            yield f"{name:<28}{count:>12,}"
    if report.one_outside_head_share is not None:
        yield f"{'one outside head':<28}{report.one_outside_head_share:>12.2%}  of constituents of 2+ words"
    if trees and arcs:
        yield f"{'tags that differ':<28}{report.different_tags:>12,}"
        yield f"{'disagreements, malformed':<28}{report.n_problems:>12,}"
    yield from _length_lines(report)
    for title, counter in [
        ("labels", report.labels),
        ("unary chains", report.chains),
        ("deprels", report.deprels),
        ("tags", report.tags),
    ]:
        if counter:
            yield from table_lines(title, counter, top)


def _length_lines(report: "TreebankReport") -> Iterator[str]:
    if not report.sentences:
        return
    yield ""
    mean, p95 = report.tokens / report.sentences, report.length_quantile(0.95)
    yield f"Length in words: mean {mean:.1f}, 95 % are at most {p95}, longest {max(report.lengths)}"
    histogram = report.length_histogram()
    most = max(histogram.values())
    for name, count in histogram.items():
        yield f"  {name:>7}{count:>10,} {'#' * round(BAR_WIDTH * count / most)}".rstrip()


class _Excluded:
    """Leaves out sentences by their sent_id and counts them. Where the first sentence of a document is left out, the
    next one begins the document. pattern: a compiled regex; None excludes none."""

    def __init__(self, pattern: Optional["re.Pattern[str]"]) -> None:
        self.pattern = pattern
        self.count = 0

    def filter(self, sentences: Iterable["TreebankSentence"]) -> Iterator["TreebankSentence"]:
        begins_document = False  # at a sentence that was left out
        for sentence in sentences:
            begins_document = begins_document or sentence.begins_document
            if self.pattern is not None and self.pattern.search(sentence.sent_id):
                self.count += 1
                continue
            if begins_document and sentence.dependencies:
                sentence.dependencies.metadata.setdefault("newdoc", None)
            yield sentence
            begins_document = False
