"""The vocabularies of a parser, collected from its training data. *Not* here: ids."""

from collections import Counter
from typing import Dict, Iterable, List, Tuple

from spacy.training import Example

from ..annotations import get_constituents, has_sentences
from ..loss.gold import copy_sentence_starts

MIN_CHAR_COUNT = 2  # rarer characters share the unknown character's vector, which is thereby trained
VOCABULARIES = ("constituents", "deprels", "tags", "chars")


def collect_labels(examples: Iterable[Example]) -> Dict[str, List[str]]:
    """The vocabularies of the references: constituents (unary chains), deprels, tags, chars; each by descending
    frequency."""
    constituents: Counter[str] = Counter()
    deprels: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    chars: Counter[str] = Counter()
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
    counts = {"constituents": constituents, "deprels": deprels, "tags": tags}
    data = {key: [value for value, _ in _by_frequency(counter) if value] for key, counter in counts.items()}
    data["chars"] = [char for char, n in _by_frequency(chars) if n >= MIN_CHAR_COUNT]
    return data


def _by_frequency(counter: Counter) -> List[Tuple[str, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))
