"""Conventions of each language and its treebanks, and the glossary of labels. English alone has more: `en.py`.

To add a language, add it to `LANGUAGES`.
"""

from typing import Container, Dict, FrozenSet, NamedTuple, Optional, Tuple


class Conventions(NamedTuple):
    """The conventions of a language.

    default_package (Optional[str]): Its weights are loaded by a `lal_parser` that was neither trained nor loaded.
    root_labels (FrozenSet[str]): Labels of the node that only marks a tree.
    punctuation_tags (Container[str]): Fine tags of punctuation.
    evalb_deleted (Tuple[str, ...]): EVALB: tags of words, and labels, that are deleted.
    evalb_equal (Tuple[Tuple[str, str], ...]): EVALB: labels that are treated as equal.
    """

    default_package: Optional[str]
    root_labels: FrozenSet[str]
    punctuation_tags: Container[str]
    evalb_deleted: Tuple[str, ...]
    evalb_equal: Tuple[Tuple[str, str], ...] = ()


LANGUAGES: Dict[str, Conventions] = {
    # The Penn Treebank: "" is its outer bracket, and the last two are of COLLINS.prm. Zhou & Zhao (2019) and Mrini et
    # al. (2020) take a tag for punctuation if it lies within this string.
    "en": Conventions(
        "en_lal_md",
        frozenset({"TOP", "ROOT", "S1", "VROOT", ""}),
        ".``'':,",
        ("TOP", "-NONE-", ",", ":", "``", "''", "."),
        (("ADVP", "PRT"),),
    ),
    # GreynirCorpus (https://github.com/mideind/GreynirCorpus) and projects/icelandic: S0, which stands over each
    # sentence, is a label of the treebank, and all punctuation has one tag.
    "is": Conventions("is_lal_sm", frozenset({"ROOT", ""}), frozenset({"grm"}), ("TOP", "ROOT", "-NONE-", "grm")),
}
DEFAULT_PACKAGES: Dict[str, str] = {
    code: language.default_package for code, language in LANGUAGES.items() if language.default_package
}
DEFAULT_PIPELINE = DEFAULT_PACKAGES["en"]  # of the commands and the app
# Files of brackets do not say their language, so a reader takes the root labels of all.
ROOT_LABELS: FrozenSet[str] = frozenset().union(*(language.root_labels for language in LANGUAGES.values()))


def conventions(lang: str) -> Conventions:
    """The conventions of a language, by its code, such as `nlp.lang`; English for a language that is not known."""
    return LANGUAGES.get(lang, LANGUAGES["en"])
