"""`doc.noun_chunks` of a parsed English Doc: base noun phrases, from its constituents.

A base noun phrase ends with its head noun, as in spaCy ("the old dog" of "the old dog
in the garden"); a possessor and a number after the noun ("page 5") are part of it;
coordinated nouns are phrases of their own. Chunks never overlap. A parser puts
`noun_chunks` in place of spaCy's rules, which a Doc without constituents, or of another
language, keeps."""

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from spacy.lang.en.syntax_iterators import noun_chunks as spacy_noun_chunks
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..lang.en.treebank import MARK_TAGS, NOUN_CHUNKS
from .parses import SPANS_KEY, constituent_tokens
from .sentences import sentence_of

LABEL = "NP"
Chunk = Tuple[int, int]  # half-open range of tokens


def install_noun_chunks(vocab: Vocab, docs: Sequence[Doc] = ()) -> None:
    """Let the Docs of an English vocabulary find noun chunks in our parses. A function
    of the user's is kept.
    vocab (Vocab): Of Docs that will be made.
    docs (Sequence[Doc]): Docs that have been made already, whatever their
        vocabulary."""
    one: Any  # spaCy's types lack these attributes, or have others than spaCy sets
    for one in (vocab, *(doc.vocab for doc in docs)):
        if one.get_noun_chunks is spacy_noun_chunks:
            one.get_noun_chunks = noun_chunks
    for one in docs:
        if one.noun_chunks_iterator is spacy_noun_chunks:
            one.noun_chunks_iterator = noun_chunks


def noun_chunks(doclike: Union[Doc, Span]) -> Iterator[Tuple[int, int, int]]:
    """The noun chunks of a Doc or Span, as spaCy's syntax iterators give them.
    RETURNS
    (Iterator[Tuple[int, int, int]]): First token, end and label of each.
    RAISES
    (ValueError): The Doc has neither constituents nor dependencies."""
    doc = doclike.doc
    if not doc.spans.get(SPANS_KEY):
        yield from spacy_noun_chunks(doclike)
        return
    first, last = (
        (doclike.start, doclike.end) if isinstance(doclike, Span) else (0, len(doc))
    )
    around = sentence_of(doc[first:last]).start if first < last else 0
    label = doc.vocab.strings.add(LABEL)
    for start, end in constituent_chunks(doc, around, last):
        if first <= start and end <= last:
            yield start, end, label


class _Node(NamedTuple):
    """A constituent, and the constituents directly below it."""

    start: int
    end: int
    label: str
    children: "List[_Node]"


def constituent_chunks(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> Iterator[Chunk]:
    """The base noun phrases of a Doc's constituents, in order; with a range of tokens,
    at least those that begin in it. Where the Doc has heads, these tell which nouns of
    a phrase without inner brackets are coordinated."""
    has_heads = doc.has_annotation("DEP")
    reached = 0
    for node in _nodes(constituent_tokens(doc, start, end)):
        if node.label in NOUN_CHUNKS.phrases and node.start >= reached:
            last = _end_of_noun(doc, node)
            if last is not None:
                reached = last
                yield from (
                    _conjuncts(doc, node.start, last)
                    if has_heads
                    else _stripped(doc, node.start, last)
                )


def _nodes(constituents: List[Tuple[int, int, str]]) -> List[_Node]:
    nodes: List[_Node] = []
    above: List[_Node] = []
    for start, end, label in constituents:
        node = _Node(start, end, label, [])
        while above and above[-1].end <= start:
            above.pop()
        if above and end <= above[-1].end:
            above[-1].children.append(node)
        above.append(node)
        nodes.append(node)
    return nodes


def _end_of_noun(doc: Doc, node: _Node) -> Optional[int]:
    """Where the head noun of a noun phrase ends; None where the phrase is not a base
    noun phrase."""
    end: Optional[int] = None
    i, children = node.start, iter(node.children)
    child = next(children, None)
    while i < node.end:
        if child is None or i < child.start:
            if _is_noun(doc[i]) or (
                end == i and (doc[i].pos_ or doc[i].tag_) in ("NUM", "CD")
            ):
                end = i + 1
            i += 1
            continue
        if child.label in NOUN_CHUNKS.phrases:
            mark = doc[child.end - 1]
            if end is not None or not (
                mark.tag_ == "POS"
                if mark.tag_
                else mark.text in NOUN_CHUNKS.possessive_marks
            ):
                break
        elif child.label not in NOUN_CHUNKS.prenominal:
            break
        elif child.label in NOUN_CHUNKS.nominal and _is_noun(doc[child.end - 1]):
            end = child.end
        i, child = child.end, next(children, None)
    words = [token for token in doc[node.start : node.end] if not token.is_space]
    if (
        end is None
        and len(words) == 1
        and words[0].tag_ in NOUN_CHUNKS.pronoun_tags
        and not words[0].pos_
    ):
        return node.end
    return end


def _is_noun(token: Token) -> bool:
    """Whether a word can head a noun phrase, by its UPOS, else by its fine tag."""
    if token.is_space or token.tag_ in NOUN_CHUNKS.not_heads:
        return False
    if token.pos_:
        return token.pos_ in NOUN_CHUNKS.noun_pos and not token.morph.get("Poss", [])
    return token.tag_ in NOUN_CHUNKS.noun_tags if token.tag_ else not token.is_punct


def _is_mark(token: Token) -> bool:
    """Whether a word is punctuation, by its UPOS, else by its fine tag, else by its
    text."""
    if token.pos_ or token.tag_:
        return token.pos_ == "PUNCT" if token.pos_ else token.tag_ in MARK_TAGS
    return token.is_punct


def _stripped(doc: Doc, start: int, end: int) -> Iterator[Chunk]:
    """A chunk without marks and white space at its beginning."""
    while start < end and (doc[start].is_space or _is_mark(doc[start])):
        start += 1
    if start < end:
        yield start, end


def _conjuncts(doc: Doc, start: int, end: int) -> Iterator[Chunk]:
    """A chunk, divided where its head noun has conjuncts."""
    whole = start, end
    for token in doc[start:end]:
        if (
            token.dep_ == "conj"
            and _is_noun(token)
            and _is_conjunct_of_head(token, *whole)
        ):
            first = max(start, token.left_edge.i)
            while first < token.i and _separates(doc[first]):
                first += 1
            before = first
            while before > start and _separates(doc[before - 1]):
                before -= 1
            if start < before < first:
                yield from _stripped(doc, start, before)
                start = first
    yield from _stripped(doc, start, end)


def _is_conjunct_of_head(token: Token, start: int, end: int) -> bool:
    head = token.head
    while head.dep_ == "conj" and head.head.i != head.i and start <= head.head.i < end:
        head = head.head
    leads_out = head.head.i == head.i or not start <= head.head.i < end
    return start <= head.i < end and _is_noun(head) and leads_out


def _separates(token: Token) -> bool:
    return token.is_space or token.dep_ in ("cc", "punct") or token.tag_ in ("CC", ",")
