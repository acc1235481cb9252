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
        help="A .spacy file, - (stdout), or a folder of several",
        callback=io.text_file,
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
        typer.Option("--top", min=0, help="Rows of each table of labels; 0 shows all"),
    ] = 15,
) -> None:
    """Report the contents of a treebank and its irregularities.

    Exits with code 1 if words or numbers of sentences disagree, or a role is malformed;
    with 2 if a file is missing or no text."""
    from spacy_lal.pictures.markup import printable_json
    from spacy_lal.treebanks.reader import find_files
    from spacy_lal.treebanks.report import check_columns, check_roles, check_treebank

    io.check_apart(output, *paths)
    with io.input_paths(paths) as (read, named):
        files = find_files(read)
        report = check_columns(files.columns) if files.columns else None
        if files.brackets or files.conllu:
            report = check_treebank(files.brackets, files.conllu)
        roles = check_roles(files) if files.roles or files.columns else None
    if as_json:
        record = report.to_dict() if report else {}
        if roles:
            record["roles"] = roles.roles_to_dict()
        lines = [printable_json(record, indent=2)]
    else:
        lines = list(report_lines(report, top)) if report else []
        if report and roles:
            lines.append("")
        if roles:
            lines += role_lines(roles, top)
    with io.text_output(output) as write:
        write(named("\n".join(lines)) + "\n")
    io.wrote(output, "the report")
    problems = _problems(report, roles)
    if problems:
        io.say(named("\n".join(problems)), err=True)
        raise typer.Exit(1)


def _problems(report: "Optional[Report]", roles: "Optional[Report]") -> list[str]:
    """The first problems of both reports, and how many more there are."""
    problems = list(report.problems) if report else []
    n_problems = report.figures["n_problems"] if report else 0
    for problem in roles.problems if roles else ():
        if not any(problem in known for known in problems):
            problems.insert(0, problem)
            n_problems += 1
    shown = problems[:SHOWN_PROBLEMS]
    if n_problems > len(shown):
        shown.append(f"... and {n_problems - len(shown)} more")
    return shown


