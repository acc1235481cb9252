"""Semantic roles by the source of heads and of predicates: is a better parse worth
better roles?

    python scripts/compare_heads.py PIPELINE... --treebank ../../assets/ewt --output
    metrics/heads.json

Each PIPELINE has a trained lal_srl and, for the Doc's heads, a lal_parser. The
treebank's dev sentences come with gold tokens and gold sentence boundaries. A model
with heads of its own is also given the heads of lal_parser and gold heads: its config
alone changes. A model that scores the constituents of the parse is given lal_parser's
parse, "doc", and the gold heads and trees of dev.ptb, "gold". With gold predicates,
their V is given and their rolesets are not. One line for each combination; scores are
strict (spurious predicates cost their arguments)."""

import argparse
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import spacy
from spacy.attrs import DEP, HEAD
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import (
    get_constituents,
    get_propositions,
    sentence_words,
    set_constituents,
    set_propositions,
)
from spacy_lal.evaluation.scorers import score_roles
from spacy_lal.lang.en import AUXILIARY_ROLESETS
from spacy_lal.models.batches import get_config
from spacy_lal.treebanks.corpora import PropBankCorpus

WITHOUT_AUXILIARIES = "srl_f_without_auxiliaries"
# Scores that the table shows, by their headings.
COLUMNS = {
    **{
        name: name
        for name in (
            "srl_f",
            "srl_p",
            "srl_r",
            "srl_conll05_f",
            "predicate_f",
            "roleset_acc",
        )
    },
    "srl_f no aux": WITHOUT_AUXILIARIES,
}
ROLES = "lal_srl"


def load(path: str, heads: Optional[str] = None, predicates: str = "own") -> Language:
    """A pipeline with another source of heads and of predicates."""
    changes: Dict[str, Any] = {"predicates": predicates}
    if heads is not None:
        changes["model"] = {"syntax": {"heads": heads}}
    return spacy.load(path, config={"components": {ROLES: changes}})


def heads_of(nlp: Language) -> str:
    """The source of heads that a pipeline was trained with."""
    return str(get_config(nlp.get_pipe(ROLES).model).syntax.heads)  # type: ignore[attr-defined]


def reads_parse(nlp: Language) -> bool:
    """Whether a pipeline's roles are chosen among the constituents of the Doc."""
    return bool(get_config(nlp.get_pipe(ROLES).model).with_spans)  # type: ignore[attr-defined]


def docs_with(
    nlp: Language, examples: Sequence[Example], heads: str, predicates: str
) -> Iterator[Doc]:
    """The Docs to find roles on: with the parser's or gold heads, and gold predicates,
    where they are wanted."""
    texts = (eg.predicted.copy() for eg in examples)
    with nlp.select_pipes(disable=[ROLES]):
        with_trees = reads_parse(nlp)
        docs: Iterator[Doc] = (
            nlp.pipe(texts, batch_size=32) if heads == "doc" or with_trees else texts
        )
        for eg, doc in zip(examples, docs, strict=True):
            if (
                heads == "gold"
            ):  # on the same text, so that the transformer's vectors are the same
                doc.from_array([HEAD, DEP], eg.reference.to_array([HEAD, DEP]))
                if with_trees:
                    set_constituents(
                        doc, sentence_words(doc), get_constituents(eg.reference)
                    )
            if predicates == "doc":
                given = [
                    one._replace(roleset="", args=_only_verb(one.args))
                    for one in get_propositions(eg.reference)
                ]
                set_propositions(doc, given)
            yield doc


def _only_verb(
    args: Sequence[Tuple[int, int, str]],
) -> Tuple[Tuple[int, int, str], ...]:
    return tuple(arg for arg in args if arg[2] in ("V", "C-V"))


def without_auxiliaries(doc: Doc, auxiliaries: Sequence[int]) -> Doc:
    """A copy whose roles lack the predicates that are auxiliaries in the gold roles, or
    by their own rolesets."""
    kept = [
        one
        for one in get_propositions(doc)
        if one.token not in auxiliaries and one.roleset not in AUXILIARY_ROLESETS
    ]
    copied = doc.copy()
    set_propositions(copied, kept)
    return copied


def score(found: Sequence[Doc], examples: Sequence[Example]) -> Dict[str, Any]:
    """The scores with and without auxiliaries."""
    scores = score_roles(
        [Example(doc, eg.reference) for doc, eg in zip(found, examples, strict=True)]
    )
    pairs = []
    for doc, eg in zip(found, examples, strict=True):
        gold = get_propositions(eg.reference)
        auxiliaries = [one.token for one in gold if one.roleset in AUXILIARY_ROLESETS]
        pairs.append(
            Example(
                without_auxiliaries(doc, auxiliaries),
                without_auxiliaries(eg.reference, auxiliaries),
            )
        )
    of_others = score_roles(pairs)
    scores["predicate_f_without_auxiliaries"] = of_others["predicate_f"]
    scores[WITHOUT_AUXILIARIES] = of_others["srl_f"]
    return scores


def compare(path: str, treebank: Path, limit: int) -> Iterator[Dict[str, Any]]:
    """The scores of one pipeline in each combination."""
    trained, with_trees = heads_of(load(path)), reads_parse(load(path))
    sources = {"own": ["own", "doc", "gold"], "doc": ["doc", "gold"], "none": ["none"]}[
        trained
    ]
    if with_trees:
        sources = ["doc", "gold"]
    for predicates in ("own", "doc"):
        for heads in sources:
            source = trained if with_trees else "doc" if heads == "gold" else heads
            nlp = load(path, source, predicates)
            brackets = treebank / "dev.ptb" if with_trees else None
            corpus = PropBankCorpus(
                treebank / "dev.conllu", brackets=brackets, n_sents=8
            )
            examples: List[Example] = list(islice(corpus(nlp), limit or None))
            roles = nlp.get_pipe(ROLES)
            found = list(
                roles.pipe(docs_with(nlp, examples, heads, predicates), batch_size=32)
            )
            named = {
                "pipeline": path,
                "heads": heads,
                "predicates": "gold" if predicates == "doc" else "own",
            }
            yield {**named, **score(found, examples)}


def main(arguments: Optional[List[str]] = None) -> int:
    """Compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pipelines", nargs="+", help="trained pipelines with lal_srl")
    parser.add_argument(
        "--treebank",
        type=Path,
        required=True,
        help="folder with dev.conllu, dev.srl.jsonl, dev.ptb",
    )
    parser.add_argument("--limit", type=int, default=0, help="most Docs; 0 for all")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args(arguments)
    rows: List[Dict[str, Any]] = []
    print(
        f"{'heads':<6} {'predicates':<10} "
        + " ".join(f"{heading:>13}" for heading in COLUMNS)
        + "  pipeline"
    )
    for path in options.pipelines:
        for row in compare(path, options.treebank, options.limit):
            cells = " ".join(
                f"{100 * (row[name] or 0.0):13.2f}" for name in COLUMNS.values()
            )
            print(
                f"{row['heads']:<6} {row['predicates']:<10} {cells}  {path}", flush=True
            )
            rows.append(row)
            if options.output:
                options.output.parent.mkdir(parents=True, exist_ok=True)
                options.output.write_text(
                    json.dumps(rows, indent=2) + "\n", encoding="utf8"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
