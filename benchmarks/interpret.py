"""Contributions and margins of parsed text.

    OMP_NUM_THREADS=1 python benchmarks/interpret.py en_lal_md corpus/dev/ewt.spacy
    [--sentences 500]

parses the Docs with their gold tokens and sentence breaks, and prints a table: over all
constituents, how often the head that bears a constituent's label has the largest part
for it; the least and the median margin.
"""

import argparse
from pathlib import Path
from typing import List

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_lal.annotations import sentence_bounds
from spacy_lal.interpret import (
    Contributions,
    arc_margins,
    constituent_contributions,
    constituent_margins,
)
from spacy_lal.treebanks.docs import copy_text


def load_docs(nlp: Language, path: Path, n_sentences: int) -> List[Doc]:
    """Docs with the tokens and sentence breaks of a corpus, and nothing else, until
    there are enough sentences."""
    docs: List[Doc] = []
    for gold in DocBin().from_disk(path).get_docs(nlp.vocab):
        if n_sentences <= 0:
            break
        n_sentences -= len(sentence_bounds(gold))
        docs.append(copy_text(gold, with_sentences=True))
    return docs


def own_head_share(parts: List[Contributions]) -> float:
    """The share of constituents, in percent, whose label's own head has the largest
    part for them."""
    own = [one.names[int(one.heads.argmax())] == one.label for one in parts]
    return 100.0 * sum(own) / max(1, len(own))


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="name or path")
    parser.add_argument("corpus", type=Path, help="a .spacy file with sentence breaks")
    parser.add_argument("--sentences", type=int, default=500, help="about how many")
    args = parser.parse_args()
    nlp = spacy.load(args.pipeline, exclude=["senter"])
    docs = load_docs(nlp, args.corpus, args.sentences)
    parts: List[Contributions] = []
    margins: List[float] = []
    arcs: List[float] = []
    for doc in nlp.pipe(docs, batch_size=64):
        parts += constituent_contributions(nlp, doc)
        margins += [one.margin for one in constituent_margins(nlp, doc)]
        arcs += [one.margin for one in arc_margins(nlp, doc)]
    print("| | |\n|---|--:|")
    print(f"| constituents | {len(parts):,} |")
    print(
        f"| the label's own head has the largest part | {own_head_share(parts):.1f} % |"
    )
    print(
        f"| margin of a constituent, least and median | {min(margins):.3f}, "
        f"{np.median(margins):.2f} |"
    )
    print(
        f"| margin of an arc, least and median | {min(arcs):.3f}, "
        f"{np.median(arcs):.2f} |"
    )


if __name__ == "__main__":
    main()
