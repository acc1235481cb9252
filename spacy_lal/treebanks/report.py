"""Counts and oddities of a treebank, and of its semantic roles: the figures behind
`lal check`. Problems (unreadable input, words or counts that disagree)
make a treebank unsound; what the parser accepts is only counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, TypeVar

import numpy as np

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
    Proposition,
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
Place = tuple[int, int]
MAX_PROBLEMS = 1000  # kept at most: in a file that is no treebank, each line may be one
MAX_SHOWN = 5  # misaligned arguments, or contradictions, that a report shows
OF_PREDICATE = (PREDICATE_ROLE, PREDICATE_PART)
BRACKETS = {")": "(", "]": "[", "}": "{"}
# Constituents: without the root label (TOP, ROOT, ...), each label of a chain.
FIGURES = (
    "sentences",
    "tokens",
    "constituents",
    "arcs",
    "wide_constituents",  # of two words or more whose heads are all known
    "one_outside_head",  # those of them in which one word has its head outside
    "non_projective",  # sentences, as the next four
    "several_roots",
    "no_root",
    "missing_heads",
    "trees_without_cover",  # no constituent covers all words
    "bracket_pairs",  # in the words of trees
    "split_pairs",  # those of them whose ")" is outside of the phrase of "("
    "misplaced_roots",  # words below another with the deprel root, and other roots
    "unknown_pos",  # words with a UPOS that spaCy does not know, and Docs lack
    "different_tags",
    "tags_that_are_labels",  # words whose tag is a label too: (VP (S to) ...)
    "n_problems",
)
# Parts of arguments count one by one; V and C-V are no arguments.
ROLE_FIGURES = (
    "sentences",
    "without_predicate",
    "predicates",
    "auxiliaries",
    "without_arguments",
    "wide_predicates",
    "arguments",
    "continuations",  # C-X
    "references",  # R-X
    "adjacent",  # pairs of one role, which BIO tags must keep apart
    "compared_with_trees",  # arguments in sentences with a tree
    "on_constituents",  # those of them that are one constituent or word
    "compared_with_heads",  # arguments in sentences with all heads
    "on_subtrees",  # those of them that are one word with all words below it
)


@dataclass
class Report:
    """What a treebank, or its roles, have.

    files (Dict[str, Optional[str]]): The names of its files.
    figures (Counter[str]): Counts, by their names in `FIGURES` or `ROLE_FIGURES`.
    tables (Dict[str, Counter]): How often each thing occurs: `labels`, `chains` (unary
        ones, joined by `::`), `deprels`, `tags`, `lengths` (words of a sentence); or
        `rolesets`, `roles`.
    examples (List[str]): The first wide constituents without one outside head, or the
        first arguments that are no constituents, with file, line and words.
    problems (List[str]): Why it is unsound, with file and line: the first
        `MAX_PROBLEMS` of them.
    """

    files: dict[str, Optional[str]]
    figures: "Counter[str]"
    tables: "dict[str, Counter[Any]]"
    examples: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether all input is readable and the files agree."""
        return not self.problems

    def add_problem(self, problem: str) -> None:
        """Count a problem, and keep it if it is among the first `MAX_PROBLEMS`."""
        self.figures.update(n_problems=1)
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    def add_example(self, parse: Parse, place: Place, name: str) -> None:
        """Keep words of a sentence as an example, if it is among the first."""
        if len(self.examples) < MAX_SHOWN:
            words = " ".join(parse.words[slice(*place)])
            self.examples.append(f"{parse.where}: {name} {words}")

    def share(self, part: str, whole: str) -> Optional[float]:
        """A figure as a share (0 to 1) of another; None without any."""
        n = self.figures[whole]
        return self.figures[part] / n if n else None

    def length_quantile(self, quantile: float) -> int:
        """The smallest length such that at least this share of the sentences is no
        longer."""
        lengths = list(self.tables["lengths"].elements()) or [0]
        return int(np.quantile(lengths, quantile, method="inverted_cdf"))

    def length_histogram(self) -> dict[str, int]:
        """Number of sentences by length, in steps of ten words (`"11-20"`), the last
        for all above 100."""
        names = [f"{first}-{first + 9}" for first in range(1, 101, 10)] + ["101+"]
        histogram = dict.fromkeys(names, 0)
        for length, count in self.tables["lengths"].items():
            histogram[names[min((length - 1) // 10, 10)]] += count
        return histogram

    def _values(self) -> dict[str, Any]:
        """Files, figures and tables by descending frequency, for JSON."""
        tables = {name: dict(c.most_common()) for name, c in self.tables.items()}
        return {**self.files, **self.figures, **tables}

    def to_dict(self) -> dict[str, Any]:
        """The report on a treebank as values for JSON."""
        return {
            "sound": self.sound,
            **self._values(),
            "contradictions": self.examples,
            "problems": self.problems,
            "lengths": {
                "mean": self.share("tokens", "sentences") or 0.0,
                "median": self.length_quantile(0.5),
                "p95": self.length_quantile(0.95),
                "max": max(self.tables["lengths"], default=0),
                "histogram": self.length_histogram(),
            },
            "one_outside_head_share": self.share(
                "one_outside_head", "wide_constituents"
            ),
        }

    def roles_to_dict(self) -> dict[str, Any]:
        """The report on roles as values for JSON."""
        on_constituents = self.share("on_constituents", "compared_with_trees")
        return {
            **self._values(),
            "misaligned": self.examples,
            "problem": next(iter(self.problems), None),
            "on_constituents_share": on_constituents,
            "on_subtrees_share": self.share("on_subtrees", "compared_with_heads"),
        }


def _empty_report(
    files: dict[str, Optional[str]], figures: Sequence[str], tables: Sequence[str]
) -> Report:
    counters: dict[str, Counter[Any]] = {name: Counter() for name in tables}
    return Report(files, Counter(dict.fromkeys(figures, 0)), counters)


def check_treebank(brackets: Optional[Path], conllu: Optional[Path]) -> Report:
    """Read a whole treebank, of one file or two, and report on it; unreadable input is
    a problem in it."""
    report = _report_on(brackets, conllu)
    trees = _until_error(read_trees(brackets), report) if brackets else iter(())
    sentences = _sound_sentences(conllu, report) if conllu else iter(())
    for pair in pair_up(trees, sentences):
        tree, sentence, differs = pair
        is_odd = tree is None or sentence is None or differs is not None
        if brackets and conllu and is_odd:
            report.add_problem(describe_disagreement(pair, str(brackets), str(conllu)))
        if tree and sentence and differs is None:
            if any(sentence.tags):
                tags = zip(tree.tags, sentence.tags, strict=True)
                different = sum(ours != theirs for ours, theirs in tags)
                report.figures.update(different_tags=different)
            sentence = with_tree(sentence, tree)
        _count(report, sentence or tree or Parse([]))
    return _finished(report)


def check_columns(path: Path) -> Report:
    """Report on a file of columns. The first malformed sentence is a problem, and ends
    the reading."""
    report = _report_on(path, None)
    for parse in _until_error(read_columns(path), report):
        _count(report, parse)
    return _finished(report)


def _report_on(brackets: Optional[Path], conllu: Optional[Path]) -> Report:
    files = {"brackets": brackets, "conllu": conllu}
    return _empty_report(
        {kind: str(path) if path else None for kind, path in files.items()},
        FIGURES,
        ("lengths", "labels", "chains", "deprels", "tags"),
    )


def _finished(report: Report) -> Report:
    labels = report.tables["labels"]
    tags = report.tables["tags"].items()
    report.figures.update(
        tags_that_are_labels=sum(n for tag, n in tags if tag in labels)
    )
    if not report.figures["sentences"] and report.sound:
        path = report.files["brackets"] or report.files["conllu"]
        report.add_problem(f"{path}:1: no sentences")
    return report


def is_projective(heads: Heads) -> bool:
    """Whether no two arcs cross, also the root's. Words without head hang on the root.
    No cycles."""
    return len(subtrees(heads)) == len(heads)


def subtrees(heads: Heads) -> list[Place]:
    """The half-open ranges of those words that are, with all words below them, a range
    of words. Words without head hang on the root. No cycles."""
    n_words = len(heads)
    dependents: list[list[int]] = [[] for _ in range(n_words + 1)]
    for word, head in enumerate(heads, start=1):
        dependents[head or 0].append(word)
    order = [0]
    for word in order:  # each after its head
        order.extend(dependents[word])
    below = [(word, word, 1) for word in range(n_words + 1)]  # first, last, how many
    for word in reversed(order[1:]):
        of_word = zip(*(below[i] for i in (word, *dependents[word])), strict=True)
        firsts, lasts, sizes = of_word
        below[word] = (min(firsts), max(lasts), sum(sizes))
    return [
        (first - 1, last) for first, last, size in below[1:] if last - first + 1 == size
    ]


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
        phrases = np.zeros(n_words, dtype=int)
        for number, constituent in enumerate(parse.constituents, start=1):
            phrases[constituent.start : constituent.end] = number
            _count_constituent(report, parse, constituent)
        for opening, closing in bracket_pairs(parse.words):
            is_split = phrases[opening] != phrases[closing]
            report.figures.update(bracket_pairs=1, split_pairs=int(is_split))


def bracket_pairs(words: Sequence[str]) -> list[tuple[int, int]]:
    """The words that open and close a pair of brackets, the innermost first."""
    pairs = []
    opened: list[int] = []
    for word, form in enumerate(words):
        if form in BRACKETS.values():
            opened.append(word)
        elif opened and words[opened[-1]] == BRACKETS.get(form):
            pairs.append((opened.pop(), word))
    return pairs


def _count_arcs(report: Report, heads: Heads, deprels: Sequence[str]) -> None:
    known = [head for head in heads if head is not None]
    misplaced = [
        deprel
        for head, deprel in zip(heads, deprels, strict=True)
        if deprel and (deprel.upper() == ROOT_DEPREL) != (head == 0)
    ]
    report.tables["deprels"].update(filter(None, deprels))
    report.figures.update(
        arcs=len(known),
        missing_heads=None in heads,
        misplaced_roots=len(misplaced),
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
    place = (span.start, span.end)
    heads = parse.heads
    if heads is None or None in heads[slice(*place)] or span.end - span.start == 1:
        return
    has_one = outside_heads(*place, heads) == 1
    report.figures.update(
        wide_constituents=n_labels, one_outside_head=n_labels * has_one
    )
    if not has_one:
        report.add_example(parse, place, span.label)


def check_roles(files: TreebankFiles) -> Report:
    """Read the roles of a treebank and report on them. Without words, roles are counted
    alone. The first malformed input, or disagreement of files, ends the reading and is
    the report's problem.

    files (TreebankFiles): With a file that has roles.
    """
    path = str(files.roles or files.columns)
    report = _empty_report({"path": path}, ROLE_FIGURES, ("rolesets", "roles"))
    try:
        if files.has_words:
            for sentence in read_sentences(files):
                _count_roles(report, sentence)
        else:
            for roles in read_role_file(files.roles) if files.roles else ():
                _count_roles(report, Parse([], roles=roles.propositions))
        if not report.figures["sentences"]:
            report.problems.append(f"{path}:1: no roles")
    except TreebankError as error:
        report.problems.append(str(error))
    return report


def _count_roles(report: Report, parse: Parse) -> None:
    propositions = parse.roles or ()
    report.figures.update(sentences=1, without_predicate=not propositions)
    constituents: Optional[set[Place]] = None
    if parse.constituents is not None:
        constituents = {(span.start, span.end) for span in parse.constituents}
        constituents.add((0, len(parse.words)))
    ranges: Optional[set[Place]] = None
    if parse.heads is not None and None not in parse.heads:
        ranges = set(subtrees(parse.heads))
    for proposition in propositions:
        arguments = [arg for arg in proposition.args if arg[2] not in OF_PREDICATE]
        _count_proposition(report, proposition, arguments)
        if constituents is not None:
            _compare(report, parse, arguments, constituents)
        if ranges is not None:
            report.figures.update(
                compared_with_heads=len(arguments),
                on_subtrees=sum(arg[:2] in ranges for arg in arguments),
            )


def _count_proposition(
    report: Report, proposition: Proposition, arguments: Sequence[Argument]
) -> None:
    token, roleset, args, _ = proposition
    of_predicate = [arg[:2] for arg in args if arg[2] in OF_PREDICATE]
    ends = {arg[1:] for arg in args}
    roles = [role for *_, role in arguments]
    auxiliaries = conventions(DEFAULT_LANGUAGE).auxiliary_rolesets
    report.tables["rolesets"][roleset] += 1
    report.tables["roles"].update(role for *_, role in args)
    report.figures.update(
        predicates=1,
        auxiliaries=roleset in auxiliaries,
        without_arguments=not arguments,
        arguments=len(arguments),
        wide_predicates=any(place != (token, token + 1) for place in of_predicate),
        adjacent=sum((start, role) in ends for start, _, role in args),
        continuations=sum(role.startswith(CONTINUATION) for role in roles),
        references=sum(role.startswith(REFERENCE) for role in roles),
    )


def _compare(
    report: Report,
    parse: Parse,
    arguments: Sequence[Argument],
    constituents: set[Place],
) -> None:
    for start, end, role in arguments:
        is_one = end - start == 1 or (start, end) in constituents
        report.figures.update(compared_with_trees=1, on_constituents=is_one)
        if not is_one:
            report.add_example(parse, (start, end), role)
