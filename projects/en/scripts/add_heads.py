"""Give a treebank of constituents alone the heads and deprels that a pipeline finds
when it is held to the treebank's own trees.

    python scripts/add_heads.py en_lal_lg corpus/trees/masc.spacy corpus/masc_heads.spacy

The joint decoder looks for heads that agree with a tree; with the gold tree they are
better than those beside a tree of its own. Tags, constituents and tokens stay the
treebank's. A smaller pipeline learns from such a file as from a treebank with both
trees. A Doc whose trees no parse of the pipeline can have keeps none, and is left
out."""

import argparse
import sys
from pathlib import Path
from typing import Any, List, Optional, cast

import spacy
from spacy.attrs import DEP, HEAD
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import ContradictionError, constituent_tokens, constrain
from spacy_lal.treebanks.corpora import TreebankCorpus
from spacy_lal.treebanks.docs import write_docs


def with_heads(nlp: Language, eg: Example) -> Optional[Doc]:
    """The reference with heads. None where no parse has its constituents."""
    doc = eg.predicted
    constrain(doc, constituents=constituent_tokens(eg.reference))
    try:
        arcs = nlp(doc).to_array([HEAD, DEP])
    except ContradictionError:
        return None
    return eg.reference.from_array([HEAD, DEP], cast(Any, arcs))


def main(arguments: Optional[List[str]] = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="a package or folder")
    parser.add_argument("trees", type=Path, help="a .spacy file with constituents")
    parser.add_argument("output", type=Path, help="the .spacy file to write")
    args = parser.parse_args(arguments)
    try:
        nlp = spacy.load(args.pipeline, exclude=["lal_srl"])
        examples = list(TreebankCorpus(args.trees)(nlp))
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    found = [with_heads(nlp, eg) for eg in examples]
    docs = [doc for doc in found if doc is not None]
    print(f"{write_docs(docs, args.output)}; {len(found) - len(docs)} Docs left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