def convert_cli(
    paths: FilesArgument,
    output: DocsOutput,
    n_sents: Annotated[
        Optional[int],
        typer.Option("--n-sents", help="Sentences in a Doc  [default: 1]"),
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

    from spacy_lal.treebanks.docs import make_docs, write_docs
    from spacy_lal.treebanks.reader import find_files
    from spacy_lal.treebanks.roles import read_sentences

    io.check_apart(output, *paths)
    if n_sents is None:
        n_sents = 0 if by_document or by_paragraph else 1
    try:
        excluded = _Excluded(re.compile(exclude) if exclude is not None else None)
    except re.error as error:
        io.fail(f"--exclude: {exclude!r} is no regular expression: {error}")
    with io.input_paths(paths) as (files, _), io.output_path(output) as target:
        sentences = excluded.filter(read_sentences(find_files(files)))
        docs = make_docs(
            sentences,
            Vocab(),
            n_sents=n_sents,
            by_document=by_document,
            by_paragraph=by_paragraph,
        )
        counts = write_docs(docs, target)
    written = (
        f"{io.counted(counts.docs, 'Doc')}, "
        f"{io.counted(counts.sentences, 'sentence')}, "
        f"{io.counted(counts.tokens, 'token')}"
    )
    if counts.files > 1:
        written += f" in {counts.files} files"
    if exclude is not None:
        written += f" ({excluded.count} sentences left out)"
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
    batch_size: Annotated[
        int, typer.Option("--batch-size", "-b", min=1, help="Docs read together")
    ] = 64,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Add the other tree to Docs that have only one.

    The joint decoder finds the best heads, or constituents, that agree with the given
    tree. Docs with both or neither, or with a sentence that is too long for the
    decoder, are written unchanged."""
    from spacy_lal.pipeline.scoring import find_parser
    from spacy_lal.training.completion import complete, lacks
    from spacy_lal.treebanks.docs import write_docs

    io.check_apart(output, data_path)
    if output == data_path.parent:
        io.fail(
            f"{data_path} lies in {output}, whose files are replaced: name another "
            "folder"
        )
    nlp = io.load_pipeline(model, gpu_id)
    golds = io.read_docs(data_path, nlp.vocab)
    completed = list(complete(nlp, find_parser(nlp), golds, batch_size=batch_size))
    with io.output_path(output) as path:
        write_docs(completed, path)
    before = Counter(map(lacks, golds))
    after = Counter(map(lacks, completed))
    written = (
        f"{io.counted(len(golds), 'Doc')}; "
        f"{before['heads'] - after['heads']} Docs got heads, "
        f"{before['constituents'] - after['constituents']} Docs got constituents, "
        f"{before[None]} had both or neither"
    )
    too_long = after["heads"] + after["constituents"]
    if too_long:
        written += f", {too_long} have a sentence too long for the joint decoder"
    io.wrote(output, written)


# The lines of figures, and the names of the figures.
OF_ALL = {"sentences": "sentences", "tokens": "tokens"}
OF_TREES = {
    "constituents": "constituents",
    "trees without one over all": "trees_without_cover",
    "tags that are labels": "tags_that_are_labels",
    "pairs of brackets": "bracket_pairs",
    "  that no phrase holds": "split_pairs",
}
OF_ARCS = {
    "arcs": "arcs",
    "non-projective sentences": "non_projective",
    "sentences of several roots": "several_roots",
    "sentences without root": "no_root",
    "sentences lacking heads": "missing_heads",
    "misplaced deprels `root`": "misplaced_roots",
    "UPOS unknown to spaCy": "unknown_pos",
}
OF_BOTH = {
    "tags that differ": "different_tags",
    "disagreements, malformed": "n_problems",
}
OF_ROLES = {
    "sentences with roles": "sentences",
    "  without a predicate": "without_predicate",
    "predicates": "predicates",
    "  auxiliaries and modals": "auxiliaries",
    "  without arguments": "without_arguments",
    "  of several words": "wide_predicates",
    "arguments": "arguments",
    "  parts (C-)": "continuations",
    "  references (R-)": "references",
    "  adjacent, of one role": "adjacent",
}


def report_lines(report: "Report", top: int) -> Iterator[str]:
    """The report as text.

    top (int): Rows of each table of labels, 0 for all.
    """
    trees = report.files["brackets"] is not None
    arcs = report.files["conllu"] is not None
    yield "Treebank: " + " + ".join(filter(None, report.files.values()))
    yield ""
    yield from _rows(report, OF_ALL)
    if trees:
        yield from _rows(report, OF_TREES)
    if arcs:
        yield from _rows(report, OF_ARCS)
    share = report.share("one_outside_head", "wide_constituents")
    if share is not None:
        yield f"{'one outside head':<28}{share:>12.2%}  of constituents of 2+ words"
        for place in report.examples:
            yield f"    contradicts the heads: {place}"
    if trees and arcs:
        yield from _rows(report, OF_BOTH)
    mean = report.share("tokens", "sentences")
    if mean is not None:
        p95 = report.length_quantile(0.95)
        longest = max(report.tables["lengths"])
        yield (
            f"\nLength in words: mean {mean:.1f}, 95 % are at most {p95}, longest "
            f"{longest}"
        )
        histogram = report.length_histogram()
        most = max(histogram.values())
        for name, count in histogram.items():
            bar = "#" * round(40 * count / most)
            yield f"  {name:>7}{count:>10,} {bar}".rstrip()
    titles = {
        "labels": "labels",
        "chains": "unary chains",
        "deprels": "deprels",
        "tags": "tags",
    }
    yield from _tables(report, titles, top)


def _rows(report: "Report", names: dict[str, str]) -> list[str]:
    return [f"{title:<28}{report.figures[name]:>12,}" for title, name in names.items()]


def role_lines(report: "Report", top: int) -> Iterator[str]:
    """The report on roles as text.

    top (int): Rows of each table, 0 for all.
    """
    yield f"Roles: {report.files['path']}"
    yield ""
    yield from _rows(report, OF_ROLES)
    share = report.share("on_constituents", "compared_with_trees")
    if share is not None:
        figures = report.figures
        n_misaligned = figures["compared_with_trees"] - figures["on_constituents"]
        yield f"{'  that are constituents':<28}{share:>12.2%}"
        yield f"{'  misaligned':<28}{n_misaligned:>12,}"
        yield from (f"    {argument}" for argument in report.examples)
    share = report.share("on_subtrees", "compared_with_heads")
    if share is not None:
        yield f"{'  that are subtrees':<28}{share:>12.2%}"
    yield from _tables(report, {"roles": "roles", "rolesets": "rolesets"}, top)


def _tables(report: "Report", titles: dict[str, str], top: int) -> Iterator[str]:
    """Tables of labels by frequency, each below an empty line.

    top (int): Rows, 0 for all.
    """
    for name, title in titles.items():
        counter = report.tables[name]
        if counter:
            yield ""
            yield f"{len(counter)} {title}:"
        rows = counter.most_common(top or None)
        for label, count in rows:
            yield f"  {_shown(label):<24}{count:>10,}"
        if len(rows) < len(counter):
            yield f"  and {len(counter) - len(rows)} more (--top 0 shows all)"


def _shown(name: str) -> str:
    """A label on one line: control characters are shown as Python escapes."""
    is_plain = name.isprintable() and len(name) <= LONG_NAME
    return name if is_plain else quoted(name)


class _Excluded:
    """Leaves out sentences by their sent_id (a regex or None); the next one begins the
    document or paragraph."""

    def __init__(self, pattern: Optional["re.Pattern[str]"]) -> None:
        self.pattern = pattern
        self.count = 0

    def filter(self, sentences: Iterable["Parse"]) -> Iterator["Parse"]:
        begun: set[str] = set()  # comments of sentences that were left out
        for sentence in sentences:
            begun.update(filter(sentence.begins, ("newdoc", "newpar")))
            if self.pattern is not None and self.pattern.search(sentence.sent_id):
                self.count += 1
                continue
            sentence.metadata.update(dict.fromkeys(begun))
            yield sentence
            begun.clear()
