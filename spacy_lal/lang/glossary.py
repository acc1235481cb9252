"""The meaning of labels, read on demand from `glossary.json`. Its sources: Bies et al. (1995) and Santorini (1990) for
the Penn Treebank; Universal Dependencies; later treebanks of English, GreynirCorpus, spaCy's English pipelines."""

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Dict, Optional


@cache
def tables() -> Dict[str, Dict[str, str]]:
    """Texts by label: `constituents`, `functions`, `deprels`, `subtypes`, `tags`, `upos`."""
    return json.loads(Path(__file__).with_name("glossary.json").read_text(encoding="utf8"))


def explain(label: str) -> Optional[str]:
    """Describe a label, as `spacy.explain` does: of a constituent (`SBAR`, with functions `NP-SBJ-1`, a unary chain
    `S::VP`), a deprel (`nsubj:pass`), a tag (`VBZ`), or a part of speech (`ADJ`).

    RETURNS (Optional[str]): The description; None, with a warning, for an unknown label.
    RAISES (TypeError): The label is no string.

    >>> explain("S::VP"), explain("nsubj:pass")
    ('unary chain: simple declarative clause > verb phrase', 'nominal subject (passive)')
    """
    if not isinstance(label, str):
        raise TypeError(f"expected a label as a string, such as 'NP' or 'nsubj:pass', got {type(label).__name__}")
    chain = [_constituent(part) for part in label.split("::")]
    found = next((tables()[name][label] for name in ("tags", "upos", "deprels") if label in tables()[name]), None)
    if all(chain):
        found = chain[0] if len(chain) == 1 else f"unary chain: {' > '.join(filter(None, chain))}"
    found = found or _deprel(label)
    if found is None:
        message = f"no explanation for {label!r}: expected a label of the Penn Treebank or of Universal Dependencies"
        warnings.warn(message, stacklevel=2)
    return found


def _constituent(label: str) -> Optional[str]:
    """A constituent's label with functions and indices, such as `NP-SBJ-1`, `NP=2` or `ADVP|PRT`."""
    constituents, functions = tables()["constituents"], tables()["functions"]
    if label in constituents or "|" in label:
        described = [constituents.get(one, "") for one in ([label] if label in constituents else label.split("|"))]
        return " or ".join(described) if all(described) else None
    first, *rest = label.replace("=", "-").split("-")
    if first not in constituents or not rest or not all(one in functions or one.isdecimal() for one in rest):
        return None
    known = ", ".join(functions[one] for one in rest if one in functions)
    return constituents[first] + (f" ({known})" if known else "")


def _deprel(label: str) -> Optional[str]:
    first, *subtypes = label.split(":")
    if first not in tables()["deprels"] or not subtypes or not all(subtypes):
        return None
    described = [tables()["subtypes"].get(one, f"subtype {one!r} of a treebank") for one in subtypes]
    return f"{tables()['deprels'][first]} ({', '.join(described)})"
