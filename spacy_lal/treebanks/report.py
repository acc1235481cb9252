"""Counts and oddities of a treebank, and of its semantic roles: the figures behind
`python -m spacy lal check`. Problems (unreadable input, words or counts that disagree)
make a treebank unsound; what the parser accepts is only counted."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar

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
MAX_PROBLEMS = 1000  # kept at most: in a file that is no treebank, each line may be one
MAX_SHOWN = 5  # misaligned arguments, or contradictions, that a report shows
OF_PREDICATE = (PREDICATE_ROLE, PREDICATE_PART)


def _share(part: int, whole: int) -> Optional[float]:
    return part / whole if whole else None


@dataclass
class TreebankReport:
    """Counts over one treebank: sentences by their number of words (`lengths`), single
    labels, unary chains joined by `::`; constituents are without the root label (TOP,
    ROOT, ...).

    wide_constituents (int): Constituents of two words or more whose heads are all
        known; each label of a chain counts.
    one_outside_head (int): Wide constituents in which exactly one word has its head
        outside.
    contradictions (List[str]): The first other wide constituents, with file, line and
        words.
    unknown_pos (int): Words with a UPOS that spaCy does not know; `lal convert` leaves
        it out.
    misplaced_roots (int): Words below another word with the deprel `root`, in capitals
        too, and roots with another deprel.
    trees_without_cover (int): Trees in which no constituent covers all words.
    problems (List[str]): Why the treebank is unsound, with file and line: the first
        `MAX_PROBLEMS` of `n_problems`.
    """

    brackets: Optional[str] = None
    conllu: Optional[str] = None
    sentences: int = 0
    tokens: int = 0
    constituents: int = 0
    arcs: int = 0
    lengths: Counter = field(default_factory=Counter)
    labels: Counter = field(default_factory=Counter)
    chains: Counter = field(default_factory=Counter)
    deprels: Counter = field(default_factory=Counter)
    tags: Counter = field(default_factory=Counter)
    wide_constituents: int = 0
    one_outside_head: int = 0
    contradictions: List[str] = field(default_factory=list)
    non_projective: int = 0
    several_roots: int = 0
    no_root: int = 0
    missing_heads: int = 0
    misplaced_roots: int = 0
    unknown_pos: int = 0
    trees_without_cover: int = 0
    different_tags: int = 0
    problems: List[str] = field(default_factory=list)
    n_problems: int = 0

    @property
    def sound(self) -> bool:
        """Whether all input is readable and the files agree."""
        return not self.n_problems

    def add_problem(self, problem: str) -> None:
        """Count a problem, and keep it if it is among the first `MAX_PROBLEMS`."""
        self.n_problems += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)

    @property
    def tags_that_are_labels(self) -> int:
        """The number of words whose tag is a label of constituents, too: `(VP (S to)
        ...)`."""
        return sum(n for tag, n in self.tags.items() if tag in self.labels)

    @property
    def one_outside_head_share(self) -> Optional[float]:
        """Share (0 to 1) of wide constituents with exactly one outside head; None
        without wide constituents."""
        return _share(self.one_outside_head, self.wide_constituents)

    def length_quantile(self, quantile: float) -> int:
        """The smallest length such that at least this share of the sentences is no
        longer."""
        if not self.sentences:
            return 0
        lengths = list(self.lengths.elements())
        return int(np.quantile(lengths, quantile, method="inverted_cdf"))

    def length_histogram(self) -> Dict[str, int]:
        """Number of sentences by length, in steps of ten words (`"11-20"`), the last
        for all above 100."""
        names = [f"{first}-{first + 9}" for first in range(1, 101, 10)] + ["101+"]
        histogram = dict.fromkeys(names, 0)
        for length, count in self.lengths.items():
            histogram[names[min((length - 1) // 10, 10)]] += count
        return histogram

    def to_dict(self) -> Dict[str, Any]:
        """The report as values for JSON."""
        values = _plain(self)
        values["lengths"] = {
            "mean": self.tokens / self.sentences if self.sentences else 0.0,
            "median": self.length_quantile(0.5),
            "p95": self.length_quantile(0.95),
            "max": max(self.lengths, default=0),
            "histogram": self.length_histogram(),
        }
        return {
            "sound": self.sound,
            **values,
            "tags_that_are_labels": self.tags_that_are_labels,
            "one_outside_head_share": self.one_outside_head_share,
        }


def check_treebank(brackets: Optional[Path], conllu: Optional[Path]) -> TreebankReport:
    """Read a whole treebank, of one file or two, and report on it; unreadable input is
    a problem in it."""
    report = TreebankReport(
        str(brackets) if brackets else None, str(conllu) if conllu else None
    )
    trees = _until_error(read_trees(brackets), report) if brackets else iter(())
    sentences = _sound_sentences(conllu, report) if conllu else iter(())
    for pair in pair_up(trees, sentences):
        differ = pair.differs is not None
        is_odd = pair.tree is None or pair.sentence is None
        if brackets and conllu and (is_odd or differ):
            report.add_problem(describe_disagreement(pair, str(brackets), str(conllu)))
        _count_pair(report, None if differ else pair.tree, pair.sentence)
    return _with_empty_check(report)


def check_columns(path: Path) -> TreebankReport:
    """Report on a file of columns. The first malformed sentence is a problem, and ends
    the reading."""
    report = TreebankReport(brackets=str(path))
    for sentence in _until_error(read_columns(path), report):
        _count_sentence(report, sentence)
    return _with_empty_check(report)


def is_projective(heads: Heads) -> bool:
    """Whether no two arcs cross, also the root's. Words without head hang on the root.
    No cycles."""
    return all(is_range for _, _, is_range in _subtrees(heads))


def _subtrees(heads: Heads) -> List[Tuple[int, int, bool]]:
    """For each word, the first word of it and all words below it, the end, and whether
    they are a range of words."""
    n_words = len(heads)
    dependents: List[List[int]] = [[] for _ in range(n_words + 1)]
    for word, head in enumerate(heads, start=1):
        dependents[head or 0].append(word)
    order = [0]
    for word in order:  # each after its head
        order.extend(dependents[word])
    size = [1] * (n_words + 1)
    first = list(range(n_words + 1))
    last = list(range(n_words + 1))
    for word in reversed(order[1:]):
        head = heads[word - 1] or 0
        size[head] += size[word]
        first[head] = min(first[head], first[word])
        last[head] = max(last[head], last[word])
    words = range(1, n_words + 1)
    return [
        (first[word] - 1, last[word], last[word] - first[word] + 1 == size[word])
        for word in words
    ]


def _until_error(items: Iterator[Item], report: TreebankReport) -> Iterator[Item]:
    """Items of a file. An error ends the reading, and is a problem."""
    try:
        yield from items
    except TreebankError as error:
        report.add_problem(f"{error} (the rest of the file was not read)")


def _sound_sentences(path: Path, report: TreebankReport) -> Iterator[Parse]:
    for block in _until_error(read_conllu_blocks(path), report):
        try:
            yield parse_conllu_block(block)
        except TreebankError as error:
            report.add_problem(str(error))


def _with_empty_check(report: TreebankReport) -> TreebankReport:
    if not report.sentences and report.sound:
        report.add_problem(f"{report.brackets or report.conllu}:1: no sentences")
    return report


def _count_pair(
    report: TreebankReport, tree: Optional[Parse], sentence: Optional[Parse]
) -> None:
    """Add a sentence, with a tree, dependencies or both, to a report."""
    if tree and sentence:
        if any(sentence.tags):
            pairs = zip(tree.tags, sentence.tags, strict=True)
            report.different_tags += sum(ours != theirs for ours, theirs in pairs)
        sentence = with_tree(sentence, tree)
    parse = sentence or tree
    if parse:
        _count_sentence(report, parse)


def _count_sentence(report: TreebankReport, parse: Parse) -> None:
    report.sentences += 1
    report.tokens += len(parse.words)
    report.lengths[len(parse.words)] += 1
    report.tags.update(filter(None, parse.tags))
    report.unknown_pos += len(unknown_pos(parse))
    if parse.heads is not None:
        _count_arcs(report, parse.heads, parse.deprels)
    if parse.constituents is not None:
        _count_constituents(report, parse, parse.constituents)


def _count_arcs(report: TreebankReport, heads: Heads, deprels: Sequence[str]) -> None:
    report.deprels.update(filter(None, deprels))
    report.missing_heads += None in heads
    for head, deprel in zip(heads, deprels, strict=True):
        is_misplaced = (deprel.upper() == ROOT_DEPREL) != (head == 0)
        report.misplaced_roots += bool(deprel) and is_misplaced
    known = [head for head in heads if head is not None]
    if known:
        report.arcs += len(known)
        report.no_root += 0 not in known
        report.several_roots += known.count(0) > 1
        report.non_projective += not is_projective(heads)


def _count_constituents(
    report: TreebankReport, parse: Parse, constituents: Sequence[Constituent]
) -> None:
    n_words = len(parse.words)
    heads = parse.heads or [None] * n_words
    widest = [span.end - span.start for span in constituents[:1]]
    report.trees_without_cover += widest != [n_words]
    for span in constituents:
        n_labels = len(span.chain)
        report.constituents += n_labels
        report.labels.update(span.chain)
        if n_labels > 1:
            report.chains[span.label] += 1
        is_wide = span.end - span.start > 1
        if is_wide and None not in heads[span.start : span.end]:
            report.wide_constituents += n_labels
            if outside_heads(span.start, span.end, heads) == 1:
                report.one_outside_head += n_labels
            elif len(report.contradictions) < MAX_SHOWN:
                shown = " ".join(parse.words[span.start : span.end])
                report.contradictions.append(f"{parse.where}: {span.label} {shown}")


@dataclass
class RoleReport:
    """Counts over the roles of one treebank. Parts of arguments count one by one; V and
    C-V are no arguments.

    continuations, references (int): C-X; R-X.
    adjacent (int): Pairs of adjacent arguments of the same role, which BIO tags must
        keep apart.
    on_constituents (int): Arguments that are one constituent or word, of those in
        sentences with a tree.
    on_subtrees (int): Arguments that are one word with all words below it, of those in
        sentences with all heads.
    misaligned (List[str]): The first arguments that are no constituents, with file,
        line and words.
    problem (Optional[str]): Why reading ended early, with file and line.
    """

    path: str
    sentences: int = 0
    without_predicate: int = 0
    predicates: int = 0
    auxiliaries: int = 0
    without_arguments: int = 0
    wide_predicates: int = 0
    arguments: int = 0
    continuations: int = 0
    references: int = 0
    adjacent: int = 0
    compared_with_trees: int = 0
    on_constituents: int = 0
    compared_with_heads: int = 0
    on_subtrees: int = 0
    rolesets: Counter = field(default_factory=Counter)
    roles: Counter = field(default_factory=Counter)
    misaligned: List[str] = field(default_factory=list)
    problem: Optional[str] = None

    @property
    def on_constituents_share(self) -> Optional[float]:
        """Share (0 to 1) of arguments that are one constituent or word; None without
        trees."""
        return _share(self.on_constituents, self.compared_with_trees)

    @property
    def on_subtrees_share(self) -> Optional[float]:
        """Share (0 to 1) of arguments that are one word with all words below it; None
        without heads."""
        return _share(self.on_subtrees, self.compared_with_heads)

    def to_dict(self) -> Dict[str, Any]:
        """The report as values for JSON."""
        shares = {
            "on_constituents_share": self.on_constituents_share,
            "on_subtrees_share": self.on_subtrees_share,
        }
        return {**_plain(self), **shares}


def check_roles(files: TreebankFiles) -> RoleReport:
    """Read the roles of a treebank and report on them. Without words, roles are counted
    alone. The first malformed input, or disagreement of files, ends the reading and is
    the report's problem.

    files (TreebankFiles): With a file that has roles.
    """
    report = RoleReport(str(files.roles or files.columns))
    try:
        if files.has_words:
            for sentence in read_sentences(files):
                _count_roles(report, sentence)
        else:
            for roles in read_role_file(files.roles) if files.roles else ():
                _count_roles(report, Parse([], roles=roles.propositions))
        if not report.sentences:
            report.problem = f"{report.path}:1: no roles"
    except TreebankError as error:
        report.problem = str(error)
    return report


def _count_roles(report: RoleReport, sentence: Parse) -> None:
    propositions = sentence.roles or ()
    report.sentences += 1
    report.without_predicate += not propositions
    for one in propositions:
        arguments = [arg for arg in one.args if arg[2] not in OF_PREDICATE]
        _count_proposition(report, one, arguments)
        _compare_with_tree(report, sentence, arguments)
        _compare_with_heads(report, sentence, arguments)


def _count_proposition(
    report: RoleReport, proposition: Proposition, arguments: List[Argument]
) -> None:
    token, roleset, args, _ = proposition
    report.predicates += 1
    report.rolesets[roleset] += 1
    language = conventions(DEFAULT_LANGUAGE)
    report.auxiliaries += roleset in language.auxiliary_rolesets
    report.without_arguments += not arguments
    report.arguments += len(arguments)
    alone = (token, token + 1)
    of_predicate = [arg for arg in args if arg[2] in OF_PREDICATE]
    report.wide_predicates += any(arg[:2] != alone for arg in of_predicate)
    for start, _, role in args:
        report.roles[role] += 1
        report.adjacent += any(arg[1:] == (start, role) for arg in args)
    for _, _, role in arguments:
        report.continuations += role.startswith(CONTINUATION)
        report.references += role.startswith(REFERENCE)


def _compare_with_tree(
    report: RoleReport, sentence: Parse, arguments: List[Argument]
) -> None:
    if sentence.constituents is None:
        return
    constituents = {(span.start, span.end) for span in sentence.constituents}
    constituents.add((0, len(sentence.words)))
    report.compared_with_trees += len(arguments)
    for start, end, role in arguments:
        if end - start == 1 or (start, end) in constituents:
            report.on_constituents += 1
        elif len(report.misaligned) < MAX_SHOWN:
            shown = " ".join(sentence.words[start:end])
            report.misaligned.append(f"{sentence.where}: {role} {shown}")


def _compare_with_heads(
    report: RoleReport, sentence: Parse, arguments: List[Argument]
) -> None:
    heads = sentence.heads
    if heads is None or None in heads:
        return
    subtrees = {(start, end) for start, end, is_range in _subtrees(heads) if is_range}
    report.compared_with_heads += len(arguments)
    report.on_subtrees += sum(arg[:2] in subtrees for arg in arguments)


def _plain(report: object) -> Dict[str, Any]:
    """The fields of a report; counters by descending frequency."""
    return {
        name: dict(v.most_common()) if isinstance(v, Counter) else v
        for name, v in vars(report).items()
    }
