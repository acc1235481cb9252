"""Conventions of each language and its treebanks, and the meaning of labels.

To add a language, write its folder, add its `CONVENTIONS` to `LANGUAGES`, and its
labels to `glossary.json`. A language that is not in `LANGUAGES` has the labels and tags
of English, tokens by the marks of all languages, no rules for sentence starts and none
for lemmas. Sources of the glossary: Bies et al. (1995) and Santorini
(1990) for the Penn Treebank; Universal Dependencies; later treebanks of English,
GreynirCorpus, spaCy's English pipelines; in our words, the annotation guidelines of
PropBank 3.1."""

import json
import re
import warnings
from dataclasses import replace
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import Optional

from . import en, fr, is_, marks
from . import id as id_
from .clause_words import ClauseWords
from .conventions import Conventions, TokenRules

LANGUAGES: dict[str, Conventions] = {
    "en": en.CONVENTIONS,
    "is": is_.CONVENTIONS,
    "fr": fr.CONVENTIONS,
    "id": id_.CONVENTIONS,
}
DEFAULT_LANGUAGE = "en"  # of commands, papers' metrics, and labels of other languages
_UNKNOWN = replace(
    LANGUAGES[DEFAULT_LANGUAGE],
    tokens=None,
    layout=None,
    lemmas=None,
    noun_chunks=None,
    contractions=None,
)
DEFAULT_PACKAGES: dict[str, str] = {
    code: language.default_package
    for code, language in LANGUAGES.items()
    if language.default_package
}
DEFAULT_PIPELINE = DEFAULT_PACKAGES[DEFAULT_LANGUAGE]  # of the commands and the app
# Files of brackets do not say their language, so a reader takes the root labels of all.
ROOT_LABELS: frozenset[str] = frozenset().union(
    *(language.root_labels for language in LANGUAGES.values())
)


@cache
def conventions(lang: str) -> Conventions:
    """The conventions of a language, by its code, such as `nlp.lang`. A language that
    is not known has the labels of English treebanks, and no rules for its tokens."""
    return LANGUAGES.get(lang, _UNKNOWN)


@cache
def token_rules(lang: str) -> TokenRules:
    """The rules of a language for tokens of the web; marks alone for a language that
    has none."""
    return conventions(lang).tokens or marks.TOKENS


def clause_words(lang: str) -> ClauseWords:
    """The words and tags by which the clauses of a language are read.

    RAISES (ValueError): The language has none.
    """
    found = conventions(lang).clauses
    if found is None:
        known = ", ".join(code for code, one in LANGUAGES.items() if one.clauses)
        raise ValueError(
            f"clauses, relations and triples are read in {known}, not in {lang!r}: "
            "fill a `ClauseWords` in the folder of the language in spacy_lal/lang"
        )
    return found


@cache
def glossary() -> dict[str, dict[str, str]]:
    """Texts by label: `constituents`, `functions`, `deprels`, `subtypes`, `tags`,
    `upos`, `roles` and `modifiers` (of PropBank)."""
    return json.loads(
        Path(__file__).with_name("glossary.json").read_text(encoding="utf8")
    )


def explain(label: str) -> Optional[str]:
    """Describe a label, as `spacy.explain` does: of a constituent (`SBAR`, with
    functions `NP-SBJ-1`, a unary chain `S::VP`), a deprel (`nsubj:pass`), a tag
    (`VBZ`), or a part of speech (`ADJ`).

    RETURNS (Optional[str]): The description; None, with a warning, for an unknown
        label.

    >>> explain("S::VP")
    'unary chain: simple declarative clause > verb phrase'
    >>> explain("nsubj:pass")
    'nominal subject (passive)'
    """
    texts = glossary()
    parts = [_constituent(part) for part in label.split("::")]
    described = None
    if all(parts):
        joined = " > ".join(map(str, parts))
        described = f"unary chain: {joined}" if len(parts) > 1 else joined
    for name in ("tags", "upos", "deprels", "roles"):
        described = described or texts[name].get(label)
    described = described or _composed(label, "deprels", "subtypes", ":")
    modifier = texts["modifiers"].get(label.removeprefix("ARGM-"))
    if modifier and label.startswith("ARGM-"):
        described = f"modifier: {modifier}"
    if described is None:
        message = (
            f"no explanation for {label!r}: expected a label of the Penn Treebank, of "
            "Universal Dependencies or of PropBank"
        )
        warnings.warn(message, stacklevel=2)
    return described


@cache
def known_labels() -> dict[str, str]:
    """Descriptions by label, of constituents, deprels, tags and roles."""
    texts = glossary()
    tables = [
        texts[name] for name in ("constituents", "deprels", "tags", "upos", "roles")
    ]
    labels = [*chain.from_iterable(tables), *map("ARGM-{}".format, texts["modifiers"])]
    labels += map(":".join, product(texts["deprels"], texts["subtypes"]))
    return {label: explain(label) or "" for label in labels}


def _constituent(label: str) -> Optional[str]:
    """A constituent's label with functions and indices, such as `NP-SBJ-1`, `NP=2` or
    `ADVP|PRT`."""
    constituents = glossary()["constituents"]
    if "|" in label:
        described = [constituents.get(part, "") for part in label.split("|")]
        return " or ".join(described) if all(described) else None
    composed = _composed(label, "constituents", "functions", "[-=]")
    return constituents.get(label) or composed


def _composed(label: str, name: str, others: str, mark: str) -> Optional[str]:
    """A label of a table of the glossary, with further parts, such as `nsubj:pass`."""
    first, *parts = re.split(mark, label)
    text = glossary()[name].get(first)
    known = glossary()[others]
    described = []
    for part in parts:
        unknown = f"subtype {part!r} of a treebank" if part and mark == ":" else ""
        if not part.isdecimal():
            described.append(known.get(part, unknown))
    if not text or not all(described):
        return None
    return f"{text} ({', '.join(described)})" if described else text
