"""Lemmas from a table of forms, for a language whose lemmas need no rules of spelling:
`lemmas=LemmaTable(Path(__file__).with_name("lemmas.tsv.gz"))` in its record."""

import gzip
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Dict, List, Tuple

Lemmas = Dict[Tuple[str, str], List[str]]


@dataclass(frozen=True)
class LemmaTable:
    """The lemmas of a language's forms.

    path (Path): A gzipped file of UTF-8 with a line for each form: the form in lower
        case, its UPOS, and its lemmas, the likeliest first, divided by tabs. A file
        `lemmas.license.txt` beside it says where they come from."""

    path: Path

    def __call__(self, word: str, tag: str, pos: str, answer: str) -> str:
        """See `conventions.LemmaRule`. The answer of another component stays if the
        table has it, or lacks the form."""
        lemmas = read_lemmas(self.path).get((word.lower(), pos))
        if lemmas is None or answer in lemmas:
            return answer
        return lemmas[0]


@cache
def read_lemmas(path: Path) -> Lemmas:
    """Lemmas by form and UPOS.

    path (Path): See `LemmaTable`.
    RETURNS (Lemmas): At least one lemma for each form.
    RAISES (ValueError): A line has fewer than three columns."""
    found: Lemmas = {}
    with gzip.open(path, "rt", encoding="utf8") as lines:
        for number, line in enumerate(lines, start=1):
            form, *rest = line.rstrip("\n").split("\t")
            if len(rest) < 2:
                raise ValueError(
                    f"{path}, line {number}: expected a form, its UPOS and its lemmas, "
                    f"divided by tabs, got {line!r}"
                )
            pos, *lemmas = rest
            found[form, pos] = lemmas
    return found
