"""Counts and oddities of a treebank, and of its semantic roles: the figures behind
`lal check`. Problems (unreadable input, words or counts that disagree)
make a treebank unsound; what the parser accepts is only counted."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from operator import ne
from pathlib import Path
from typing import Any, Optional, TypeVar

from spacy.pipeline._parser_internals.nonproj import is_nonproj_tree

from ..annotations import ROOT_DEPREL
from ..files import TreebankError
from ..lang import DEFAULT_LANGUAGE, conventions
from ..trees.conllu import parse_conllu_block, read_conllu_blocks
from ..trees.joint import outside_heads
from ..trees.parse import Heads, Parse
from ..trees.roles import (
    CONTINUATION,
    PREDICATE_PART,
    PREDICATE_ROLE,
    REFERENCE,
    Argument,
)
from ..trees.spans import Constituent
from .columns import read_columns
from .docs import unknown_pos
from .reader import (
    TreebankFiles,
    describe_disagreement,
    pair_up,
    read_trees,
    with_tree,
)
from .roles import read_role_file, read_sentences

Item = TypeVar("Item")
MAX_PROBLEMS = 1000  # kept at most: in a file that is no treebank, each line may be one
MAX_SHOWN = 5  # examples of a figure
BRACKETS = {")": "(", "]": "[", "}": "{"}
OF_PREDICATE = (PREDICATE_ROLE, PREDICATE_PART)
# The figures as a report shows them. A treebank without trees, heads or roles lacks
# theirs. Constituents: without the root label (TOP, ROOT, ...), each label of a chain.
# Parts of arguments count one by one; V and C-V are no arguments.
TITLES = {
    "sentences": "sentences",
    "tokens": "tokens",
    "constituents": "constituents",
    "trees_without_cover": "trees without one over all",
    "tags_that_are_labels": "tags that are labels",  # (VP (S to) ...)
    "arcs": "arcs",
    "non_projective": "non-projective sentences",
    "several_roots": "sentences of several roots",
    "no_root": "sentences without root",
    "missing_heads": "sentences lacking heads",
    # Words below another with the deprel root, and other roots.
    "misplaced_roots": "misplaced deprels `root`",
    "unknown_pos": "UPOS unknown to spaCy",  # Docs lack them
    "wide_constituents": "constituents of 2+ words",  # whose heads are all known
    "one_outside_head": "  with one outside head",
    "bracket_pairs": "pairs of brackets",  # in the words of trees
    "split_pairs": "  that no constituent holds",  # and nothing more
    "different_tags": "tags that differ",
    "n_problems": "disagreements, malformed",
    "sentences_with_roles": "sentences with roles",
    "without_predicate": "  without a predicate",
    "predicates": "predicates",
    "auxiliaries": "  auxiliaries and modals",
    "without_arguments": "  without arguments",
    "wide_predicates": "  of several words",
    "arguments": "arguments",
    "continuations": "  parts (C-)",
    "references": "  references (R-)",
    "adjacent": "  adjacent, of one role",  # which BIO tags must keep apart
    "compared_with_trees": "  in sentences with a tree",
    "on_constituents": "    that are constituents",  # or words
}
# Figures that are parts of others, which a report shows as shares, too.
WHOLES = {
    "one_outside_head": "wide_constituents",
    "split_pairs": "bracket_pairs",
    "on_constituents": "compared_with_trees",
}


class Report:
    """What a treebank has.

    figures (Counter[str]): Counts, by their names in `TITLES`.
    tables (Dict[str, Counter]): How often each thing occurs: `labels`, `chains` (unary
        ones, joined by `::`), `deprels`, `tags`, `lengths` (words of a sentence),
        `roles`, `rolesets`.
    examples (Dict[str, List[str]]): The first that do not belong to a part of `WHOLES`,
        with file, line and words.
    problems (List[str]): Why it is unsound, with file and line: the first
        `MAX_PROBLEMS` of them.
    """

    def __init__(self) -> None:
        self.figures: Counter[str] = Counter(n_problems=0)
        self.tables: defaultdict[str, Counter[Any]] = defaultdict(Counter)
        self.examples: defaultdict[str, list[str]] = defaultdict(list)
        self.problems: list[str] = []

    def add_problem(self, problem: str) -> None:
        """Count a problem, and keep it if it is among the first `MAX_PROBLEMS`."""
        self.figures.update(n_problems=1)
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def add_part(
        self, part: str, is_part: bool, parse: Parse, span: Constituent, count: int = 1
    ) -> None:
        """Count words of a sentence under a figure of `WHOLES`, and under its part if
        they belong to it; otherwise they are an example."""
        self.figures.update({WHOLES[part]: count, part: count * is_part})
        if not is_part and len(self.examples[part]) < MAX_SHOWN:
            words = " ".join(parse.words[span.start : span.end])
            self.examples[part].append(f"{parse.where}: {span.label} {words}")

    def share(self, part: str) -> Optional[float]:
        """A figure as a share (0 to 1) of its whole; None without any."""
        whole = self.figures[WHOLES[part]]
        return self.figures[part] / whole if whole else None

    def to_dict(self) -> dict[str, Any]:
        """The report as values for JSON."""
        return {
            "sound": not self.problems,
            **self.figures,
            **{f"{part}_share": self.share(part) for part in WHOLES},
            **{name: dict(table.most_common()) for name, table in self.tables.items()},
            "examples": self.examples,
            "problems": self.problems,
        }


def check_treebank(files: TreebankFiles) -> Report:
    """Read a whole treebank, and report on it; unreadable input is a problem in it."""
    report = Report()
    if files.has_words:
        _check_sentences(files, report)
        labels = report.tables["labels"]
        tags = report.tables["tags"].items()
        n_labels = sum(count for tag, count in tags if tag in labels)
        report.figures.update(tags_that_are_labels=n_labels)
    if files.roles or files.columns:
        _check_roles(files, report)
    if not report.problems and not report.tables["lengths"] and files.has_words:
        path = files.columns or files.brackets or files.conllu
        report.add_problem(f"{path}:1: no sentences")
    return report


def _check_sentences(files: TreebankFiles, report: Report) -> None:
    brackets, conllu = files.brackets, files.conllu
    read = read_columns(files.columns) if files.columns else iter(())
    for parse in _until_error(read, report):
        _count(report, parse)
    trees = _until_error(read_trees(brackets), report) if brackets else iter(())
    sentences = _sound_sentences(conllu, report) if conllu else iter(())
    for pair in pair_up(trees, sentences):
        tree, sentence, differs = pair
        is_odd = tree is None or sentence is None or differs is not None
        if brackets and conllu and is_odd:
            report.add_problem(describe_disagreement(pair, str(brackets), str(conllu)))
        if tree and sentence and differs is None:
            if any(sentence.tags):
                different = sum(map(ne, tree.tags, sentence.tags))
                report.figures.update(different_tags=different)
            sentence = with_tree(sentence, tree)
        _count(report, sentence or tree or Parse([]))


def is_projective(heads: Heads) -> bool:
    """Whether no two arcs cross, also the root's. Words without head hang on the root.
    No cycles."""
    roots_of_their_own = [head - 1 if head else word for word, head in enumerate(heads)]
    return not is_nonproj_tree(roots_of_their_own)


def _until_error(items: Iterator[Item], report: Report) -> Iterator[Item]:
    """Items of a file. An error ends the reading, and is a problem."""
    try:
        yield from items
    except TreebankError as error:
        report.add_problem(f"{error} (the rest of the file was not read)")


def _sound_sentences(path: Path, report: Report) -> Iterator[Parse]:
    for block in _until_error(read_conllu_blocks(path), report):
        try:
            yield parse_conllu_block(block)
        except TreebankError as error:
            report.add_problem(str(error))


def _count(report: Report, parse: Parse) -> None:
    n_words = len(parse.words)
    report.tables["lengths"][n_words] += 1
    report.tables["tags"].update(filter(None, parse.tags))
    report.figures.update(
        sentences=1, tokens=n_words, unknown_pos=len(unknown_pos(parse))
    )
    if parse.heads is not None:
        _count_arcs(report, parse.heads, parse.deprels)
    if parse.constituents is not None:
        widths = [span.end - span.start for span in parse.constituents[:1]]
        report.figures.update(trees_without_cover=widths != [n_words])
        phrases = [0] * n_words
        for number, constituent in enumerate(parse.constituents, start=1):
            width = constituent.end - constituent.start
            phrases[constituent.start : constituent.end] = [number] * width
            _count_constituent(report, parse, constituent)
        for opening, closing in bracket_pairs(parse.words):
            is_split = phrases[opening] != phrases[closing]
            report.figures.update(bracket_pairs=1, split_pairs=is_split)


def bracket_pairs(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The words that open and close a pair of brackets, the innermost first."""
    opened: list[int] = []
    for place, word in enumerate(words):
        if word in BRACKETS.values():
            opened.append(place)
        elif opened and words[opened[-1]] == BRACKETS.get(word):
            yield opened.pop(), place


