"""Give other French treebanks of Universal Dependencies the words of Sequoia: `du`,
`des`, `au`, `aux` are one word.

    python scripts/join_contractions.py corpus/heads.conllu fr_gsd-ud-dev.conllu
        --deprels ../../assets/french/train.conllu

Heads and deprels alone are kept: tags, features and lemmas follow other guidelines. A
contraction has the head and the deprel of the first of its parts that hangs on a word
outside of it. Sentences with a deprel that Sequoia lacks are left out. `--unsure`
names deprels that a treebank has for several of Sequoia's: training learns the heads of
their words alone."""

import argparse
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Set

HEADS_FROM, DEPREL_AT = 6, 7  # columns of CoNLL-U
UNSURE = "unsure"  # no deprel of the pipeline: a loss knows the head alone


class Token(NamedTuple):
    """A word of the text: one line, or the lines of a contraction.

    ids (List[int]): The numbers of its syntactic words.
    space (bool): Whether white space follows.
    """

    form: str
    ids: List[int]
    space: bool


def sentences(path: Path) -> Iterator[List[str]]:
    """Read the lines of each sentence."""
    for block in path.read_text(encoding="utf8").split("\n\n"):
        lines = block.strip().split("\n")
        if lines != [""]:
            yield lines


def tokens(rows: List[List[str]]) -> List[Token]:
    """Find the words of the text. Empty nodes are left out."""
    found: List[Token] = []
    inside: Set[int] = set()
    for row in rows:
        number, form, misc = row[0], row[1], row[-1]
        space = "SpaceAfter=No" not in misc
        if "-" in number:
            first, last = map(int, number.split("-"))
            inside = set(range(first, last + 1))
            found.append(Token(form, sorted(inside), space))
        elif number.isdecimal() and int(number) not in inside:
            found.append(Token(form, [int(number)], space))
    return found


def joined(
    lines: List[str], deprels: Set[str], unsure: Set[str]
) -> Optional[List[str]]:
    """Write a sentence over the words of the text.

    deprels (Set[str]): Those of Sequoia.
    unsure (Set[str]): Those that become UNSURE.
    RETURNS (Optional[List[str]]): Its lines. None where it has a deprel that is not
        one of `deprels`.
    """
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    heads = {int(row[0]): int(row[HEADS_FROM]) for row in rows if row[0].isdecimal()}
    names = {int(row[0]): row[DEPREL_AT] for row in rows if row[0].isdecimal()}
    if not deprels.issuperset(names.values()):
        return None
    words = tokens(rows)
    place: Dict[int, int] = {0: 0}
    for number, word in enumerate(words, start=1):
        place.update(dict.fromkeys(word.ids, number))
    found = [line for line in lines if line.startswith(("# sent_id", "# text ="))]
    for number, word in enumerate(words, start=1):
        outside = [i for i in word.ids if heads[i] not in word.ids]
        head, deprel = place[heads[outside[0]]], names[outside[0]]
        deprel = UNSURE if deprel in unsure else deprel
        misc = "_" if word.space else "SpaceAfter=No"
        row = [number, word.form, "_", "_", "_", "_", head, deprel, "_", misc]
        found.append("\t".join(map(str, row)))
    return found


def deprels_of(path: Path) -> Set[str]:
    """Read the deprels of a treebank."""
    rows = (line.split("\t") for lines in sentences(path) for line in lines)
    return {row[DEPREL_AT] for row in rows if len(row) > DEPREL_AT}


def main(arguments: Optional[List[str]] = None) -> int:
    """Join the contractions of some files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path)
    parser.add_argument("treebanks", type=Path, nargs="+")
    parser.add_argument("--deprels", type=Path, required=True, help="Sequoia's train")
    unsure = "of words whose heads alone are learned"
    parser.add_argument(
        "--unsure", nargs="+", default=[], metavar="DEPREL", help=unsure
    )
    args = parser.parse_args(arguments)
    try:
        deprels = deprels_of(args.deprels)
        blocks = [lines for path in args.treebanks for lines in sentences(path)]
        written = [joined(lines, deprels, set(args.unsure)) for lines in blocks]
        kept = [lines for lines in written if lines]
    except (OSError, ValueError, IndexError) as err:
        print(err, file=sys.stderr)
        return 1
    text = "".join("\n".join(lines) + "\n\n" for lines in kept)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(text, encoding="utf8")
    print(f"Wrote {args.output}: {len(kept)} of {len(blocks)} sentences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
