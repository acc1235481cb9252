"""Score the roles of verbs alone, against a treebank that has roles of verbs alone.

    python scripts/score_verbs.py corpus/trees_dev/masc.spacy en_lal_md en_lal_lg

A verb is a word whose gold tag is one of a verb or of a modal. Other predicates count
neither for nor against a pipeline."""

import argparse
from pathlib import Path
from typing import Any, Dict, List, Optional

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import get_propositions, set_propositions
from spacy_lal.evaluation.scorers import score_roles
from spacy_lal.treebanks.corpora import TreebankCorpus

VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD")
SHOWN = ("srl_f", "srl_p", "srl_r", "predicate_f", "roleset_acc")


def keep_verbs(doc: Doc, tags: List[str]) -> None:
    """Take the predicates that are no verbs out of a Doc.

    tags (List[str]): The gold tag of each token.
    """
    found = get_propositions(doc)
    set_propositions(doc, [one for one in found if tags[one.token] in VERB_TAGS])


def score_verbs(nlp: Language, examples: List[Example]) -> Dict[str, Any]:
    """Parse, and score the roles of verbs. The Docs of the examples change."""
    docs = nlp.pipe([eg.predicted for eg in examples])
    verbs = []
    for doc, eg in zip(docs, examples, strict=True):
        tags = [token.tag_ for token in eg.reference]
        keep_verbs(doc, tags)
        keep_verbs(eg.reference, tags)
        verbs.append(Example(doc, eg.reference))
    return score_roles(verbs)


def main(arguments: Optional[List[str]] = None) -> None:
    """Print a line for each pipeline."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path, help="a .spacy file with roles")
    parser.add_argument("pipelines", nargs="+", help="packages or folders")
    args = parser.parse_args(arguments)
    for path in args.pipelines:
        nlp = spacy.load(path)
        scores = score_verbs(nlp, list(TreebankCorpus(args.treebank)(nlp)))
        print(path, {name: round(100 * scores[name], 2) for name in SHOWN}, flush=True)


if __name__ == "__main__":
    main()
