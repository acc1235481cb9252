"""Score several pipelines together on a treebank: what they would teach as teachers, before they parse any text.

    python scripts/evaluate_together.py corpus/dev/ewt.spacy en_lal_md training/large/model-last

Gold tokens and sentence breaks; the rest is as in parse_together.py. The report is `lal evaluate`'s.
"""

import argparse
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from parse_together import Together
from spacy.tokens import Doc, DocBin
from treebank import SourceError, run

from spacy_lal.annotations import has_sentences
from spacy_lal.cli.evaluate import report_lines
from spacy_lal.cli.io import write_json
from spacy_lal.metrics import docs as scoring
from spacy_lal.metrics.evalb_params import language_params

DOCS_AT_ONCE = 64


def score_together(together: Together, golds: Sequence[Doc]) -> Dict[str, Any]:
    """The scores of `lal evaluate`, of trees that several pipelines find together.

    golds (Sequence[Doc]): Gold Docs with sentence breaks.
    """
    docs: List[Doc] = []
    start = time.perf_counter()
    for i in range(0, len(golds), DOCS_AT_ONCE):
        some = together.first.ready(golds[i : i + DOCS_AT_ONCE])
        together.annotate(some)
        docs.extend(some)
    seconds = time.perf_counter() - start
    params = language_params(together.first.nlp.lang or "")
    return scoring.score_docs(docs, list(golds), params, seconds=seconds)


def read_golds(path: Path, together: Together) -> List[Doc]:
    """The Docs of a `.spacy` file.

    RAISES (SourceError): A Doc has no sentence breaks.
    """
    golds = list(DocBin().from_disk(path).get_docs(together.first.nlp.vocab))
    for number, gold in enumerate(golds, start=1):
        if not has_sentences(gold):
            raise SourceError(path, 0, f"Doc {number} has no sentence boundaries: {gold.text[:40]!r}")
    return golds


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, parse, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", type=Path, help=".spacy file of gold Docs")
    parser.add_argument("pipelines", nargs="+", help="packages or folders of pipelines with a lal_parser")
    parser.add_argument("--output", type=Path, help="write the scores as JSON, too")
    args = parser.parse_args(arguments)
    together = Together(args.pipelines)
    scores = score_together(together, read_golds(args.treebank, together))
    if args.output is not None:
        write_json(args.output, scores)
    print("\n".join(report_lines(scores)))


if __name__ == "__main__":
    run(main)
