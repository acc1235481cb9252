"""Shared by the builders of the treebanks: unpacking a source, trees over a CoNLL-U's
words, checks, and the files.

Not here: anything that only one treebank needs; see `build_ewt.py`, `build_gum.py` and
`build_craft.py`."""

import gzip
import hashlib
import sys
import tarfile
import tempfile
import zlib
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import (
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
)

import typer
from nltk.tree import Tree

from spacy_lal.files import TreebankError, write_file
from spacy_lal.trees import (
    Parse,
    format_conllu,
    is_preterminal,
    read_brackets,
    read_conllu,
    write_brackets,
)

CHECKSUMS = Path(__file__).with_name(
    "treebanks.sha256"
)  # one line for each file: sha256, name, as sha256sum writes
METADATA = ("newdoc id", "sent_id", "text")  # the comments that are kept


class SourceError(ValueError):
    """A source that is not as its treebank's description has it.

    path (Path): The file. line (int): The line, from 1; 0 for the whole file.
    reason (str): Expected and actual content.
    """

    def __init__(self, path: Path, line: int, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        super().__init__(path, line, reason)

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.reason}"
            if self.line
            else f"{self.path}: {self.reason}"
        )


class ChecksumError(ValueError):
    """A built file differs from its listed checksum."""


class Sentence(NamedTuple):
    """Both trees of a sentence.

    tree (Tree): The outermost node is a root without a meaning of its own.
    conllu (str): The dependencies as CoNLL-U, with the empty line at the end.
    mixed (Optional[Tree]): The tree as other treebanks would have it.
    """

    tree: Tree
    conllu: str
    mixed: Optional[Tree] = None


