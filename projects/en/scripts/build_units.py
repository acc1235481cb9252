"""Build the elementary discourse units of GUM 11.1, annotated by hand for eRST.

    python scripts/build_units.py assets/sources/gum.tar.gz assets/edus

SOURCE is as in `build_gum.py`. A document has its units in _build/src/rst/*.rs4, over
the words of dep/*.conllu. A line of OUTPUT/{train,dev}.tsv is a sentence: the tokens,
from 1, that start a unit (the first is always among them), and of a unit that another
interrupts the starts of its parts, each with the unit's number in its document. Left
out are what `build_gum.py` leaves out, and the genres whose texts are not free: they
are in nc.{train,dev}.tsv, to measure with."""

import re
from itertools import accumulate
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence
from xml.etree import ElementTree

from build_gum import HAND_MADE, NO_WORDS, SPLITS, read_splits
from treebank import SourceError, run, save_files, unpacked

from spacy_lal.trees import read_conllu

NOT_FREE = re.compile("_(essay|letter|podcast|fiction|whow)_")
HEADER = "doc\tsent_id\tstarts\tsame_unit\n"


class Units(NamedTuple):
    """The units of a document. starts: The first word of each, from 0. numbers: Of a
    start, the number of the interrupted unit that it is a part of."""

    starts: List[int]
    numbers: Dict[int, int]


def read_units(path: Path, words: Sequence[str]) -> Units:
    """The units of an .rs4 file over the words of its document.

    RAISES (SourceError): It has other words."""
    body = ElementTree.parse(path).getroot().find("body")
    if body is None:
        raise SourceError(path, 0, "expected an element `body`, got none")
    segments = body.findall("segment")
    texts = [(segment.text or "").split() for segment in segments]
    if sum(map(len, texts)) != len(words):
        n_words = sum(map(len, texts))
        raise SourceError(path, 0, f"expected {len(words)} words, got {n_words}")
    starts = [0, *accumulate(map(len, texts[:-1]))]
    start_of = {
        segment.get("id"): start
        for segment, start in zip(segments, starts, strict=True)
    }
    # a part with satellites of its own is a span around its nucleus
    nuclei = {
        node.get("parent"): node.get("id")
        for node in body
        if node.get("relname") == "span"
    }
    is_span = {node.get("id") for node in body if node.get("type") == "span"}
    unit_of: Dict[Optional[str], Optional[str]] = {}
    for node in body:
        part = node.get("id")
        while part in is_span:
            part = nuclei.get(part)
        if node.get("relname") == "same-unit":
            unit_of[part] = node.get("parent")
    parts: Dict[Optional[str], List[int]] = {}
    for part in start_of.keys() & unit_of.keys():
        unit = unit_of[part]
        while unit in unit_of:  # a part may be interrupted itself
            unit = unit_of[unit]
        parts.setdefault(unit, []).append(start_of[part])
    in_order = sorted(parts.values(), key=min)
    numbers = {
        start: number
        for number, of_unit in enumerate(in_order, start=1)
        for start in of_unit
    }
    return Units(starts, numbers)


def read_document(gum: Path, document: str) -> Iterator[str]:
    """The lines of a document.

    RAISES (SourceError): Units and dependencies are not of the same words."""
    sentences = list(read_conllu(gum / "dep" / f"{document}.conllu"))
    words = [word for sentence in sentences for word in sentence.words]
    path = gum / "_build" / "src" / "rst" / f"{document}.rs4"
    units = read_units(path, words)
    first = 0
    for sentence in sentences:
        last = first + len(sentence.words)
        here = [start for start in units.starts if first <= start < last]
        starts = " ".join(str(start - first + 1) for start in here)
        parts = " ".join(
            f"{start - first + 1}:{units.numbers[start]}"
            for start in here
            if start in units.numbers
        )
        sent_id = sentence.metadata.get("sent_id")
        yield f"{document}\t{sent_id}\t{starts}\t{parts or '_'}\n"
        first = last


def main(source: Path, output: Path) -> None:
    """Read the command line, build, write."""
    with unpacked(source, "splits.md", "dep", "_build/src/rst") as gum:
        splits = read_splits(gum / "splits.md")
        files: Dict[str, str] = {}
        for split in SPLITS:
            for document in splits[split]:
                if document not in HAND_MADE and not document.startswith(NO_WORDS):
                    name = f"{'nc.' if NOT_FREE.search(document) else ''}{split}.tsv"
                    files.setdefault(name, HEADER)
                    files[name] += "".join(read_document(gum, document))
        save_files("edus", {name: files[name].encode() for name in files}, output)


if __name__ == "__main__":
    run(main)
