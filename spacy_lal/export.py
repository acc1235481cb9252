"""Export of a parsed Doc: plain objects (docs/reference/formats.md) and CoNLL-U,
without white space tokens."""

from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from spacy.tokens import Doc, Token

from .annotations import MISSING_TAG, SPANS_KEY, get_constituents, sentence_words
from .lang import conventions
from .trees import Parse as ConlluSentence, format_conllu, spans_to_tree, write_spans
from .trees.spans import expand_chains

if TYPE_CHECKING:
    from nltk.tree import Tree

SCHEMA_VERSION = 2  # of JSON lines and Arrow tables


class MissingParseError(ValueError):
    """The Doc lacks the annotation that the format shows."""


class Sentence(NamedTuple):
    """One parsed sentence of n words: its place in the Doc, from 0; its tokens;
    collapsed half-open spans over them, None if the Doc has no trees; heads as word
    numbers from 1, 0 is the root, None an unknown head, or None if the Doc has no
    heads.

    is_cut: whether it is only a part of the sentence.
    """

    number: int
    tokens: List[Token]
    constituents: Optional[List[Tuple[int, int, str]]]
    heads: Optional[List[Optional[int]]]
    is_cut: bool = False

    @property
    def text(self) -> str:
        """The text from the first word to the last."""
        first = self.tokens[0]
        last = self.tokens[-1]
        return first.doc.text[first.idx : last.idx + len(last)]

    @property
    def deprels(self) -> List[str]:
        """The deprel of each word; an empty string if missing."""
        return [token.dep_ for token in self.tokens]

    @property
    def tags(self) -> List[str]:
        """Fine tags, else coarse tags, else `X`: as in the trees."""
        return [token.tag_ or token.pos_ or MISSING_TAG for token in self.tokens]

    def tree(self) -> "Tree":
        """The constituency tree.

        RAISES (MissingParseError): The Doc has no constituents.
        """
        return spans_to_tree(*self._spans())

    def brackets(self) -> str:
        """The constituency tree as a line of brackets. Errors as in `tree`."""
        return write_spans(*self._spans())

    def _spans(self) -> Tuple[List[str], List[str], List[Tuple[int, int, str]]]:
        if self.constituents is None:
            raise MissingParseError(
                "the pipeline sets no constituents; the formats conllu and json show "
                "heads alone"
            )
        return [token.text for token in self.tokens], self.tags, self.constituents

    def cut(self, start: int, end: int) -> "Sentence":
        """The part within a half-open range of Doc tokens. Constituents that cross the
        range are dropped; words with heads outside become roots.

        RAISES (ValueError): The range has no words.
        """
        inside = [i for i, token in enumerate(self.tokens) if start <= token.i < end]
        if not inside:
            raise ValueError(
                f"expected a range with words of the sentence {self.text!r}, got "
                f"{start}:{end}"
            )
        first, last = inside[0], inside[-1] + 1
        if (first, last) == (0, len(self.tokens)):
            return self
        spans = self.constituents
        heads = self.heads
        if spans is not None:
            spans = [
                (s - first, e - first, label)
                for s, e, label in spans
                if first <= s and e <= last
            ]
        if heads is not None:
            heads = [_head_within(head, first, last) for head in heads[first:last]]
        return Sentence(self.number, self.tokens[first:last], spans, heads, is_cut=True)


def _head_within(head: Optional[int], first: int, last: int) -> Optional[int]:
    """A head's number in a part of the sentence: 0 if it lies outside."""
    if head is None:
        return None
    return head - first if first < head <= last else 0


def read_sentences(doc: Doc) -> Iterator[Sentence]:
    """The sentences with words of a parsed Doc.

    RAISES (ValueError): Sentence boundaries are missing.
    """
    words = sentence_words(doc)
    constituents: Sequence[Optional[List[Tuple[int, int, str]]]] = [None] * len(words)
    if SPANS_KEY in doc.spans:
        constituents = get_constituents(doc)
    has_heads = doc.has_annotation("DEP")
    for number, (indices, spans) in enumerate(zip(words, constituents, strict=True)):
        if indices:
            heads = _heads(doc, indices) if has_heads else None
            yield Sentence(number, [doc[i] for i in indices], spans, heads)


def _heads(doc: Doc, indices: List[int]) -> List[Optional[int]]:
    """Heads as word numbers. If another component attached a word to whitespace, the
    head's head takes its place."""
    numbers: Dict[int, int] = {i: number for number, i in enumerate(indices, start=1)}
    heads: List[Optional[int]] = []
    for i in indices:
        if not doc[i].has_head():  # spaCy shows such a token as its own head
            heads.append(None)
            continue
        head = doc[i].head
        while head.i not in numbers and head.head.i != head.i:
            head = head.head
        heads.append(0 if head.i == i else numbers.get(head.i, 0))
    return heads


