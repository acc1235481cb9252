"""Relations and clauses beside 150 sentences annotated by hand.

    python benchmarks/relations.py en_lal_md

The sentences (`tests/data/relations.jsonl`) are given as tokens. A relation counts as
right if the head words of its subject and object, and its predicate, are. Annotated are
verbs, copulas and appositions; possessives and nominal predicates are left out. "Words
too": it is right if all words of its subject and object are right as well.
"Complete": with a subject and an object."""

import argparse
import json
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set, Tuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_lal.annotations import ROLES_KEY, get_clauses, get_relations
from spacy_lal.lang import clause_words

GOLD = Path(__file__).resolve().parent.parent / "tests" / "data" / "relations.jsonl"
KINDS = ("verb", "copula", "apposition")
Triple = Tuple[Optional[int], Optional[int], Optional[int]]


def read_gold() -> List[Dict[str, Any]]:
    """Give the annotated sentences."""
    return [
        json.loads(line) for line in GOLD.read_text(encoding="utf8").splitlines()[1:]
    ]


def head(span: Optional[Span]) -> Optional[int]:
    """Give the head word of a Span; of "have to go" the verb."""
    if span is None:
        return None
    token = span.root
    verbs = [child for child in token.children if child.dep_ == "xcomp"]
    is_helping = token.lemma_ in clause_words(token.vocab.lang).auxiliary_verbs
    return verbs[0].i if verbs and is_helping else token.i


def triples(doc: Doc, kinds: Iterable[str] = KINDS) -> Set[Triple]:
    """Give the head words of the relations."""
    found = (relation for relation in get_relations(doc) if relation.kind in kinds)
    return {(head(x.subject), head(x.predicate), head(x.object)) for x in found}


def ranges(doc: Doc) -> Set[Tuple[Any, ...]]:
    """Give the relations by the words of their subjects and objects, from start to end,
    and by the heads of their predicates."""
    found = (relation for relation in get_relations(doc) if relation.kind in KINDS)
    return {
        (words_of(one.subject), head(one.predicate), words_of(one.object))
        for one in found
    }


def words_of(span: Optional[Span]) -> Optional[Tuple[int, int]]:
    """Give the first word of a Span, and the one after its last."""
    return None if span is None else (span.start, span.end)


def gold_ranges(sentence: Dict[str, Any]) -> Set[Tuple[Any, ...]]:
    """Give the same of an annotated sentence."""
    found = set()
    for heads, phrases in zip(sentence["relations"], sentence["phrases"], strict=True):
        subject, thing = (phrase and tuple(phrase) for phrase in phrases)
        found.add((subject, heads[1], thing))
    return found


def score(found: List[Set[Any]], gold: List[Set[Any]]) -> Tuple[float, float, float]:
    """Give precision, recall, F1 in percent."""
    right = sum(len(x & y) for x, y in zip(found, gold, strict=True))
    precision, recall = (
        right / max(1, sum(map(len, found))),
        right / max(1, sum(map(len, gold))),
    )
    return (
        100 * precision,
        100 * recall,
        200 * precision * recall / max(1e-9, precision + recall),
    )


def complete(items: List[Set[Triple]]) -> List[Set[Triple]]:
    """Give triples with a subject, a predicate and an object."""
    return [{one for one in x if None not in one} for x in items]


def of_verbs(docs: List[Doc], *items: List[Set[Triple]]) -> Iterator[List[Set[Triple]]]:
    """Give complete triples whose predicate is no copula."""
    for side in items:
        yield [
            {one for one in x if doc[one[1] or 0].lemma_ != "be"}
            for doc, x in zip(docs, complete(side), strict=True)
        ]


def row(name: str, *parts: Optional[Tuple[float, float, float]]) -> None:
    """Print a row of a Markdown table."""
    cells = [
        "–" if part is None else " / ".join(f"{value:.1f}" for value in part)
        for part in parts
    ]
    print(f"| {name} | {' | '.join(cells)} |")


def parsed(nlp: Language, sentences: List[Dict[str, Any]]) -> List[Doc]:
    """Make Docs of given tokens, each one sentence."""
    docs = []
    for one in sentences:
        doc = Doc(nlp.vocab, one["words"])
        for token in doc:
            token.is_sent_start = token.i == 0
        docs.append(doc)
    return list(nlp.pipe(docs))


def without_roles(docs: List[Doc]) -> List[Doc]:
    """Make copies without roles."""
    copies = [doc.copy() for doc in docs]
    for doc in copies:
        doc.spans.pop(ROLES_KEY, None)
    return copies


def by_hand(nlp: Language) -> None:
    """Print the tables of the annotated sentences."""
    sentences = read_gold()
    gold = [{tuple(one) for one in x["relations"]} for x in sentences]
    docs = parsed(nlp, sentences)
    print(
        "| precision / recall / F1 | all relations | complete | complete, of verbs "
        "|\n| --- | --: | --: | --: |"
    )
    worded = [gold_ranges(x) for x in sentences]
    for name, items in (
        ("from roles and heads", docs),
        ("from heads alone", without_roles(docs)),
    ):
        for title, extract, annotated in (
            (name, triples, gold),
            (f"{name}, words too", ranges, worded),
        ):
            found = [extract(doc) for doc in items]
            row(
                title,
                score(found, annotated),
                score(complete(found), complete(annotated)),
                score(*of_verbs(docs, found, annotated)),
            )
    print("\n| precision / recall / F1 | clauses |\n| --- | --: |")
    clauses = [
        [(x.verb.i, x.kind, x.span.start, x.span.end) for x in get_clauses(doc[:])]
        for doc in docs
    ]
    annotated = [[tuple(one) for one in x["clauses"]] for x in sentences]
    views: List[Tuple[str, Callable[[Any], Any]]] = [
        ("verbs", lambda one: one[0]),
        ("with kind", lambda one: one[:2]),
        ("with range", lambda one: (one[0], *one[2:])),
        ("with kind and range", lambda one: one),
    ]
    for name, view in views:
        sides = [[set(map(view, x)) for x in side] for side in (clauses, annotated)]
        row(name, score(*sides))


def main(arguments: Optional[List[str]] = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline")
    args = parser.parse_args(arguments)
    nlp = spacy.load(args.pipeline)
    by_hand(nlp)


if __name__ == "__main__":
    main()
