"""The most frequent words of a language, in lower case and capitalised, a line each,
the first thousands several times: cut_encoder.py counts and keeps their pieces.

    python -m pip download --no-deps --dest DL wordfreq==3.1.1
    python scripts/common_words.py DL is ../../assets/sources/words_is.txt

No package holds the words: they only decide which pieces a tokenizer knows.
"""

import gzip
from itertools import chain, islice
from pathlib import Path
from typing import List
from zipfile import ZipFile

import srsly
from treebank import run


def read_words(wheel: Path, language: str, most: int) -> List[str]:
    """The words of a language, the most frequent first.

    RAISES (ValueError): wordfreq has no words of this language.
    """
    with ZipFile(wheel) as archive:
        names = [
            f"wordfreq/data/{size}_{language}.msgpack.gz" for size in ("large", "small")
        ]
        name = next((name for name in names if name in archive.namelist()), None)
        if name is None:
            raise ValueError(f"wordfreq has no words of the language {language!r}")
        _, *by_frequency = srsly.msgpack_loads(gzip.decompress(archive.read(name)))
    return list(islice(chain.from_iterable(by_frequency), most))


def main(folder: Path, language: str, output: Path, most: int = 100000) -> None:
    """Run from the command line."""
    words = read_words(next(folder.glob("wordfreq-*.whl")), language, most)
    lines = [
        f"{word}\n{word.capitalize()}\n" * (1 + 16000 // (rank + 1000))
        for rank, word in enumerate(words)
    ]
    output.write_text("".join(lines), encoding="utf8")
    print(f"{output}: {len(words)} words")


if __name__ == "__main__":
    run(main)
