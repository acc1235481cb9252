"""How much of a parse is left of text in one case, or without punctuation?

    python benchmarks/accuracy/rough_text.py en_lal_md corpus/dev/ewt.spacy

makes the gold Docs rough as `spacy-lal.rough_text.v1` does in training, all of them in
the same way, parses their tokens with gold sentence breaks and with the pipeline's own,
and prints a table. Scores are of the words that are left: `const_f` of brackets, UAS
and LAS without punctuation, tags, `sents_f` of whole sentences."""

import argparse
import sys
from pathlib import Path
from typing import Dict, List, Optional

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.evaluation import docs as scoring
from spacy_lal.evaluation.evalb_params import COLLINS
from spacy_lal.treebanks.corpora import TreebankCorpus

sys.path.insert(
    0, str(Path(__file__).resolve().parents[2] / "projects" / "en" / "scripts")
)

from rough_text import make_rough_text  # noqa: E402

LEVELS = ("lower_case", "upper_case", "no_final_punct", "no_punct")
KINDS: Dict[str, List[str]] = {
    "as they are": [],
    "lower case": ["lower_case"],
    "capitals": ["upper_case"],
    "no punctuation at the end": ["no_final_punct"],
    "no punctuation": ["no_punct"],
    "lower case, no punctuation": ["lower_case", "no_punct"],
}


def rough_docs(nlp: Language, path: Path, changes: List[str]) -> List[Doc]:
    """The gold Docs of a corpus, all changed alike.

    changes (List[str]): Names of `LEVELS`.
    """
    augmenter = make_rough_text(**{level: float(level in changes) for level in LEVELS})
    return [eg.reference for eg in TreebankCorpus(path, augmenter=augmenter)(nlp)]


def row(name: str, breaks: str, scores: Dict[str, Optional[float]]) -> str:
    """A line of the table."""
    keys = ("sents_f", "const_f", "dep_uas", "dep_las", "tag_acc")
    numbers = [
        "" if scores.get(key) is None else f"{100 * scores[key]:.2f}" for key in keys
    ]  # type: ignore[operator]
    return f"| {name} | {breaks} | " + " | ".join(numbers) + " |"


def main(arguments: Optional[List[str]] = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="name or path")
    parser.add_argument("corpus", type=Path, help="a .spacy file")
    args = parser.parse_args(arguments)
    nlp = spacy.load(args.pipeline)
    print(
        "| words | sentence breaks | sentence F | const_f | UAS | LAS | tags "
        "|\n|---|---|--:|--:|--:|--:|--:|",
        flush=True,
    )
    for name, changes in KINDS.items():
        golds = rough_docs(nlp, args.corpus, changes)
        docs, _ = scoring.parse_golds(nlp, golds)
        print(
            row(name, "given", scoring.score_docs(docs, golds, COLLINS)),
            flush=True,
        )
        docs, _ = scoring.parse_golds(nlp, golds, gold_sents=False)
        print(
            row(name, "its own", scoring.score_docs(docs, golds, COLLINS)),
            flush=True,
        )


if __name__ == "__main__":
    main()
