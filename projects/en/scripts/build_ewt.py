"""Build the English Web Treebank: weblogs, newsgroups, e-mail, reviews, answers; trees
and dependencies made by hand.

    python scripts/build_ewt.py assets/sources/propbank.tar.gz
        assets/sources/ewt-ud-2016.tar.gz \\ assets/sources/ewt-ud.tar.gz assets/ewt

Each source is a .tar.gz or a folder:

- propbank/propbank-release at commit 4abade0b has the trees as skeletons, their words
  masked, in data/google/ewt/**.gold_skel: a token a line, where `(TOP(S(NP*)` is what
  opens before the token and closes after it.
- UniversalDependencies/UD_English-EWT at commit 15d613d8 (release 2.16) has today's
  words, tags and dependencies, in not-to-release/sources, and which document is for
  training or development, in not-to-release/file-lists.
- The same repository at commit 319066d1, of November 2016, still has the treebank's own
  tokens: a skeleton sentence is the sentence of the same document and number there. Its
  words are then aligned with today's.

With --test, only the test documents are built. Documents without a skeleton are printed
and left out, and so are the few sentences whose words changed since 2016 so that their
brackets are unknown."""

from difflib import SequenceMatcher
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from nltk.tree import Tree
from treebank import (
    Sentence,
    SourceError,
    keep_metadata,
    preterminals,
    put_words,
    run,
    save,
    unpacked,
)

from spacy_lal.files import TreebankError
from spacy_lal.trees import (
    Parse,
    format_conllu,
    is_preterminal,
    read_brackets_with_lines,
    read_conllu,
)

SPLITS = ("train", "dev")
SKELETONS = "data/google/ewt"
SOURCES = "not-to-release/sources"
FILE_LISTS = "not-to-release/file-lists"
# that are read: document, sentence, token, [WORD], tag, brackets; predicates and
# arguments follow
N_COLUMNS = 6
NOUN_PHRASES = frozenset({"NP", "NML"})
VERBS = ("VB", "MD")


class Skeleton(NamedTuple):
    """A tree without words: its leaves are the token numbers, from 0. line (int): Where
    its first token is."""

    tree: Tree
    line: int


def read_skeletons(path: Path) -> List[Skeleton]:
    """The sentences of a .gold_skel file.

    RAISES (SourceError): A line has too few columns or a number out of order; brackets
    are no tree."""
    cells: List[List[str]] = []  # for each sentence the brackets of its tokens
    starts: List[int] = []
    for line, text in enumerate(path.read_text(encoding="utf8").split("\n"), start=1):
        columns = text.split()
        if not columns:
            continue
        if len(columns) < N_COLUMNS or columns[5].count("*") != 1:
            reason = (
                f"expected {N_COLUMNS} columns or more, with a single '*' in the "
                f"sixth, got {text!r}"
            )
            raise SourceError(path, line, reason)
        if columns[1:3] == [str(len(cells)), "0"]:
            cells.append([])
            starts.append(line)
        elif not cells or columns[1:3] != [str(len(cells) - 1), str(len(cells[-1]))]:
            raise SourceError(
                path,
                line,
                f"expected the next token, or the next sentence, got {columns[1:3]}",
            )
        cells[-1].append(columns[5].replace("*", f" ({columns[4]} {columns[2]})"))
    return [
        _read_skeleton(path, line, " ".join(brackets))
        for line, brackets in zip(starts, cells, strict=True)
    ]


def _read_skeleton(path: Path, line: int, brackets: str) -> Skeleton:
    try:
        trees = [
            tree for tree, _ in read_brackets_with_lines([brackets], strip_root=False)
        ]
    except TreebankError as error:
        raise SourceError(
            path, line, f"{error}, in the tree that begins here: {brackets}"
        ) from error
    if len(trees) != 1:
        raise SourceError(
            path,
            line,
            f"expected one tree to begin and end with the sentence, got {len(trees)}",
        )
    return Skeleton(trees[0], line)


def sentence_pairs(old: Sequence[Parse], new: Sequence[Parse]) -> List[Tuple[int, int]]:
    """Pairs of sentences, 2016's and today's, counted from 0: paired by number, or by
    their words in a document that has lost or gained sentences."""
    if len(old) == len(new):
        return [(i, i) for i in range(len(old))]
    matcher = SequenceMatcher(
        None,
        [tuple(s.words) for s in old],
        [tuple(s.words) for s in new],
        autojunk=False,
    )
    return [
        (i + k, j + k)
        for i, j, size in matcher.get_matching_blocks()
        for k in range(size)
    ]


def retokenized(
    tree: Tree, old: Sequence[str], new: Sequence[str], new_tags: Sequence[str]
) -> Optional[Tree]:
    """A skeleton over today's words, or None where its brackets over them are not
    known.

    Changed words replace one another if their number stayed the same. Several old words
    may become one if they are sisters in the tree. One old word may become several,
    unless one of these is a verb: it would head a phrase of unknown extent (`Im
    moving`, `whose not there`)."""
    n_parts = word_parts(tree, old, new, new_tags)
    return None if n_parts is None else _with_parts(tree, n_parts)


