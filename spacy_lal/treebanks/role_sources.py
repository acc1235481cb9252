"""Treebanks with semantic roles: trees, CoNLL-U and a file of roles, or one file of columns, as one stream of
sentences.

Roles are `.srl.jsonl`, joined with CoNLL-U by `sent_id` and with trees alone by their order; or `.props`, joined by
their order. Columns as in CoNLL-2012 have words of their own. *Not* here: trees and CoNLL-U (`reader.py`), reports
(`role_report.py`).
"""

from itertools import zip_longest
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence

from ..trees.lines import LineError, numbered_lines
from ..trees.propositions import PropositionError, check_proposition
from ..trees.props import PropsError, read_props
from .conll_roles import read_conll_roles
from .propbank import with_roles
from .reader import TreebankError, TreebankSentence, describe_path, read_treebank, treebank_files
from .role_files import SentenceRoles, read_role_lines

ROLE_SUFFIXES = (".jsonl", ".props")
COLUMN_ENDINGS = ("_conll", ".conll12", ".conll2012")
_COLUMNS_BEGIN = "#begin document"


class TreebankFiles(NamedTuple):
    """The files of one treebank; `columns` stands alone."""

    brackets: Optional[Path] = None
    conllu: Optional[Path] = None
    roles: Optional[Path] = None
    columns: Optional[Path] = None

    @property
    def has_roles(self) -> bool:
        """Whether a file has semantic roles."""
        return self.roles is not None or self.columns is not None

    @property
    def has_words(self) -> bool:
        """Whether a file has words."""
        return self.brackets is not None or self.conllu is not None or self.columns is not None


def find_files(paths: Sequence[Path]) -> TreebankFiles:
    """Tell the files of a treebank apart, by their endings, else by their content.

    RAISES (TreebankError): A file does not exist or is of no known kind; there are two of a kind; columns are not
        alone.
    """
    roles: List[Path] = []
    columns: List[Path] = []
    others: List[Path] = []
    for path in paths:
        if not path.is_file():
            raise TreebankError(f"{path}: {describe_path(path)}")
        kind = roles if path.suffix in ROLE_SUFFIXES else columns if _has_columns(path) else others
        kind.append(path)
    if len(roles) > 1:
        raise TreebankError(f"expected at most one file with roles, got {roles[0]}, {roles[1]}")
    if columns and len(paths) > 1:
        raise TreebankError(f"expected {columns[0]}, which has words and roles, alone, got {len(paths)} files")
    if columns:
        return TreebankFiles(columns=columns[0])
    brackets, conllu = treebank_files(others) if others or not roles else (None, None)
    return TreebankFiles(brackets, conllu, roles[0] if roles else None)


def read_sentences(files: TreebankFiles) -> Iterator[TreebankSentence]:
    """The sentences of a treebank, in order, one at a time.

    RAISES (BracketError, ConlluError): Input is malformed; with file and line.
    RAISES (TreebankError): Roles or columns are malformed, files disagree, or have no sentences; with file and
        line.
    """
    if files.columns is not None:
        return _not_empty(read_conll_roles(files.columns), files.columns)
    if files.roles is None:
        return read_treebank(files.brackets, files.conllu)
    if not files.has_words:
        raise TreebankError(f"{files.roles}: roles have no words: give the CoNLL-U or the trees of the sentences, too")
    sentences = read_treebank(files.brackets, files.conllu)
    by_id = files.roles.suffix == ".jsonl" and files.conllu is not None
    roles = read_role_file(files.roles)
    return with_roles(sentences, roles) if by_id else in_order(sentences, roles, files.roles)


def read_role_file(path: Path) -> Iterator[SentenceRoles]:
    """The roles of a `.srl.jsonl` or `.props` file.

    RAISES (TreebankError): It is malformed, or a proposition lacks its V; with file and line.
    """
    if path.suffix == ".jsonl":
        yield from read_role_lines(path)
        return
    try:
        for n_words, propositions, name, line in read_props(path):
            for one in propositions:
                try:
                    check_proposition(one, n_words)
                except PropositionError as error:
                    raise TreebankError(f"{name}:{line + one.token}: {error}") from None
            yield SentenceRoles("", n_words, propositions, name, line)
    except PropsError as error:
        raise TreebankError(str(error)) from None


def in_order(
    sentences: Iterable[TreebankSentence], roles: Iterable[SentenceRoles], path: Path
) -> Iterator[TreebankSentence]:
    """Give sentence k the roles k.

    path (Path): The file with the roles.
    RAISES (TreebankError): The numbers of sentences or words differ; with files and lines.
    """
    for number, (sentence, found) in enumerate(zip_longest(sentences, roles), start=1):
        if sentence is None:
            raise TreebankError(f"{found.where}: no sentence for roles {number}, the sentences end before")
        where = _where(sentence)
        if found is None:
            raise TreebankError(f"{where}: no roles in {path} for sentence {number}")
        if found.n_words != len(sentence.words):
            raise TreebankError(
                f"{found.where} and {where}: {found.n_words} words in the roles and {len(sentence.words)} in the "
                f"sentence (sentence {number})"
            )
        yield TreebankSentence(sentence.tree, sentence.dependencies, found.propositions)


def _where(sentence: TreebankSentence) -> str:
    place = sentence.dependencies or sentence.tree
    return f"{place.path}:{place.line}" if place else "?"


def _has_columns(path: Path) -> bool:
    if path.name.endswith(COLUMN_ENDINGS):
        return True
    try:
        return next((line for _, line in numbered_lines(path) if line.strip()), "").startswith(_COLUMNS_BEGIN)
    except LineError:
        return False


def _not_empty(sentences: Iterator[TreebankSentence], path: Path) -> Iterator[TreebankSentence]:
    found: List[TreebankSentence] = []
    for sentence in sentences:
        found = [sentence]
        yield sentence
    if not found:
        raise TreebankError(f"{path}:1: no sentences")
