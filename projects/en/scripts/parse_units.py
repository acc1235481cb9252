"""Parse sentences whose discourse units are known, for the training of lal_units.

    python scripts/parse_units.py training/lg/final ../../assets/gum/train.conllu \
        ../../assets/edus/train.tsv --output corpus/units/train.spacy

The Docs have gold tokens, sentences and units, and all else as the pipeline finds it:
the component learns from such parses as it will read. Sentences of the .conllu that the
.tsv lacks are left out. Without --output, the units that the pipeline itself finds are
compared with the gold ones, as DISRPT counts: `all` starts, those `inside` a sentence,
whole `units`; and, of interrupted units, the `joins` of a part with the next."""

import csv
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Set, Tuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from treebank import run

from spacy_lal.annotations import SENT_IDS, UNITS_KEY, set_units
from spacy_lal.treebanks.docs import copy_text, make_docs, write_docs
from spacy_lal.treebanks.reader import read_treebank

SKIPPED = ("lal_srl", "lal_units")  # which the training does not read
BATCH_SIZE = 32


class Row(NamedTuple):
    """The units of a sentence. starts: First tokens, from 0. numbers: Of some starts,
    the number of the interrupted unit in the document."""

    starts: List[int]
    numbers: Dict[int, str]


def read_rows(path: Path) -> Dict[str, Row]:
    """The sentences of a .tsv, by `sent_id`."""
    with path.open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = {}
    for row in rows:
        parts = row["same_unit"].split() if row["same_unit"] != "_" else []
        pairs = [part.split(":") for part in parts]
        starts = [int(start) - 1 for start in row["starts"].split()]
        numbers = {int(start) - 1: number for start, number in pairs}
        found[row["sent_id"]] = Row(starts, numbers)
    return found


def gold_units(doc: Doc, rows: Iterable[Row]) -> Iterator[Tuple[int, int, int]]:
    """First token, end and number of each unit of a Doc, sentence by sentence."""
    number_of: Dict[str, int] = {}
    n_units = 0
    for sentence, row in zip(doc.sents, rows, strict=True):
        places = [sentence.start + start for start in row.starts]
        ends = [*places[1:], sentence.end]
        for start, place, end in zip(row.starts, places, ends, strict=True):
            name = row.numbers.get(start, f"{place}")
            if name not in number_of:
                n_units += 1
                number_of[name] = n_units
            yield place, end, number_of[name]


def read_docs(
    nlp: Language, conllu: Path, rows: Dict[str, Row], n_sents: int
) -> Iterator[Doc]:
    """Docs with words, sentences and units alone."""
    sentences = (
        sentence for sentence in read_treebank(None, conllu) if sentence.sent_id in rows
    )
    for gold in make_docs(sentences, nlp.vocab, n_sents=n_sents, by_document=True):
        doc = copy_text(gold, with_sentences=True)
        of_doc = [rows[sent_id] for sent_id in gold.user_data[SENT_IDS]]
        set_units(doc, list(gold_units(doc, of_doc)))
        yield doc


def starts_and_units(doc: Doc) -> Dict[str, Set[Any]]:
    """What the score compares, as places in a Doc."""
    units = [(unit.start, unit.end, unit.id_) for unit in doc.spans[UNITS_KEY]]
    firsts = {sentence.start for sentence in doc.sents}
    last: Dict[str, int] = {}
    joins = set()
    for start, _, number in units:
        if number in last:
            joins.add((last[number], start))
        last[number] = start
    starts = {start for start, *_ in units}
    return {
        "all": starts,
        "inside": starts - firsts,
        "units": {unit[:2] for unit in units},
        "joins": joins,
    }


def score(golds: Iterable[Doc], found: Iterable[Doc]) -> None:
    """Print precision, recall and F1 of each count."""
    counts: Dict[str, List[int]] = {}
    for gold, doc in zip(golds, found, strict=True):
        ours = starts_and_units(doc)
        for name, theirs in starts_and_units(gold).items():
            added = len(theirs & ours[name]), len(ours[name]), len(theirs)
            counts[name] = [
                a + b for a, b in zip(counts.get(name, [0] * 3), added, strict=True)
            ]
    for name, (right, said, known) in counts.items():
        precision = 100 * right / max(1, said)
        recall = 100 * right / max(1, known)
        f_score = 200 * right / max(1, said + known)
        print(
            f"{name:6}  P {precision:.2f}  R {recall:.2f}  F {f_score:.2f}  ({known})"
        )


def main(pipeline: str, conllu: Path, units: Path, output: Path | None = None) -> None:
    """Parse, and write or score."""
    nlp = spacy.load(pipeline, exclude=SKIPPED if output else SKIPPED[:1])
    golds = list(read_docs(nlp, conllu, read_rows(units), n_sents=8))
    texts = [copy_text(doc, with_sentences=True) for doc in golds]
    docs = list(nlp.pipe(texts, batch_size=BATCH_SIZE))
    if output is None:
        score(golds, docs)
        return
    for gold, doc in zip(golds, docs, strict=True):
        spans = gold.spans[UNITS_KEY]
        set_units(doc, [(unit.start, unit.end, int(unit.id_)) for unit in spans])
    output.parent.mkdir(parents=True, exist_ok=True)
    print(f"{output}: {write_docs(docs, output)}")


if __name__ == "__main__":
    run(main)
