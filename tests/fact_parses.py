"""Parses of the tests' sentences, which stay as they are when a pipeline is trained
again. `python tests/fact_parses.py PIPELINE SENTENCE ...` writes further ones."""

import json
import sys
from pathlib import Path
from typing import Any, Dict, Iterable

import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import get_propositions, set_propositions
from spacy_lal.trees.roles import make_proposition

FILE = Path(__file__).resolve().parent / "data" / "fact_parses.jsonl"
VOCAB = spacy.blank("en").vocab
COLUMNS = ("tags", "pos", "deps", "lemmas", "morphs")


def read_parses() -> Dict[str, Dict[str, Any]]:
    """Read the parses by their sentences."""
    lines = FILE.read_text(encoding="utf8").splitlines() if FILE.exists() else []
    return {parse["text"]: parse for parse in map(json.loads, lines)}


def as_record(doc: Doc) -> Dict[str, Any]:
    """Write a Doc as plain objects: columns of words, divided by spaces."""
    columns = [
        ("words", [x.text for x in doc]),
        ("tags", [x.tag_ for x in doc]),
        ("pos", [x.pos_ for x in doc]),
        ("deps", [x.dep_ for x in doc]),
        ("lemmas", [x.lemma_ or "_" for x in doc]),
        ("morphs", [str(x.morph) or "_" for x in doc]),
        ("heads", [str(x.head.i) for x in doc]),
        ("spaces", [str(int(bool(x.whitespace_))) for x in doc]),
    ]
    roles = [
        [one.token, one.roleset, [list(x) for x in one.args]]
        for one in get_propositions(doc)
    ]
    record = {name: " ".join(values) for name, values in columns}
    return {"text": doc.text, **record, "roles": roles}


def make_doc(record: Dict[str, Any]) -> Doc:
    """Make a Doc of a record."""
    columns = {name: record[name].split(" ") for name in COLUMNS}
    columns["morphs"] = [x.replace("_", "") for x in columns["morphs"]]
    doc = Doc(
        VOCAB,
        words=record["words"].split(" "),
        spaces=[x == "1" for x in record["spaces"].split(" ")],
        heads=[int(x) for x in record["heads"].split(" ")],
        **columns,
    )
    roles = [
        make_proposition(token, roleset, [tuple(x) for x in args])
        for token, roleset, args in record["roles"]
    ]
    set_propositions(doc, roles)
    return doc


def write_parses(docs: Iterable[Doc]) -> None:
    """Write the parses of Docs beside the others, by sentence."""
    records = {**read_parses(), **{doc.text: as_record(doc) for doc in docs}}
    lines = [json.dumps(records[text], ensure_ascii=False) for text in sorted(records)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf8")


if __name__ == "__main__":
    write_parses(spacy.load(sys.argv[1]).pipe(sys.argv[2:]))