def word_parts(
    tree: Tree, old: Sequence[str], new: Sequence[str], new_tags: Sequence[str]
) -> Optional[List[int]]:
    """How many new words stand in the place of each old one, or None where the brackets
    over them are not known."""
    n_parts = [1] * len(old)
    mothers = _mothers(tree)
    for _, start, end, new_start, new_end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        n_old, n_new = end - start, new_end - new_start
        if n_old == n_new:
            continue
        if n_new == 1 and len(set(mothers[start:end])) == 1:
            n_parts[start:end] = [1] + [0] * (n_old - 1)
        elif (
            n_old == 1
            and n_new > 1
            and not any(tag.startswith(VERBS) for tag in new_tags[new_start:new_end])
        ):
            n_parts[start] = n_new
        else:
            return None
    return n_parts


def _mothers(node: Tree) -> List[int]:
    """For each leaf, which node is the mother of the tag above it."""
    return [
        mother
        for child in node
        for mother in ([id(node)] if is_preterminal(child) else _mothers(child))
    ]


def _with_parts(node: Tree, n_parts: Sequence[int]) -> Tree:
    children: List[Tree] = []
    for child in node:
        if is_preterminal(child):
            children.extend(
                child.copy(deep=True) for _ in range(n_parts[int(child[0])])
            )
            continue
        changed = _with_parts(child, n_parts)
        # Within a noun phrase one word needs no brackets: `(NML SS - N - 22)`, `(NP it
        # 's)` before a noun.
        shrunk = (
            len(changed) == 1 < len(child)
            and {child.label(), node.label()} <= NOUN_PHRASES
        )
        children.extend(changed if shrunk else [changed])
    return Tree(node.label(), children)


def read_document(
    skeletons: Path, old_path: Path, new_path: Path
) -> Iterator[Sentence]:
    """The sentences of a document; sentences left out are printed.

    RAISES (SourceError): The skeletons are not of the sentences of 2016.
    """
    trees, old, new = (
        read_skeletons(skeletons),
        list(read_conllu(old_path)),
        list(read_conllu(new_path)),
    )
    if len(trees) != len(old):
        raise SourceError(
            skeletons,
            0,
            f"expected {len(old)} sentences as in {old_path}, got {len(trees)}",
        )
    pairs = {j: i for i, j in sentence_pairs(old, new)}
    for j, sentence in enumerate(new):
        keep_metadata(sentence)
        tree = None
        if j in pairs:
            skeleton, words = trees[pairs[j]], old[pairs[j]].words
            n_leaves = len(preterminals(skeleton.tree))
            if n_leaves != len(words):
                reason = (
                    f"expected {len(words)} tokens as in "
                    f"{old_path}:{old[pairs[j]].line}, got {n_leaves}"
                )
                raise SourceError(skeletons, skeleton.line, reason)
            tree = retokenized(skeleton.tree, words, sentence.words, sentence.tags)
        if tree is None:
            print(
                f"{sentence.metadata['sent_id']}: left out, its brackets are not known"
            )
            continue
        put_words(tree, sentence)
        yield Sentence(tree, format_conllu(sentence))


def document_paths(
    propbank: Path, ud_2016: Path, ud: Path, split: str
) -> Iterator[Tuple[Path, Path, Path]]:
    """The skeletons, the words of 2016 and today's words of each document of a split;
    documents without skeletons are printed."""
    skeletons = {
        (path.relative_to(propbank / SKELETONS).parts[0], path.stem): path
        for path in (propbank / SKELETONS).rglob("*.gold_skel")
    }
    for name in (ud / FILE_LISTS / f"files.{split}").read_text(encoding="utf8").split():
        genre, document = name.split("/")
        path = skeletons.get((genre, document.removesuffix(".conllu")))
        if path is None:
            print(f"{name}: left out, it has no skeletons")
        else:
            yield path, ud_2016 / SOURCES / name, ud / SOURCES / name


def read_split(
    propbank: Path, ud_2016: Path, ud: Path, split: str
) -> Iterator[Sentence]:
    """The sentences of a split."""
    for paths in document_paths(propbank, ud_2016, ud, split):
        yield from read_document(*paths)


def main(
    propbank: Path, ud_2016: Path, ud: Path, output: Path, test: bool = False
) -> None:
    """Read the command line, build, write."""
    with (
        unpacked(propbank, SKELETONS) as propbank,
        unpacked(ud_2016, SOURCES) as ud_2016,
        unpacked(ud, SOURCES, FILE_LISTS) as ud,
    ):
        splits = {
            one: read_split(propbank, ud_2016, ud, one)
            for one in (("test",) if test else SPLITS)
        }
        save("ewt", splits, output, flat=True)


if __name__ == "__main__":
    run(main)
