"""Treebank files, mutated in bytes, lines and brackets: `lal check` and `lal convert`
must agree on them.

Both read the files in this process. Either both accept them, and then what was written
holds the words, tags, heads and constituents of the files; or both refuse them by an
error of ours that names a file and a line."""

import random
import re
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Callable, List, Optional, Tuple

from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_lal.annotations import get_constituents
from spacy_lal.export import to_conllu
from spacy_lal.files import TreebankError
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import find_files, read_treebank
from spacy_lal.treebanks.report import check_treebank
from spacy_lal.trees.conllu import read_conllu

from . import Report, run_cases

REFUSALS = (TreebankError,)
# names both files; no line of them is wrong
TWO_OF_A_KIND = "expected a bracket file, a CoNLL-U file or both"
# names the file, which has no lines
NO_TEXT = ": expected text in UTF-8, got "
LONGEST_MESSAGE = 1_000  # without the names of files
TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"
ODD = [
    "(", ")", "()", "((", "(X", " ", "\t", "\n", "\n\n", "\r", "\r\n", "\0", "#", "_",
    "|", "a|b", "a=b", "a=b|c", "a=b=c", "=", "-", "::", "<H>", "%00", "-LRB-",
    "-NONE-", "-EMPTY-", "-U+0020-", "-U+0028-", "\\", "\u00a0", "\u200b", "\u202e",
    "\ufeff", "\x1b[31m", "\x1c", "\x85", "\u2028", "\U0001f600", "e\u0301", "0", "-1",
    "1-2", "1.1", "99", "9" * 5000, "root", "ROOT", "SpaceAfter=No", "# newdoc",
    "# sent_id = x", "x" * 3000,
]  # fmt: skip


def fuzz(n: int, seed: int) -> Report:
    """Check and convert n pairs of files."""
    sentences = _toy_sentences()
    with tempfile.TemporaryDirectory() as folder:

        def read(rng: random.Random, notes: List[str]) -> Counter:
            paths = _write_case(rng, sentences, Path(folder))
            notes += [repr(path.read_bytes()[:400]) for path in paths]
            outcome, broken = _try(paths, Path(folder) / "out.spacy")
            if broken:
                raise AssertionError(broken)
            return Counter([outcome])

        return run_cases(n, seed, read)


def _toy_sentences() -> List[Tuple[str, str]]:
    trees = (TOY / "train.ptb").read_text(encoding="utf-8").splitlines()
    blocks = (TOY / "train.conllu").read_text(encoding="utf-8").strip().split("\n\n")
    return list(zip(trees, blocks, strict=True))


def _write_case(
    rng: random.Random, sentences: List[Tuple[str, str]], folder: Path
) -> List[Path]:
    """Files of one to three sentences: brackets, CoNLL-U or both, damaged or whole."""
    chosen = rng.sample(sentences, rng.randint(1, 3))
    contents = {
        "x.ptb": "".join(f"{tree}\n" for tree, _ in chosen),
        "x.conllu": "".join(f"{block}\n\n" for _, block in chosen),
    }
    names = rng.choice([["x.ptb"], ["x.conllu"], ["x.ptb", "x.conllu"]])
    damaged = rng.choice([*names, None])
    paths = []
    for name in names:
        text = contents[name]
        steps = rng.randint(1, 3) if name == damaged else 0
        for _ in range(steps):
            text = rng.choice(TEXT_MUTATIONS)(rng, text)
        raw = text.encode("utf-8")
        if steps and rng.random() < 0.25:
            raw = rng.choice(BYTE_MUTATIONS)(rng, raw)
        path = folder / (
            name if rng.random() < 0.8 else name.replace(".", "-")
        )  # without suffix: told by content
        path.write_bytes(raw)
        paths.append(path)
    return paths


def _insert(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(ODD) + text[at:]


def _cut(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + text[at + rng.choice([1, 1, 2, 5, 50, len(text)]) :]


def _double(rng: random.Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + text[at : at + rng.choice([1, 5, 50, 300])] * 2 + text[at:]


def _swap_lines(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    rng.shuffle(lines)
    return "".join(lines)


def _other_field(rng: random.Random, text: str) -> str:
    """Another value in a column of CoNLL-U, or another token in a tree."""
    parts = re.split(r"([\t\n ()]+)", text)
    parts[rng.randrange(0, len(parts), 2)] = rng.choice(ODD)
    return "".join(parts)


def _line_ends(rng: random.Random, text: str) -> str:
    return text.replace("\n", rng.choice(["\r\n", "\r", "\n\n", " \n", "", "\x0b"]))


def _flip(rng: random.Random, raw: bytes) -> bytes:
    at = rng.randint(0, len(raw))
    return (
        raw[:at]
        + bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 4, 64])))
        + raw[at + 1 :]
    )


