"""Conventions of each language and its treebanks, and the meaning of labels.

To add a language, write its folder, add its `CONVENTIONS` to `LANGUAGES`, and its
labels to `glossary.json`. A language that is not in `LANGUAGES` has the labels and tags
of English, tokens by the marks of all languages, no rules for sentence starts and none
for lemmas. Sources of the glossary: Bies et al. (1995) and Santorini
(1990) for the Penn Treebank; Universal Dependencies; later treebanks of English,
GreynirCorpus, spaCy's English pipelines; in our words, the annotation guidelines of
PropBank 3.1."""

import json
import warnings
from dataclasses import replace
from functools import cache
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
    RAISES (TypeError): The label is no string.

    >>> explain("S::VP")
    'unary chain: simple declarative clause > verb phrase'
    >>> explain("nsubj:pass")
    'nominal subject (passive)'
    """
    if not isinstance(label, str):
        raise TypeError(
            "expected a label as a string, such as 'NP' or 'nsubj:pass', got "
            f"{type(label).__name__}"
        )
    chain = [_constituent(part) for part in label.split("::")]
    found = next(
        (
            glossary()[name][label]
            for name in ("tags", "upos", "deprels", "roles")
            if label in glossary()[name]
        ),
        None,
    )
    if all(chain):
        found = (
            chain[0]
            if len(chain) == 1
            else f"unary chain: {' > '.join(filter(None, chain))}"
        )
    found = found or _deprel(label) or _modifier(label)
    if found is None:
        message = (
            f"no explanation for {label!r}: expected a label of the Penn Treebank, of "
            "Universal Dependencies or of PropBank"
        )
        warnings.warn(message, stacklevel=2)
    return found


@cache
def known_labels() -> dict[str, str]:
    """Descriptions by label, of constituents, deprels, tags and roles."""
    texts = glossary()
    found: dict[str, str] = {}
    for name in ("constituents", "deprels", "tags", "upos", "roles"):
        found.update(texts[name])
    labels = [f"ARGM-{modifier}" for modifier in texts["modifiers"]]
    labels += [f"{one}:{two}" for one in texts["deprels"] for two in texts["subtypes"]]
    found.update({label: explain(label) or "" for label in labels})
    return found


def _modifier(label: str) -> Optional[str]:
    """A modifier of PropBank, such as `ARGM-TMP`."""
    kind, _, modifier = label.partition("-")
    described = glossary()["modifiers"].get(modifier)
    return f"modifier: {described}" if kind == "ARGM" and described else None


def _constituent(label: str) -> Optional[str]:
    """A constituent's label with functions and indices, such as `NP-SBJ-1`, `NP=2` or
    `ADVP|PRT`."""
    constituents, functions = glossary()["constituents"], glossary()["functions"]
    if label in constituents or "|" in label:
        described = [
            constituents.get(one, "")
            for one in ([label] if label in constituents else label.split("|"))
        ]
        return " or ".join(described) if all(described) else None
    first, *rest = label.replace("=", "-").split("-")
    if (
        first not in constituents
        or not rest
        or not all(one in functions or one.isdecimal() for one in rest)
    ):
        return None
    known = ", ".join(functions[one] for one in rest if one in functions)
    return constituents[first] + (f" ({known})" if known else "")


def _deprel(label: str) -> Optional[str]:
    first, *subtypes = label.split(":")
    if first not in glossary()["deprels"] or not subtypes or not all(subtypes):
        return None
    described = [
        glossary()["subtypes"].get(one, f"subtype {one!r} of a treebank")
        for one in subtypes
    ]
    return f"{glossary()['deprels'][first]} ({', '.join(described)})"
