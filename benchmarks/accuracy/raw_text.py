"""Words, sentences and labelled attachment from raw text, counted as in the CoNLL 2018
shared task: F1 of ranges of characters without whitespace; LAS without subtypes,
punctuation included. The Docs of a corpus are the paragraphs.

python -m benchmarks.accuracy.raw_text en_lal_md corpus/dev/ewt.spacy --every 4
"""

import argparse
import textwrap
from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Tuple

import spacy
from spacy.tokens import Doc, DocBin

PARTS = (
    "transformer",
    "encoder",
    "tok2vec",
    "senter",
    "lal_parser",
)  # others set neither breaks nor heads
Range = Tuple[int, int]


def wrapped(text: str, width: int) -> str:
    """A paragraph with lines of at most so many columns; whole if the width is 0."""
    if not width:
        return text
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def analysis(
    doc: Doc, shift: int
) -> Tuple[Dict[Range, Tuple[Range, str]], List[Range]]:
    """Words as ranges of visible characters, each with the range of its head (its own
    for a root) and its universal deprel; and sentences as ranges. shift: added to each
    place."""
    ends, end = [], shift
    for token in doc:
        end += len("".join(token.text.split()))
        ends.append(end)
    starts = [shift, *ends[:-1]]
    ranges = list(zip(starts, ends, strict=True))
    words = {
        ranges[t.i]: (ranges[t.head.i], t.dep_.split(":")[0])
        for t in doc
        if not t.is_space
    }
    sentences = [
        (starts[s.start], ends[s.end - 1]) for s in doc.sents if not s.text.isspace()
    ]
    return words, sentences


def f1(correct: int, found: int, gold: int) -> float:
    """In percent."""
    return 200 * correct / max(1, found + gold)


def score(docs: Iterable[Doc], golds: Sequence[Doc]) -> Dict[str, float]:
    """F1 of words and sentences, and LAS."""
    counts = dict.fromkeys(
        ["words", "sents", "las", "n_found", "n_gold", "s_found", "s_gold"], 0
    )
    shift = 0
    for doc, gold in zip(docs, golds, strict=True):
        (words, sents), (gold_words, gold_sents) = (
            analysis(doc, shift),
            analysis(gold, shift),
        )
        counts["words"] += len(words.keys() & gold_words.keys())
        counts["sents"] += len(set(sents) & set(gold_sents))
        counts["las"] += sum(
            words.get(place) == arc for place, arc in gold_words.items()
        )
        for name, items in (
            ("n_found", words),
            ("n_gold", gold_words),
            ("s_found", sents),
            ("s_gold", gold_sents),
        ):
            counts[name] += len(items)
    n = (counts["n_found"], counts["n_gold"])
    sents_f = f1(counts["sents"], counts["s_found"], counts["s_gold"])
    return {
        "words": f1(counts["words"], *n),
        "sentences": sents_f,
        "LAS": f1(counts["las"], *n),
    }


def main() -> None:
    """Print a row for each corpus and width."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("corpora", nargs="+", type=Path)
    parser.add_argument(
        "--every", type=int, default=1, help="measure on every n-th Doc"
    )
    parser.add_argument(
        "--widths",
        type=int,
        nargs="*",
        default=[0, 80],
        help="columns; 0 for text without breaks",
    )
    args = parser.parse_args()
    nlp = spacy.load(args.pipeline)
    nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in PARTS])
    for path in args.corpora:
        golds = list(DocBin().from_disk(path).get_docs(nlp.vocab))[:: args.every]
        for width in args.widths:
            found = score(
                nlp.pipe([wrapped(gold.text, width) for gold in golds]), golds
            )
            print(
                path.stem,
                width,
                *(f"{name} {value:.2f}" for name, value in found.items()),
                sep="\t",
                flush=True,
            )


if __name__ == "__main__":
    main()