def _count_arcs(report: Report, heads: Heads, deprels: Sequence[str]) -> None:
    known = [head for head in heads if head is not None]
    misplaced = sum(
        bool(deprel) and (deprel.upper() == ROOT_DEPREL) != (head == 0)
        for head, deprel in zip(heads, deprels, strict=True)
    )
    report.tables["deprels"].update(filter(None, deprels))
    report.figures.update(
        arcs=len(known),
        missing_heads=None in heads,
        misplaced_roots=misplaced,
        no_root=bool(known) and 0 not in known,
        several_roots=known.count(0) > 1,
        non_projective=not is_projective(heads),
    )


def _count_constituent(report: Report, parse: Parse, span: Constituent) -> None:
    n_labels = len(span.chain)
    report.figures.update(constituents=n_labels)
    report.tables["labels"].update(span.chain)
    if n_labels > 1:
        report.tables["chains"][span.label] += 1
    heads = parse.heads
    is_wide = span.end - span.start > 1
    if is_wide and heads is not None and None not in heads[span.start : span.end]:
        has_one = outside_heads(span.start, span.end, heads) == 1
        report.add_part("one_outside_head", has_one, parse, span, n_labels)


def _check_roles(files: TreebankFiles, report: Report) -> None:
    """Without words, roles are counted alone. The first malformed input, or
    disagreement of files, ends the reading and is a problem."""
    try:
        if files.has_words:
            for sentence in read_sentences(files):
                _count_roles(report, sentence)
        elif files.roles is not None:
            for roles in read_role_file(files.roles):
                _count_roles(report, Parse([], roles=roles.propositions))
        if not report.figures["sentences_with_roles"]:
            report.add_problem(f"{files.roles}:1: no roles")
    except TreebankError as error:
        if not any(str(error) in problem for problem in report.problems):
            report.add_problem(str(error))