def sentence_record(sentence: Sentence) -> Dict[str, Any]:
    """One sentence of n words as plain objects, as docs/reference/formats.md has them:
    indices count words from 0, a root is its own head, an unknown head is None,
    characters count in the text of the Doc."""
    tokens = sentence.tokens
    lists = annotation_lists(tokens[0].doc, tokens)
    deprels = lists.pop("deprels")
    heads: Optional[List[Optional[int]]] = None
    if sentence.heads is not None:
        heads = [
            i if head == 0 else head and head - 1
            for i, head in enumerate(sentence.heads)
        ]
    constituents = None
    if sentence.constituents is not None:
        spans = expand_chains(sentence.constituents)
        constituents = [constituent(tokens, *span) for span in spans]
    return {
        "text": sentence.text,
        "start_char": tokens[0].idx,
        "end_char": tokens[-1].idx + len(tokens[-1]),
        **lists,
        "heads": heads,
        "deprels": deprels,
        "constituents": constituents,
    }


def annotation_lists(
    doc: Doc, tokens: Sequence[Token]
) -> Dict[str, Optional[List[Any]]]:
    """The annotation of n tokens as lists of length n, by the schema of
    docs/reference/formats.md; None in place of a list where the whole Doc has no such
    annotation. Characters are half-open, in the text of the Doc."""

    def values(name: str, attribute: str) -> Optional[List[str]]:
        if len(doc) and not doc.has_annotation(name):
            return None
        return [str(getattr(token, attribute)) for token in tokens]

    return {
        "tokens": [token.text for token in tokens],
        "start_chars": [token.idx for token in tokens],
        "end_chars": [token.idx + len(token) for token in tokens],
        "tags": values("TAG", "tag_"),
        "pos": values("POS", "pos_"),
        "morphs": values("MORPH", "morph"),
        "lemmas": values("LEMMA", "lemma_"),
        "deprels": values("DEP", "dep_"),
    }


def constituent(
    tokens: Sequence[Token], start: int, end: int, label: str
) -> Dict[str, Any]:
    """A constituent as an object: half-open over tokens and, in the text of the Doc,
    over characters.

    tokens (Sequence[Token]): The tokens that `start` and `end` count.
    """
    last = tokens[end - 1]
    return {
        "start": start,
        "end": end,
        "start_char": tokens[start].idx,
        "end_char": last.idx + len(last),
        "label": label,
    }


def to_conllu(doc: Doc, doc_number: int = 0) -> str:
    """A Doc as CoNLL-U text; comments hold each sentence's text and tree, if any.
    Contractions that the language has (`lang/`) have ranges, as in UD: `1-2 don't`.
    Missing annotation is left open.

    doc_number (int): Its place in a collection, from 0, for sentence numbers ("1-1").
    RAISES (ValueError): Sentence boundaries are missing.
    """
    return "".join(
        sentence_to_conllu(sentence, str(doc_number + 1))
        for sentence in read_sentences(doc)
    )


def sentence_to_conllu(
    sentence: Sentence, text_name: str, comments: Optional[Mapping[str, str]] = None
) -> str:
    """One sentence as `to_conllu` writes it.

    text_name: the beginning of its `sent_id`.
    comments: more, by name.
    """
    metadata: Dict[str, Optional[str]] = {
        "sent_id": f"{text_name}-{sentence.number + 1}",
        **(comments or {}),
    }
    metadata["text"] = " ".join(sentence.text.split())
    if sentence.constituents is not None:
        metadata["tree"] = sentence.brackets()
    tokens = sentence.tokens
    doc = tokens[0].doc
    words = [token.text for token in tokens]
    spaces = [
        bool(one.whitespace_) or one.i + 1 >= len(doc) or doc[one.i + 1].is_space
        for one in tokens
    ]
    tags = [token.tag_ for token in tokens]
    find_ranges = conventions(doc.vocab.lang).contractions
    return format_conllu(
        ConlluSentence(
            words=words,
            lemmas=[token.lemma_ for token in tokens],
            pos=[token.pos_ for token in tokens],
            tags=tags,
            morphs=[str(token.morph) for token in tokens],
            heads=sentence.heads or [None] * len(tokens),
            deprels=[
                "root" if deprel == "ROOT" else deprel for deprel in sentence.deprels
            ],
            spaces=spaces,
            metadata=metadata,
            ranges=find_ranges(words, tags, spaces) if find_ranges else [],
        )
    )
