"""Lemmas from a table of a language's forms:
`lemmas=LemmaTable(Path(__file__).with_name("lemmas.tsv.gz"))` in its record."""

import gzip
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

# From a form and its UPOS or tag, divided by a tab, to its lemmas, divided by spaces;
# empty for other forms.
Lookup = Callable[[str], str]
# The fewest letters of a compound's last part without a hyphen, and of the parts
# before it.
MIN_LAST = 5
MIN_FIRST = 2


@dataclass(frozen=True)
class LemmaTable:
    """The lemmas of a language's forms.

    path (Path): A gzipped file of UTF-8 with a line for each form: the form in lower
        case, its UPOS or fine tag, which comes first, and its lemmas, divided by tabs;
        the lemmas, the likeliest first, divided by spaces. Lines are in the order of
        their bytes. A file `lemmas.license.txt` beside it says where they come from.
    compounds (FrozenSet[str]): UPOS of words whose last part alone is inflected: a
        compound that the table lacks has the lemma of its last part.
    mistaken (Mapping[str, Sequence[str]]): UPOS, each with those that it may stand for:
        a form that the table has with one of them alone has that lemma.
    lower_case (FrozenSet[str]): UPOS of words whose lemmas have no capitals but in the
        table.
    name_tags (FrozenSet[str]): Fine tags of words whose lemma is the answer."""

    path: Path
    compounds: frozenset[str] = frozenset()
    mistaken: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lower_case: frozenset[str] = frozenset()
    name_tags: frozenset[str] = frozenset()

    def __call__(self, word: str, tag: str, pos: str, answer: str) -> str:
        """See `conventions.LemmaRule`. The answer of another component stays if the
        table has it, or lacks the form. A word in lower case has no name's lemma, and a
        name keeps its capital."""
        if tag in self.name_tags:
            return answer
        form = word.lower().replace("’", "'")
        lines = read_lines(self.path)
        lookup = partial(_find, lines)
        lemmas: list[str] = []
        for name in (pos, tag):  # the fine tag, if the table has it, comes last
            start = f"{form}\t{name}\t".encode()
            line = lines[bisect_left(lines, start)]
            if line.startswith(start):
                lemmas = line.removeprefix(start).decode().split()
        if pos in self.lower_case:
            answer = answer.lower()
        elif word.islower():
            lemmas = list(filter(str.islower, lemmas))
        if not lemmas and pos in self.compounds:
            lemmas = lemmas_of_compound(lookup, word, pos)
        if not lemmas and pos in self.mistaken:
            others = [lookup(f"{form}\t{tag}") for tag in self.mistaken[pos]]
            known = list(filter(None, others))
            lemmas = known[0].split() if len(known) == 1 else []
        is_title = pos == "NOUN" and answer == word and word.istitle()
        is_known = answer in lemmas or (is_title and form in lemmas)
        lemma = lemmas[0] if lemmas and not is_known else answer or form
        is_name = pos == "PROPN" and not word.islower() and lemma.islower()
        return lemma.capitalize() if is_name else lemma


@cache
def read_lines(path: Path) -> list[bytes]:
    """Read the lines of a file of forms; see `LemmaTable`. The last one is beyond all
    forms. They are searched as they are: a dictionary would take longer to make than
    all that a first text asks for."""
    text = gzip.decompress(path.read_bytes())
    return [*text.splitlines(), b"\xff"]


def _find(lines: Sequence[bytes], form: str) -> str:
    """The last column of the line that begins with a form and its tag."""
    start = f"{form}\t".encode()
    line = lines[bisect_left(lines, start)]
    return line.removeprefix(start).decode() if line.startswith(start) else ""


def lemmas_of_compound(lookup: Lookup, word: str, pos: str) -> list[str]:
    """The lemmas of a compound, from those of its longest last part in a table.

    RETURNS (List[str]): Empty if the table has no end of the word, or the end is a
        name.

    >>> table = {"fjölskyldur\\tNOUN": "fjölskylda"}
    >>> lookup = lambda form: table.get(form, "")
    >>> lemmas_of_compound(lookup, "barnafjölskyldur", "NOUN")
    ['barnafjölskylda']
    """
    if not word.replace("-", "").isalpha():
        return []
    starts = range(MIN_FIRST, len(word) - MIN_LAST + 1)
    after_hyphen = word.rfind("-") + 1
    for start in (*starts, after_hyphen):
        lemmas = lookup(f"{word[start:].lower()}\t{pos}")
        if lemmas[:1].islower():
            first = word[:start] if "-" in word[:start] else word[:start].lower()
            return [first + lemma for lemma in lemmas.split()]
    return []
