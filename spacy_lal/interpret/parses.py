"""The parse of a Doc, after a check that it is the parser's: it is parsed again and compared."""

from typing import Any, List, Sequence, Tuple

from ..annotations import SPANS_KEY, get_constituents
from ..pipeline.decoders import DecodedParse
from ..trees import SUB_HEAD
from .sentences import Sentence, label_vocab


def checked_constituents(sentences: Sequence[Sentence]) -> List[List[Tuple[int, int, int]]]:
    """The constituents of sentences of one Doc, in pre-order: start, end, label id, in words.

    RAISES (ValueError): The Doc has no constituents, or they differ from the parser's.
    """
    if sentences and SPANS_KEY not in sentences[0].doc.spans:
        raise ValueError(f"the Doc has no parse (no doc.spans[{SPANS_KEY!r}]): {sentences[0].doc.text[:40]!r}")
    checked = []
    for sentence, parse in zip(sentences, _parse_again(sentences), strict=True):
        strings = label_vocab(sentence.parser).strings
        on_doc = get_constituents(sentence.doc)[sentence.number]
        unknown = sorted({label for *_, label in on_doc} - set(strings[SUB_HEAD + 1 :]))
        if unknown:
            raise ValueError(
                f"the Doc was parsed by another model than '{sentence.parser.name}', which knows no label "
                f"{', '.join(unknown)}: {sentence.name}"
            )
        found = [(start, end, label) for start, end, label in parse.spans.tolist()]
        _check_same(sentence, "constituents", on_doc, [(start, end, strings[label]) for start, end, label in found])
        checked.append(found)
    return checked


def checked_arcs(sentences: Sequence[Sentence]) -> List[List[Tuple[int, int]]]:
    """The arcs of sentences of one Doc: every word and its head, counted from 1; 0 is the root.

    RAISES (ValueError): The Doc has no heads, or they differ from the parser's.
    """
    if sentences and not sentences[0].doc.has_annotation("DEP"):
        raise ValueError(f"the Doc has no parse (no heads and deprels): {sentences[0].doc.text[:40]!r}")
    checked = []
    for sentence, parse in zip(sentences, _parse_again(sentences), strict=True):
        places = {word: i for i, word in enumerate(sentence.words, start=1)}
        tokens = [sentence.doc[i] for i in sentence.words]
        on_doc = [0 if token.head.i == token.i else places.get(token.head.i, -1) for token in tokens]
        found = list(enumerate(parse.heads.tolist(), start=1))
        _check_same(sentence, "arcs (word, head)", list(enumerate(on_doc, start=1)), found)
        checked.append(found)
    return checked


def _parse_again(sentences: Sequence[Sentence]) -> List[DecodedParse]:
    """Parse sentences of one Doc, in the same way and precision as the component."""
    if not sentences:
        return []
    (parses,) = sentences[0].parser.predict([sentences[0].doc])
    return [parses[sentence.number] for sentence in sentences]


def _check_same(sentence: Sentence, what: str, on_doc: Sequence[Any], found: Sequence[Any]) -> None:
    if set(on_doc) != set(found):
        raise ValueError(
            f"the Doc was parsed by another model than '{sentence.parser.name}', or changed since: in {sentence.name} "
            f"only the Doc has the {what} {sorted(set(on_doc) - set(found))}, only the parser now finds "
            f"{sorted(set(found) - set(on_doc))}"
        )
