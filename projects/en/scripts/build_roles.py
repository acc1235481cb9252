"""Build the semantic roles of the English Web Treebank: PropBank 3.1, over the words of
UD English-EWT.

    python scripts/build_roles.py ../../assets/sources/propbank.tar.gz
        ../../assets/sources/ewt-ud-2016.tar.gz \\ ../../assets/sources/ewt-ud.tar.gz
        ../../assets/ewt

`projects/en/scripts/build_ewt.py` builds the trees and the CoNLL-U from the same
sources. The columns after the brackets of a .gold_skel hold lemma, roleset and
arguments. Line k of X.srl.jsonl belongs to sentence k of X.conllu. A predicate stands
in the last word of those that took its token's place. With --test, the test documents
are built and nothing else."""

import json
from pathlib import Path
from typing import Iterator, List, NamedTuple, Sequence

from build_ewt import (
    FILE_LISTS,
    N_COLUMNS,
    SKELETONS,
    SOURCES,
    SPLITS,
    document_paths,
    read_skeletons,
    sentence_pairs,
    word_parts,
)
from treebank import SourceError, run, save_files, unpacked

from spacy_lal.treebanks.roles import SentenceRoles, to_role_dict
from spacy_lal.trees import read_conllu
from spacy_lal.trees.props import cells_to_args
from spacy_lal.trees.roles import Proposition, PropositionError, check_proposition

CHECKSUMS = Path(__file__).with_name("roles.sha256")
LEMMA, ROLESET = N_COLUMNS, N_COLUMNS + 1
NONE = "-"


class Annotation(NamedTuple):
    """The propositions of a sentence over the tokens of 2016. line (int): That of its
    first token."""

    propositions: List[Proposition]
    line: int


def read_annotations(path: Path) -> List[Annotation]:
    """The propositions of each sentence of a .gold_skel file.

    RAISES (SourceError): A column is no column of arguments, or there is not one for
    each predicate."""
    sentences: List[List[List[str]]] = [[]]
    starts: List[int] = []
    for line, text in enumerate(path.read_text(encoding="utf8").split("\n"), start=1):
        if text.split():
            if not sentences[-1]:
                starts.append(line)
            sentences[-1].append(text.split())
        elif sentences[-1]:
            sentences.append([])
    return [
        Annotation(_propositions(path, line, rows), line)
        for line, rows in zip(starts, sentences, strict=False)
    ]


def _propositions(path: Path, line: int, rows: List[List[str]]) -> List[Proposition]:
    predicates = [
        i for i, row in enumerate(rows) if row[ROLESET:] and row[ROLESET] != NONE
    ]
    n_columns = ROLESET + 1 + len(predicates)
    found = []
    for number, row in enumerate(rows, start=line):
        if len(row) != n_columns:
            reason = (
                f"expected {n_columns} columns, with one for each of {len(predicates)} "
                f"predicates, got {len(row)}"
            )
            raise SourceError(path, number, reason)
    for column, token in enumerate(predicates, start=ROLESET + 1):
        try:
            args = cells_to_args([row[column] for row in rows])
        except PropositionError as error:
            word, reason = error.args
            raise SourceError(
                path, line + word, f"{reason}, in column {column + 1}"
            ) from error
        found.append(Proposition(token, rows[token][ROLESET], args, rows[token][LEMMA]))
    return found


def moved(proposition: Proposition, parts: Sequence[int]) -> Proposition:
    """A proposition over today's words.

    parts (Sequence[int]): How many words took the place of each token.
    """
    before = [0]
    for n_words in parts:
        before.append(before[-1] + n_words)
    args = ((before[start], before[end], role) for start, end, role in proposition.args)
    token = max(before[proposition.token + 1] - 1, 0)
    return proposition._replace(
        token=token, args=tuple(arg for arg in args if arg[0] < arg[1])
    )


def read_document(
    skeletons: Path, old_path: Path, new_path: Path
) -> Iterator[SentenceRoles]:
    """The roles of a document's sentences, without those whose brackets are not
    known."""
    trees, annotations = read_skeletons(skeletons), read_annotations(skeletons)
    old, new = list(read_conllu(old_path)), list(read_conllu(new_path))
    pairs = {j: i for i, j in sentence_pairs(old, new)}
    for j, sentence in enumerate(new):
        if j not in pairs:
            continue
        i = pairs[j]
        parts = word_parts(trees[i].tree, old[i].words, sentence.words, sentence.tags)
        if parts is None:
            continue
        found = sorted(moved(one, parts) for one in annotations[i].propositions)
        for one in found:
            try:
                check_proposition(one, len(sentence.words))
            except PropositionError as error:
                raise SourceError(skeletons, annotations[i].line, str(error)) from error
        yield SentenceRoles(
            str(sentence.metadata["sent_id"]), len(sentence.words), tuple(found)
        )


def main(
    propbank: Path, ud_2016: Path, ud: Path, output: Path, test: bool = False
) -> None:
    """Read the command line, build, write."""
    with (
        unpacked(propbank, SKELETONS) as propbank,
        unpacked(ud_2016, SOURCES) as ud_2016,
        unpacked(ud, SOURCES, FILE_LISTS) as ud,
    ):
        splits = ("test",) if test else SPLITS
        files = {
            f"{one}.srl.jsonl": build_split(propbank, ud_2016, ud, one).encode("utf8")
            for one in splits
        }
        save_files("ewt", files, output, checksums=CHECKSUMS)


def build_split(propbank: Path, ud_2016: Path, ud: Path, split: str) -> str:
    """The lines of a split."""
    lines = []
    for paths in document_paths(propbank, ud_2016, ud, split):
        lines += [json.dumps(to_role_dict(one)) + "\n" for one in read_document(*paths)]
    return "".join(lines)


if __name__ == "__main__":
    run(main)
