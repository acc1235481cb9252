"""EVALB's parameters: which labels count, which are equal, how many errors stop the
run. `COLLINS.prm` (our default), `nk.prm` (Kitaev & Klein's) and the sets of
`spacy_lal.lang` are constants; other files are read."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Optional

from spacy_lal.files import refuse_binary
from spacy_lal.lang import DEFAULT_LANGUAGE, LANGUAGES, conventions

Pair = tuple[str, str]

# Names of a parameter file: numbers, lists of one label, lists of two. Our fields are
# the same in lower case.
_NUMBERS = ("MAX_ERROR", "CUTOFF_LEN", "LABELED")
_LABELS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH", "QUOTE_LABEL")
_PAIRS = ("EQ_LABEL", "EQ_WORD")

_SPACE = " \t\n\v\f\r"
_LEADING_INT = re.compile(rf"[{_SPACE}]*([+-]?[0-9]+)")


@dataclass(frozen=True)
class EvalbParams:
    """The content of EVALB's `.prm` files. The defaults are the program's own without a
    file: nothing is deleted.

    max_error (int): As in the program, the run stops at the second error beyond this
        number.
    cutoff_len (int): The second summary block is over sentences of at most this many
        words.
    labeled (bool): Compare the labels of brackets as well as their ends.
    delete_label (tuple): A preterminal with one of these labels is deleted with its
        word, a bracket is ignored.
    quote_label (tuple): Preterminals of a quote character (', " or /) whose deletion on
        one side only is repaired.
    eq_label (tuple): Pairs of labels that count as equal, in both directions, not
        transitively. Tags too.
    """

    max_error: int = 10
    cutoff_len: int = 40
    labeled: bool = True
    delete_label: tuple[str, ...] = ()
    delete_label_for_length: tuple[str, ...] = ()
    quote_label: tuple[str, ...] = ()
    eq_label: tuple[Pair, ...] = ()
    eq_word: tuple[Pair, ...] = ()

    @classmethod
    def from_file(cls, path: str | Path) -> "EvalbParams":
        """Read a `.prm` file as the program does: `#` comments, one `NAME value` per
        line, names repeated for lists. Unknown names and incomplete pairs are skipped
        with a `UserWarning`.

        RAISES (OSError): The file cannot be read.
        RAISES (ValueError): A name has no value.
        """
        fields: dict[str, Any] = {}
        content = Path(path).read_bytes()
        refuse_binary(content, str(path))
        lines = content.decode("utf-8", "surrogateescape").split("\n")
        for number, line in enumerate(lines, start=1):
            line = line.rstrip(_SPACE)
            if len(line) < 3 or line.startswith("#"):
                continue
            name, *values = re.split(rf"[{_SPACE}]+", line, maxsplit=1)
            if not values:
                raise ValueError(f"{path}, line {number}: {name!r} has no value")
            problem = _set_field(fields, name, *values)
            if problem:
                warnings.warn(f"{path}, line {number}: {problem}", stacklevel=2)
        return cls(**fields)

    @property
    def signature(self) -> str:
        """The parameters that change a score, in one line. The sets of `NAMED` are
        given by their names."""
        for name, named in NAMED.items():
            if self == replace(named, max_error=self.max_error):
                return f"params:{name}"
        values = asdict(self)
        del values["max_error"]
        shown = [f"{name}:{value}" for name, value in values.items() if value != ()]
        return "|".join(["params:own", *shown])

    def bracket_label(self, label: str) -> Optional[str]:
        """The label used for comparison of a bracket: cut at the first `-` or `=`; None
        if the bracket does not count. Like the program, compares deleted labels through
        `eq_label`."""
        # A treebank has few labels and many brackets.
        if label not in self._bracket_labels:
            # Without function tags and indices.
            cut = re.split("[-=]", label, maxsplit=1)[0]
            deleted = any(self.same_label(cut, other) for other in self.delete_label)
            self._bracket_labels[label] = None if deleted else cut
        return self._bracket_labels[label]

    @cached_property
    def _bracket_labels(self) -> dict[str, Optional[str]]:
        return {}

    def same_label(self, label: str, other: str) -> bool:
        """Whether two labels (or tags) count as equal."""
        return label == other or _is_pair(label, other, self.eq_label)

    def same_word(self, word: str, other: str) -> bool:
        """Whether two words count as equal."""
        return word == other or _is_pair(word, other, self.eq_word)


def _is_pair(text: str, other: str, pairs: Sequence[Pair]) -> bool:
    return (text, other) in pairs or (other, text) in pairs


def _set_field(fields: dict[str, Any], name: str, value: str) -> Optional[str]:
    """Enter one line of a parameter file. Returns the problem with it, if any."""
    field = name.lower()
    if name in _NUMBERS:
        match = _LEADING_INT.match(value)
        number = int(match.group(1)) if match else 0  # C's atoi
        fields[field] = bool(number) if name == "LABELED" else number
    elif name in _LABELS:
        fields[field] = (*fields.get(field, ()), value)
    elif name in _PAIRS:
        pair = tuple(word for word in re.split(rf"[{_SPACE}]+", value) if word)
        if len(pair) != 2:
            return f"{name} requires two values, not {value!r}"
        fields[field] = (*fields.get(field, ()), pair)
    elif name != "DEBUG":  # listings for debugging are not printed
        return f"Unknown keyword ({name}) in parameter file"
    return None


def _of_language(lang: str) -> EvalbParams:
    language = conventions(lang)
    return EvalbParams(
        max_error=10,
        cutoff_len=40,
        delete_label=language.evalb_deleted,
        delete_label_for_length=("-NONE-",),
        eq_label=language.evalb_equal,
    )


COLLINS = _of_language(DEFAULT_LANGUAGE)
NK = EvalbParams(
    max_error=10000,
    cutoff_len=40,
    delete_label=("TOP", "S1", "-NONE-", ",", ":", "``", "''", ".", "?", "!"),
    delete_label_for_length=("-NONE-",),
    quote_label=("``", "''", "POS", "NN", "CD", "VBZ", ":"),
    eq_label=(("ADVP", "PRT"),),
)
# The set of a language other than English is named by the language's code.
NAMED = {
    "COLLINS": COLLINS,
    "nk": NK,
    **{code: _of_language(code) for code in LANGUAGES if code != DEFAULT_LANGUAGE},
}


def language_params(lang: str) -> EvalbParams:
    """The parameters of a language, by its code; COLLINS for English and for a language
    without a set of its own."""
    return NAMED.get(lang, COLLINS)
