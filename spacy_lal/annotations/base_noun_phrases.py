"""Base noun phrases of an English Doc, in its constituents or in its dependencies. *Not* here: which of both is read.

A base noun phrase begins where its noun phrase begins, and ends with its head noun; a possessor is part of it ("the old
dog's food"). What follows the noun is left out, but a number or the rest of a name stays ("page 5"). Coordinated nouns
are phrases of their own: "cats" and "dogs" of "cats and dogs".
"""

from typing import Iterator, List, NamedTuple, Optional, Tuple

from spacy.tokens import Doc, Token

from ..lang import en
from .constituents import SPANS_KEY
from .span_groups import present_spans

Chunk = Tuple[int, int]  # half-open range of tokens


class _Node(NamedTuple):
    """A constituent, and the constituents directly below it."""

    start: int
    end: int
    label: str
    children: "List[_Node]"


def constituent_chunks(doc: Doc) -> Iterator[Chunk]:
    """The base noun phrases of a Doc's constituents, in order. Where the Doc has heads, these tell which nouns of a
    phrase without inner brackets are coordinated."""
    has_heads = doc.has_annotation("DEP")
    reached = 0
    for node in _nodes(doc):
        if node.label in en.NOUN_PHRASES and node.start >= reached:
            end = _end_of_noun(doc, node)
            if end is not None:
                reached = end
                yield from _conjuncts(doc, node.start, end) if has_heads else _stripped(doc, node.start, end)


def _nodes(doc: Doc) -> List[_Node]:
    """All constituents in pre-order, as nodes."""
    nodes: List[_Node] = []
    above: List[_Node] = []
    for start, end, label in present_spans(doc.spans[SPANS_KEY], preorder=True):
        node = _Node(start, end, label, [])
        while above and above[-1].end <= start:
            above.pop()
        if above and end <= above[-1].end:
            above[-1].children.append(node)
        above.append(node)
        nodes.append(node)
    return nodes


def _end_of_noun(doc: Doc, node: _Node) -> Optional[int]:
    """Where the head noun of a noun phrase ends; None where the phrase is not a base noun phrase."""
    end: Optional[int] = None
    i, children = node.start, iter(node.children)
    child = next(children, None)
    while i < node.end:
        if child is None or i < child.start:
            if is_noun(doc[i]) or (end == i and is_number(doc[i])):
                end = i + 1
            i += 1
            continue
        if child.label in en.NOUN_PHRASES:
            if end is not None or not _is_possessor(doc, child):
                break
        elif child.label not in en.PRENOMINAL_PHRASES:
            break
        elif child.label in en.NOMINAL_PHRASES and is_noun(doc[child.end - 1]):
            end = child.end
        i, child = child.end, next(children, None)
    words = [token for token in doc[node.start : node.end] if not token.is_space]
    if end is None and len(words) == 1 and words[0].tag_ in en.PRONOUN_TAGS and not words[0].pos_:
        return node.end
    return end


def _is_possessor(doc: Doc, node: _Node) -> bool:
    last = doc[node.end - 1]
    return last.tag_ == "POS" if last.tag_ else last.text in en.POSSESSIVE_MARKS


def is_noun(token: Token) -> bool:
    """Whether a word can head a noun phrase, by its UPOS, else by its fine tag. Without both, every word can but
    punctuation."""
    if token.is_space or token.tag_ in en.NOT_HEADS:
        return False
    if token.pos_:
        return token.pos_ in en.NOUN_POS and not token.morph.get("Poss", [])
    return token.tag_ in en.NOUN_TAGS if token.tag_ else not token.is_punct


def is_number(token: Token) -> bool:
    """Whether a word is a number, by its UPOS, else by its fine tag."""
    return token.pos_ == "NUM" if token.pos_ else token.tag_ == "CD"


def _is_mark(token: Token) -> bool:
    """Whether a word is punctuation, by its UPOS, else by its fine tag, else by its text."""
    if token.pos_ or token.tag_:
        return token.pos_ == "PUNCT" if token.pos_ else token.tag_ in en.MARK_TAGS
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
        if token.dep_ == "conj" and is_noun(token) and _is_conjunct_of_head(token, *whole):
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
    return start <= head.i < end and is_noun(head) and leads_out


def _separates(token: Token) -> bool:
    return token.is_space or token.dep_ in ("cc", "punct") or token.tag_ in ("CC", ",")


def dependency_chunks(doc: Doc) -> List[Chunk]:
    """The base noun phrases of a Doc with heads and deprels of Universal Dependencies, in order."""
    chunks = sorted((_around(token) for token in doc if _heads_chunk(token)), key=lambda chunk: (chunk[0], -chunk[1]))
    found: List[Chunk] = []
    for start, end in chunks:
        if not found or start >= found[-1][1]:
            found.extend(_stripped(doc, start, end))
    return found


def _heads_chunk(token: Token) -> bool:
    if not is_noun(token):
        return False
    while token.dep_ == "conj" and token.head.i != token.i:
        token = token.head
    deprel = token.dep_.split(":")[0]
    if deprel == "expl":
        return token.lower_ != en.EXPLETIVE
    is_part = deprel in en.CHUNK_PARTS or (deprel == "nmod" and token.i < token.head.i)
    return not is_part


def _around(token: Token) -> Chunk:
    """The chunk of a head noun: its dependents on the left as far as they belong to it, and names and numbers on the
    right."""
    start, end = token.i, token.i + 1
    is_predicate = any(child.dep_ == "cop" for child in token.lefts)
    for child in reversed(list(token.lefts)):
        deprel = child.dep_.split(":")[0]
        if deprel not in en.CHUNK_LEFT or (is_predicate and deprel == "advmod"):
            break
        start = child.left_edge.i
    reached = end
    for child in token.rights:
        deprel = child.dep_.split(":")[0]
        if child.left_edge.i != reached or deprel not in (*en.CHUNK_RIGHT, "punct"):
            break
        reached = child.right_edge.i + 1
        end = end if deprel == "punct" else reached  # a hyphen, as in "al-Qaeda"
    return start, end