@contextmanager
def unpacked(source: Path, *parts: str) -> Iterator[Path]:
    """The folder of a repository, given as a folder or as the .tar.gz that GitHub makes
    of a commit.

    parts (str): The folders and files that are needed, relative to the repository. Only
        they are unpacked, into a temporary folder that goes with the context.
    RAISES (SourceError): The archive cannot be read to its end, or a part is missing.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = (
            source if source.is_dir() else Path(temporary) / source.name.split(".")[0]
        )
        if not source.is_dir():
            try:
                _unpack(source, folder, parts)
            except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
                reason = (
                    f"expected a whole .tar.gz archive ({error}); delete it and fetch "
                    "it again"
                )
                raise SourceError(source, 0, reason) from error
        for part in parts:
            if not (folder / part).exists():
                raise SourceError(
                    source, 0, f"expected {part!r} in it; is this the right repository?"
                )
        yield folder


def _unpack(source: Path, folder: Path, parts: Sequence[str]) -> None:
    with (
        gzip.open(source) as stream,
        tarfile.open(fileobj=stream, mode="r:") as archive,
    ):
        for member in archive:
            name = PurePosixPath(
                *PurePosixPath(member.name).parts[1:]
            )  # without the folder that GitHub puts on top
            if (
                member.isfile()
                and ".." not in name.parts
                and any(name.is_relative_to(part) for part in parts)
            ):
                content = archive.extractfile(member)
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read() if content else b"")
        # what does not look like a header ends a tar file, be it damaged: only the
        # checksum at the very end tells
        while stream.read(1 << 20):
            pass


def preterminals(tree: Tree) -> List[Tree]:
    """The nodes above the words, left to right."""
    return (
        [tree]
        if is_preterminal(tree)
        else [node for child in tree for node in preterminals(child)]
    )


def check_words(path: Path, line: int, words: Sequence[str], sentence: Parse) -> None:
    """Whether a tree has the words of a sentence.

    path (Path), line (int): Where the tree begins, for the error.
    RAISES (SourceError): It has not; with the first word that differs.
    """
    for number, (got, expected) in enumerate(
        zip_longest(words, sentence.words), start=1
    ):
        if got != expected:
            where = f"{sentence.path}:{sentence.line}"
            raise SourceError(
                path,
                line,
                f"expected word {number} to be {expected!r} as in {where}, got {got!r}",
            )


def put_words(tree: Tree, sentence: Parse) -> None:
    """Give the leaves the sentence's words and fine-grained tags, in place.

    RAISES (SourceError): There are not as many leaves as words; with the sentence's
    file and line."""
    leaves = preterminals(tree)
    if len(leaves) != len(sentence.words):
        reason = (
            f"expected the {len(leaves)} words of the sentence's tree, got "
            f"{len(sentence.words)}"
        )
        raise SourceError(Path(sentence.path), sentence.line, reason)
    for leaf, word, tag in zip(leaves, sentence.words, sentence.tags, strict=True):
        leaf[0] = word
        leaf.set_label(tag)


def without_doubles(tree: Tree) -> Tree:
    """A tree in which no constituent has an only child of the same label. A removed
    trace leaves such pairs: `(NP (NP (PRP it)) (SBAR (-NONE- *EXP*-1)))` becomes `(NP
    (NP (PRP it)))`."""
    if is_preterminal(tree):
        return tree
    children = [without_doubles(child) for child in tree]
    if (
        len(children) == 1
        and children[0].label() == tree.label()
        and not is_preterminal(children[0])
    ):
        return children[0]
    return Tree(tree.label(), children)


def without_label(tree: Tree, label: str) -> Tree:
    """A tree in which the children of each constituent with a label stand in its
    place."""
    if is_preterminal(tree):
        return tree
    children: List[Tree] = []
    for child in (without_label(child, label) for child in tree):
        children.extend(
            child if child.label() == label and not is_preterminal(child) else [child]
        )
    return Tree(tree.label(), children)


def without_heads(
    tree: Tree, words: Sequence[str], spaces: Sequence[bool], metadata: Dict[str, str]
) -> Sentence:
    """A sentence of a treebank without dependencies. spaces: Whether white space
    follows each word."""
    tags = [leaf.label() for leaf in preterminals(tree)]
    text = "".join(
        word + " " * space for word, space in zip(words, spaces, strict=True)
    ).strip()
    sentence = Parse(
        list(words), tags, spaces=list(spaces), metadata={**metadata, "text": text}
    )
    return Sentence(tree, format_conllu(sentence))


def keep_metadata(sentence: Parse) -> None:
    """Leave out, in place, the comments that are not in METADATA.

    RAISES (SourceError): The sentence has no sent_id.
    """
    if not sentence.metadata.get("sent_id"):
        raise SourceError(
            Path(sentence.path),
            sentence.line,
            "expected a comment '# sent_id = ...' above the sentence",
        )
    sentence.metadata = {
        key: sentence.metadata[key] for key in METADATA if key in sentence.metadata
    }


def save(
    name: str,
    splits: Mapping[str, Iterable[Sentence]],
    output: Path,
    *,
    flat: bool = False,
    checksums: Optional[Path] = None,
) -> None:
    """Write a treebank: for each split X the files X.ptb and X.conllu, and X.mixed.ptb
    of sentences that have such a tree, if all pass the checks; else none.

    name (str): The treebank's name in the list of checksums.
    flat (bool): Write X.nonml.ptb too: the trees without NML, the bracket within base
        noun phrases.
    checksums (Optional[Path]): The list; CHECKSUMS unless given.
    RAISES (SourceError): Tree and dependencies have different words, once written and
        read again.
    RAISES (ChecksumError): A file is not the one whose checksum is listed.
    """
    files: Dict[str, bytes] = {}
    for split, sentences in splits.items():
        trees, flat_trees, mixed_trees, dependencies = [], [], [], []
        for sentence in sentences:
            tree = without_doubles(sentence.tree)
            trees.append(_tree_line(tree))
            flat_trees.append(_tree_line(without_doubles(without_label(tree, "NML"))))
            if sentence.mixed is not None:
                mixed_trees.append(_tree_line(without_doubles(sentence.mixed)))
            dependencies.append(sentence.conllu)
        _check_files(output / f"{split}.ptb", trees, "".join(dependencies))
        files[f"{split}.ptb"] = "".join(trees).encode("utf8")
        if flat:
            files[f"{split}.nonml.ptb"] = "".join(flat_trees).encode("utf8")
        if mixed_trees:
            files[f"{split}.mixed.ptb"] = "".join(mixed_trees).encode("utf8")
        files[f"{split}.conllu"] = "".join(dependencies).encode("utf8")
    save_files(name, files, output, checksums=checksums)


def save_files(
    name: str,
    files: Mapping[str, bytes],
    output: Path,
    *,
    checksums: Optional[Path] = None,
) -> None:
    """Write files, if all have the listed checksums; else none.

    name (str): The folder before a file's name in the list of checksums.
    checksums (Optional[Path]): The list; CHECKSUMS unless given.
    RAISES (ChecksumError): A file is not the one whose checksum is listed; test files
    need not be."""
    _check_sums(name, files, checksums or CHECKSUMS)
    output.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        write_file(output / file, content)
        is_test = file.startswith("test.")
        print(
            f"{output / file}: {f'sha256 {hashlib.sha256(content).hexdigest()}' if is_test else 'as expected'}"
        )


def _tree_line(tree: Tree) -> str:
    # A backslash at the end of a word stands as in treebanks. The space keeps it from
    # the bracket: a reader may take the two for an escaped one.
    return write_brackets(Tree("ROOT", list(tree))).replace("-U+005C-)", "\\ )") + "\n"


def _check_files(path: Path, trees: List[str], conllu: str) -> None:
    sentences = read_conllu(conllu.split("\n"))
    for number, (tree, sentence) in enumerate(
        zip(read_brackets(trees), sentences, strict=True), start=1
    ):
        check_words(path, number, [leaf[0] for leaf in preterminals(tree)], sentence)


def _check_sums(name: str, files: Mapping[str, bytes], checksums: Path) -> None:
    pairs = (line.split() for line in checksums.read_text(encoding="utf8").splitlines())
    expected = {file: checksum for checksum, file in pairs}
    built = {
        f"{name}/{file}": hashlib.sha256(content).hexdigest()
        for file, content in files.items()
    }
    wrong = [
        f"{file}: expected sha256 "
        f"{expected.get(file, 'of a file that is not listed')}, got {checksum}"
        for file, checksum in built.items()
        if expected.get(file) != checksum
        and not (file not in expected and "/test." in file)
    ]
    if wrong:
        lines = "\n  ".join(wrong)
        raise ChecksumError(
            f"not the files that {checksums} lists; are the sources of the commits in "
            "project.yml? Nothing was written."
            f"\n  {lines}"
        )


def run(main: Callable[..., None]) -> None:
    """Call a program's main function with the arguments of the command line; `--help`
    shows the program's own text. An error in its input ends it with a message rather
    than a traceback."""
    main.__doc__ = sys.modules[main.__module__].__doc__
    try:
        typer.run(main)
    except (SourceError, ChecksumError, TreebankError, OSError) as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")