def _count_roles(report: Report, parse: Parse) -> None:
    propositions = parse.roles or ()
    report.figures.update(sentences_with_roles=1, without_predicate=not propositions)
    for token, roleset, args, _ in propositions:
        of_predicate = [arg[:2] for arg in args if arg[2] in OF_PREDICATE]
        arguments = [arg for arg in args if arg[2] not in OF_PREDICATE]
        auxiliaries = conventions(DEFAULT_LANGUAGE).auxiliary_rolesets
        report.tables["rolesets"][roleset] += 1
        report.tables["roles"].update(role for *_, role in args)
        report.figures.update(
            predicates=1,
            auxiliaries=roleset in auxiliaries,
            without_arguments=not arguments,
            wide_predicates=any(place != (token, token + 1) for place in of_predicate),
        )
        _count_arguments(report, parse, arguments)


def _count_arguments(
    report: Report, parse: Parse, arguments: Sequence[Argument]
) -> None:
    ends = {arg[1:] for arg in arguments}
    constituents = {(span.start, span.end) for span in parse.constituents or ()}
    constituents.add((0, len(parse.words)))
    for start, end, role in arguments:
        report.figures.update(
            arguments=1,
            adjacent=(start, role) in ends,
            continuations=role.startswith(CONTINUATION),
            references=role.startswith(REFERENCE),
        )
        span = Constituent(start, end, role)
        if parse.constituents is not None:
            is_constituent = end - start == 1 or (start, end) in constituents
            report.add_part("on_constituents", is_constituent, parse, span)
