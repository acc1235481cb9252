"""The vocabularies of a parser, collected from its training data. *Not* here: ids."""

from collections import Counter
from typing import Any, Dict, Iterable, List, Optional, Tuple

from spacy.training import Example

from ..annotations import get_constituents, has_sentences
from ..loss.gold import copy_sentence_starts

MIN_CHAR_COUNT = 2  # rarer characters share the unknown character's vector, which is thereby trained
MAX_CODEPOINTS = (256, 512)  # of Kitaev & Klein's two alphabets of all codepoints
N_SPECIAL_CHARS = 5  # their first codepoints stand for special characters
VOCABULARIES = ("constituents", "deprels", "tags", "chars", "words", "word_counts")


def collect_labels(
    examples: Iterable[Example], *, alphabet: Optional[str] = None, words: bool = False
) -> Dict[str, List[Any]]:
    """The vocabularies of the references: constituents (unary chains), deprels, tags, chars, words; each by descending
    frequency.

    alphabet (Optional[str]): "codepoints": all characters up to 255 or 511, if the references have no others, else all
        of the references, sorted. Otherwise: characters that the references have at least twice.
    words (bool): Whether to collect words, and the number of each (`word_counts`).
    """
    constituents: Counter[str] = Counter()
    deprels: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    chars: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    for eg in examples:
        doc = eg.reference
        if not has_sentences(doc):
            eg = Example(doc.copy(), doc)
            copy_sentence_starts(eg)
            doc = eg.predicted
        constituents.update(label for spans in get_constituents(doc) for _, _, label in spans)
        for token in doc:
            if not token.is_space:
                deprels[token.dep_] += 1
                tags[token.tag_] += 1
                chars.update(token.text)
                forms[token.text] += 1
    counts = {"constituents": constituents, "deprels": deprels, "tags": tags}
    data: Dict[str, List[Any]] = {
        key: [value for value, _ in _by_frequency(counter) if value] for key, counter in counts.items()
    }
    if alphabet == "codepoints":
        data["chars"] = _codepoints(chars)
    else:
        data["chars"] = [char for char, n in _by_frequency(chars) if n >= MIN_CHAR_COUNT]
    counted = _by_frequency(forms) if words else []
    data["words"], data["word_counts"] = [word for word, _ in counted], [n for _, n in counted]
    return data


def _codepoints(chars: Iterable[str]) -> List[str]:
    """Kitaev & Klein's alphabet (reference-encoders.md A3), without the special characters."""
    highest = max(map(ord, chars), default=0)
    for end in MAX_CODEPOINTS:
        if highest < end:
            return [chr(i) for i in range(N_SPECIAL_CHARS, end)]
    return sorted(char for char in chars if ord(char) >= N_SPECIAL_CHARS)


def _by_frequency(counter: Counter) -> List[Tuple[str, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))