def _other_encoding(rng: random.Random, raw: bytes) -> bytes:
    text = raw.decode("utf-8") + "Blåbærsyltetøy"
    return text.encode(
        rng.choice(["utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp037"]),
        errors="replace",
    )


TEXT_MUTATIONS: List[Callable[[random.Random, str], str]] = [
    _insert,
    _insert,
    _cut,
    _double,
    _swap_lines,
    _other_field,
    _other_field,
    _other_field,
    _line_ends,
]
BYTE_MUTATIONS: List[Callable[[random.Random, bytes], bytes]] = [
    _flip,
    _flip,
    _other_encoding,
]


def _try(paths: List[Path], output: Path) -> Tuple[str, Optional[str]]:
    """RETURNS (Tuple[str, Optional[str]]): What the commands did, and what was wrong
    with it."""
    checked, converted = _check(paths), _convert(paths, output)
    for message in (checked, converted):
        names = "|".join(re.escape(str(path)) for path in paths)
        where = re.match(rf"({names})(:\d+|{NO_TEXT})", message or "")
        if message and not where and not message.startswith(TWO_OF_A_KIND):
            return "refused", f"no file and line in {message[:300]!r}"
        if message and (len(message) > LONGEST_MESSAGE or not message.isprintable()):
            return (
                "refused",
                f"a message of {len(message)} characters, or unprintable: "
                f"{message[:300]!r}",
            )
    if bool(checked) != bool(converted):
        return (
            "disagreed",
            f"check says {checked or 'yes'!r}, convert says {converted or 'yes'!r}",
        )
    return ("refused", None) if converted else ("converted", _differs(paths, output))


def _check(paths: List[Path]) -> Optional[str]:
    try:
        report = check_treebank(find_files(paths))
    except REFUSALS as error:
        return str(error)
    return next(iter(report.problems), None)


def _convert(paths: List[Path], output: Path) -> Optional[str]:
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"left out \d+ UPOS")
            write_docs(
                make_docs(read_treebank(*find_files(paths)[:2]), Vocab(), n_sents=2),
                output,
            )
    except REFUSALS as error:
        return str(error)
    return None


def _differs(paths: List[Path], output: Path) -> Optional[str]:
    """What in the written Docs is not as in the files."""
    written = [
        found
        for doc in DocBin().from_disk(output).get_docs(Vocab())
        for found in zip(
            read_conllu(to_conllu(doc).splitlines()), get_constituents(doc), strict=True
        )
    ]
    sentences = list(read_treebank(*find_files(paths)[:2]))
    if len(written) != len(sentences):
        return f"{len(written)} sentences were written of {len(sentences)}"
    for (got, spans), sentence in zip(written, sentences, strict=True):
        if got.words != _in_cells(sentence.words) or got.tags != _in_cells(
            sentence.tags, unknown="_"
        ):
            return (
                f"words {got.words} and tags {got.tags} of {sentence.words} and "
                f"{sentence.tags}"
            )
        if sentence.constituents and spans != sentence.constituents:
            return f"constituents {spans} of {sentence.constituents}"
        if sentence.heads is not None:
            heads = _one_root(sentence.heads)
            if got.heads != heads or got.lemmas != _in_cells(
                sentence.lemmas, unknown="_"
            ):
                return (
                    f"heads {got.heads} of {heads}, lemmas {got.lemmas} of "
                    f"{sentence.lemmas}"
                )
    return None


def _in_cells(values: List[str], unknown: str = "") -> List[str]:
    """Values as CoNLL-U holds them: line breaks of any kind are spaces, without those
    around; `_` alone is unknown."""
    cells = [
        re.sub(r"[\t\x0b\x0c]+", " ", " ".join(value.splitlines())).strip()
        for value in values
    ]
    return ["" if cell == unknown else cell for cell in cells]


def _one_root(heads: List[Optional[int]]) -> List[Optional[int]]:
    """Heads as a Doc has them: of several roots the first."""
    root = heads.index(0) if 0 in heads else None
    return [None if head == 0 and i != root else head for i, head in enumerate(heads)]
