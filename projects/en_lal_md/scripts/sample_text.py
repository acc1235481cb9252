"""Draw texts from the plain text that build_plain_text.py writes, in parts for trainings that go on side by side.

    python scripts/sample_text.py assets/text corpus/text/a.txt corpus/text/b.txt \
        --words reviews=400000 chat=200000 --seed 1

TEXT is a folder with a file NAME.txt of one text a line for each NAME=N of --words. Of each file, shuffled, come the
first texts that have N words together, dealt out to the outputs in turn; each output is shuffled. A file that has not
so many words gives all that it has. --without names files whose texts are left out, so that a later sample is new.
"""

import argparse
import random
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from treebank import read_texts, run

from spacy_lal.files import write_file


def sample(texts: Iterable[str], n_words: int, rng: random.Random) -> List[str]:
    """The first texts, in an order by chance, that have so many words (between spaces) together; all if there are
    not so many."""
    shuffled = list(texts)
    rng.shuffle(shuffled)
    taken, total = [], 0
    for text in shuffled:
        if total >= n_words:
            break
        taken.append(text)
        total += len(text.split())
    return taken


def words_of(argument: str) -> Tuple[str, int]:
    """Name and number of NAME=N.

    RAISES (ArgumentTypeError): It is none.
    """
    name, _, number = argument.partition("=")
    if not name or not number.isdecimal() or int(number) == 0:
        raise argparse.ArgumentTypeError(f"expected NAME=N with a number of words, got {argument!r}")
    return name, int(number)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, draw, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="folder with the files of --words")
    parser.add_argument("outputs", type=Path, nargs="+", help="files to write, of one text a line")
    parser.add_argument("--words", type=words_of, nargs="+", required=True, help="NAME=N: N words of NAME.txt")
    parser.add_argument("--without", type=Path, nargs="*", default=[], help="files whose texts are left out")
    parser.add_argument("--seed", type=int, default=0, help="of the order by chance")
    args = parser.parse_args(arguments)
    left_out: Set[str] = {text for path in args.without for text in read_texts(path)}
    rng = random.Random(args.seed)
    parts: Dict[Path, List[str]] = {path: [] for path in args.outputs}
    for name, n_words in args.words:
        candidates = (text for text in read_texts(args.text / f"{name}.txt") if text not in left_out)
        for index, text in enumerate(sample(candidates, n_words, rng)):
            parts[args.outputs[index % len(parts)]].append(text)
    for path, texts in parts.items():
        rng.shuffle(texts)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, "".join(f"{text}\n" for text in texts))
        print(f"{path}: {len(texts)} texts, {sum(len(text.split()) for text in texts)} words")


if __name__ == "__main__":
    run(main)
