"""Take the heads and deprels of other treebanks of Universal Dependencies for a
language's training, over the words of its own.

    python ../other_heads.py corpus/gsd.conllu fr_gsd-ud-dev.conllu
        --deprels ../../assets/french/train.conllu
    python ../other_heads.py corpus/pud.conllu is_pud-ud-test.conllu
        --without ../../assets/icelandic/dev.conllu --heads nsubj obj root obl
        --unsure obl

Tags, features and lemmas follow other guidelines, and are left out. A contraction
("du") is one word, with the head and the deprel of the first of its parts that hangs on
a word outside of it. Of a folder, all files are read. Left out are sentences with a
deprel that `--deprels` lacks; with `--without`, its sentences and all copies, too. A
word whose deprel is not among `--heads` keeps neither head nor deprel; one of
`--unsure` keeps the head alone."""

import argparse
import sys
from collections.abc import Container, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from spacy_lal.files import TreebankError
from spacy_lal.trees.conllu import parse_conllu_block, read_conllu_blocks

HEAD_AT, DEPREL_AT = 6, 7  # columns of CoNLL-U
UNSURE = "unsure"  # no deprel of the pipeline: a loss knows the head alone
Rows = list[list[str]]


class Word(NamedTuple):
    """A word of the text: one line, or the lines of a contraction.

    ids (list[int]): The numbers of its syntactic words.
    space (bool): Whether white space follows.
    """

    form: str
    ids: list[int]
    space: bool


def read_sentences(paths: Iterable[Path]) -> Iterator[list[str]]:
    """Read the lines of each sentence of files and folders. Invalid ones are left out,
    and reported."""
    for path in paths:
        files = sorted(path.rglob("*.conllu")) if path.is_dir() else [path]
        for block in chain.from_iterable(map(read_conllu_blocks, files)):
            try:
                parse_conllu_block(block)
            except TreebankError as error:
                print(f"Left out: {error}", file=sys.stderr)
            else:
                yield [line for _, line in block.lines]


def rows_of(lines: list[str]) -> Rows:
    """The columns of the lines that are no comments."""
    return [line.split("\t") for line in lines if not line.startswith("#")]


def words_of(rows: Rows) -> list[Word]:
    """Find the words of the text. Empty nodes are left out."""
    words: list[Word] = []
    inside: list[int] = []
    for number, form, *_, misc in rows:
        space = "SpaceAfter=No" not in misc
        if "-" in number:
            first, last = map(int, number.split("-"))
            inside = [*range(first, last + 1)]
            words.append(Word(form, inside, space))
        elif number.isdecimal() and int(number) not in inside:
            words.append(Word(form, [int(number)], space))
    return words


def letters_of(lines: list[str]) -> str:
    """The text of a sentence without spaces, by which copies are found."""
    return "".join(word.form for word in words_of(rows_of(lines)))


def changed(
    lines: list[str], heads_of: Container[str] | None, unsure: Container[str]
) -> list[str]:
    """Write a sentence over the words of the text.

    heads_of (Container[str] | None): The deprels of words that keep their head; None
        for all.
    unsure (Container[str]): Those that become UNSURE.
    """
    rows = rows_of(lines)
    arcs = {int(row[0]): row[HEAD_AT:] for row in rows if row[0].isdecimal()}
    words = words_of(rows)
    place = {0: 0}
    for number, word in enumerate(words, start=1):
        place.update(dict.fromkeys(word.ids, number))
    written = [line for line in lines if line.startswith(("# sent_id", "# text ="))]
    for number, word in enumerate(words, start=1):
        outside = (arcs[i] for i in word.ids if int(arcs[i][0]) not in word.ids)
        head, deprel, *_ = next(outside)
        arc = f"{place[int(head)]}", UNSURE if deprel in unsure else deprel
        if heads_of is not None and deprel not in heads_of:
            arc = "_", "_"
        misc = "_" if word.space else "SpaceAfter=No"
        cells = [str(number), word.form, "_", "_", "_", "_", *arc, "_", misc]
        written.append("\t".join(cells))
    return written


def deprels_of(lines: list[str]) -> set[str]:
    """The deprels of a sentence."""
    return {row[DEPREL_AT] for row in rows_of(lines) if row[0].isdecimal()}


def main(arguments: list[str] | None = None) -> int:
    """Take the heads of some files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path)
    parser.add_argument("treebanks", type=Path, nargs="+", help="files or folders")
    parser.add_argument("--deprels", type=Path, help="a treebank that has all deprels")
    parser.add_argument("--without", type=Path, nargs="+", default=[])
    several: dict[str, Any] = {"nargs": "+", "metavar": "DEPREL"}
    parser.add_argument(
        "--heads", **several, help="whose heads are kept (default: all)"
    )
    parser.add_argument("--unsure", default=[], **several, help="whose head alone is")
    args = parser.parse_args(arguments)
    try:
        sentences = list(read_sentences(args.treebanks))
        known = {letters_of(lines) for lines in read_sentences(args.without)}
        own = [args.deprels] if args.deprels else args.treebanks
        deprels = set().union(*map(deprels_of, read_sentences(own)))
        kept: list[list[str]] = []
        for lines in sentences:
            letters = letters_of(lines)
            if letters not in known and deprels_of(lines) <= deprels:
                known |= {letters} if args.without else set()
                kept.append(changed(lines, args.heads, args.unsure))
    except (OSError, ValueError, IndexError) as err:
        print(err, file=sys.stderr)
        return 1
    text = "".join("\n".join(lines) + "\n\n" for lines in kept)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(text, encoding="utf8")
    print(f"Wrote {args.output}: {len(kept)} of {len(sentences)} sentences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
