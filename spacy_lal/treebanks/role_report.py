"""Counts of semantic roles over a treebank: the figures behind `python -m spacy lal check`.

With trees or heads, arguments are compared with them: gold arguments are nearly always constituents, so that a low
share shows spans that are misaligned with the words. *Not* here: text for a terminal (`cli/treebank.py`).
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ..lang.en import AUXILIARY_ROLESETS
from ..trees.bracket_errors import BracketError
from ..trees.conllu import ConlluError, ConlluSentence
from ..trees.propositions import CONTINUATION, PREDICATE_ROLE, REFERENCE
from ..trees.spans import SpanError
from .reader import TreebankError, TreebankSentence
from .role_sources import TreebankFiles, read_role_file, read_sentences

MAX_SHOWN = 5  # misaligned arguments that a report shows
OF_PREDICATE = (PREDICATE_ROLE, CONTINUATION + PREDICATE_ROLE)


@dataclass
class RoleReport:
    """Counts over the roles of one treebank. Parts of arguments count one by one; V and C-V are no arguments.

    path (str): The file with the roles.
    sentences, without_predicate (int): Sentences with roles; sentences without a predicate.
    predicates, auxiliaries, without_arguments (int): Predicates; auxiliaries and modals; predicates without argument.
    wide_predicates (int): Predicates of several words.
    arguments, continuations, references (int): Arguments; C-X; R-X.
    adjacent (int): Pairs of adjacent arguments of the same role, which BIO tags must keep apart.
    compared_with_trees, on_constituents (int): Arguments in sentences with a tree; how many are one constituent or
        word.
    compared_with_heads, on_subtrees (int): Arguments in sentences with all heads; how many are one word with all
        words below it.
    rolesets, roles (Counter): Predicates by roleset; Spans by role, V included.
    misaligned (List[str]): The first arguments that are no constituents, with file, line and words.
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
        """Share (0 to 1) of arguments that are one constituent or word; None without trees."""
        return self.on_constituents / self.compared_with_trees if self.compared_with_trees else None

    @property
    def on_subtrees_share(self) -> Optional[float]:
        """Share (0 to 1) of arguments that are one word with all words below it; None without heads."""
        return self.on_subtrees / self.compared_with_heads if self.compared_with_heads else None

    def to_dict(self) -> Dict[str, Any]:
        """The report as values for JSON; counters by descending frequency."""
        values = {name: dict(v.most_common()) if isinstance(v, Counter) else v for name, v in vars(self).items()}
        return {
            **values,
            "on_constituents_share": self.on_constituents_share,
            "on_subtrees_share": self.on_subtrees_share,
        }


def check_roles(files: TreebankFiles) -> RoleReport:
    """Read the roles of a treebank and report on them. Without words, roles are counted alone. The first malformed
    input, or disagreement of files, ends the reading and is the report's problem.

    RAISES (ValueError): No file has roles.
    """
    path = files.roles or files.columns
    if path is None:
        raise ValueError(f"expected a file with roles, got {files}")
    report = RoleReport(str(path))
    try:
        if files.has_words:
            for sentence in read_sentences(files):
                _count(report, sentence)
        else:
            for roles in read_role_file(path):
                _count(report, TreebankSentence(None, None, roles.propositions))
        if not report.sentences:
            report.problem = f"{path}:1: no roles"
    except (BracketError, ConlluError, SpanError, TreebankError) as error:
        report.problem = str(error)
    return report


def _count(report: RoleReport, sentence: TreebankSentence) -> None:
    propositions = sentence.roles or ()
    report.sentences += 1
    report.without_predicate += not propositions
    constituents = _constituents(sentence)
    subtrees = _subtrees(sentence.dependencies)
    for token, roleset, args, _ in propositions:
        arguments = [arg for arg in args if arg[2] not in OF_PREDICATE]
        report.predicates += 1
        report.auxiliaries += roleset in AUXILIARY_ROLESETS
        report.without_arguments += not arguments
        report.wide_predicates += any(
            role in OF_PREDICATE and (start, end) != (token, token + 1) for start, end, role in args
        )
        report.rolesets[roleset] += 1
        report.roles.update(role for _, _, role in args)
        report.arguments += len(arguments)
        report.continuations += sum(role.startswith(CONTINUATION) for _, _, role in arguments)
        report.references += sum(role.startswith(REFERENCE) for _, _, role in arguments)
        pairs = zip(args, args[1:], strict=False)
        report.adjacent += sum(one[1] == other[0] and one[2] == other[2] for one, other in pairs)
        if constituents is not None:
            report.compared_with_trees += len(arguments)
            aligned = [arg for arg in arguments if arg[:2] in constituents]
            report.on_constituents += len(aligned)
            _show_misaligned(report, sentence, [arg for arg in arguments if arg not in aligned])
        if subtrees is not None:
            report.compared_with_heads += len(arguments)
            report.on_subtrees += sum(arg[:2] in subtrees for arg in arguments)


def _show_misaligned(report: RoleReport, sentence: TreebankSentence, arguments: Sequence[Tuple[int, int, str]]) -> None:
    for start, end, role in arguments[: MAX_SHOWN - len(report.misaligned)]:
        place = sentence.dependencies or sentence.tree
        where = f"{place.path}:{place.line}: " if place else ""
        report.misaligned.append(f"{where}{role} {' '.join(sentence.words[start:end])}")


def _constituents(sentence: TreebankSentence) -> Optional[Set[Tuple[int, int]]]:
    """The ranges of constituents and words; None without a tree."""
    if sentence.tree is None:
        return None
    n_words = len(sentence.words)
    return (
        {(start, end) for start, end, _ in sentence.tree.spans} | {(i, i + 1) for i in range(n_words)} | {(0, n_words)}
    )


def _subtrees(sentence: Optional[ConlluSentence]) -> Optional[Set[Tuple[int, int]]]:
    """The ranges of words that are a word with all words below it; None without heads."""
    if sentence is None or None in sentence.heads or not sentence.heads:
        return None
    n_words = len(sentence.heads)
    first, last, size = list(range(n_words)), list(range(n_words)), [1] * n_words
    for word in _deepest_first([head or 0 for head in sentence.heads]):
        head = (sentence.heads[word] or 0) - 1
        if head >= 0:
            first[head], last[head] = min(first[head], first[word]), max(last[head], last[word])
            size[head] += size[word]
    return {(a, b + 1) for a, b, n in zip(first, last, size, strict=True) if b - a + 1 == n}


def _deepest_first(heads: Sequence[int]) -> List[int]:
    """The words, each before its head. heads: counted from 1, 0 is the root."""
    dependents: List[List[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads):
        dependents[head].append(word)
    order = list(dependents[0])
    for word in order:
        order.extend(dependents[word + 1])
    return order[::-1]
