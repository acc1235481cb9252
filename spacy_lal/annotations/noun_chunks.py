"""`doc.noun_chunks` of a parsed Doc: base noun phrases, from its constituents.

A base noun phrase ends with its head noun, as in spaCy ("the old dog" of "the old dog
in the garden"); a possessor and a number after the noun ("page 5") are part of it;
coordinated nouns are phrases of their own. Chunks never overlap. A parser puts
`noun_chunks` in place of spaCy's rules, which a Doc without constituents, or of a
language without a record of noun chunks (`lang/`), keeps."""

from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from typing import (
    Any,
    NamedTuple,
    Optional,
    Union,
)

from spacy.tokens import Doc, Span, Token
from spacy.util import get_lang_class
from spacy.vocab import Vocab

from ..lang import conventions
from ..lang.conventions import NounChunks
from ..trees import Constituent
from .parses import SPANS_KEY, constituent_tokens
from .sentences import sentence_of

LABEL = "NP"  # as spaCy's iterators
Chunk = tuple[int, int]  # half-open range of tokens


@cache
def spacy_noun_chunks(lang: str) -> Optional[Callable[..., Any]]:
    """spaCy's noun chunks of a language that has a record of noun chunks; else None."""
    if conventions(lang).noun_chunks is None:
        return None
    return get_lang_class(lang).Defaults.syntax_iterators["noun_chunks"]


def install_noun_chunks(vocab: Vocab, docs: Sequence[Doc] = ()) -> None:
    """Let Docs find noun chunks in our parses, where their language has a record of
    them. A function of the user's is kept.

    vocab (Vocab): Of Docs that will be made.
    docs (Sequence[Doc]): Docs that have been made already, whatever their
        vocabulary."""
    owner: Any  # spaCy's types lack these attributes, or have others than spaCy sets
    for owner in (vocab, *(doc.vocab for doc in docs)):
        if owner.get_noun_chunks and owner.get_noun_chunks is spacy_noun_chunks(
            owner.lang
        ):
            owner.get_noun_chunks = noun_chunks
    for owner in docs:
        chunks = owner.noun_chunks_iterator
        if chunks and chunks is spacy_noun_chunks(owner.vocab.lang):
            owner.noun_chunks_iterator = noun_chunks


def noun_chunks(doclike: Union[Doc, Span]) -> Iterator[tuple[int, int, int]]:
    """The noun chunks of a Doc or Span, as spaCy's syntax iterators give them.

    RETURNS (Iterator[Tuple[int, int, int]]): First token, end and label of each.
    RAISES (ValueError): The Doc has neither constituents nor dependencies."""
    doc = doclike.doc
    of_spacy = spacy_noun_chunks(doc.vocab.lang)
    if of_spacy and not doc.spans.get(SPANS_KEY):
        yield from of_spacy(doclike)
        return
    first, last = 0, len(doc)
    if isinstance(doclike, Span):
        first, last = doclike.start, doclike.end
    around = sentence_of(doc[first:last]).start if first < last else 0
    label = doc.vocab.strings.add(LABEL)
    for start, end in constituent_chunks(doc, around, last):
        if first <= start and end <= last:
            yield start, end, label


class _Phrase(NamedTuple):
    """A constituent, and the constituents directly below it."""

    start: int
    end: int
    label: str
    children: "list[_Phrase]"


def constituent_chunks(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> Iterator[Chunk]:
    """The base noun phrases of a Doc's constituents, in order; with a range of tokens,
    at least those that begin in it. Where the Doc has heads, these tell which nouns of
    a phrase without inner brackets are coordinated. Empty for a language without a
    record of noun chunks."""
    language = conventions(doc.vocab.lang)
    if language.noun_chunks is None:
        return
    chunker = _Chunker(doc, language.noun_chunks, language.mark_tags)
    parts = chunker.conjuncts if doc.has_annotation("DEP") else chunker.stripped
    reached = 0
    for node in _nodes(constituent_tokens(doc, start, end)):
        if node.label in language.noun_chunks.phrases and node.start >= reached:
            last = chunker.end_of_noun(node)
            if last is not None:
                reached = last
                yield from parts(node.start, last)


def _nodes(constituents: Sequence[Constituent]) -> list[_Phrase]:
    nodes: list[_Phrase] = []
    above: list[_Phrase] = []
    for span in constituents:
        node = _Phrase(span.start, span.end, span.label, [])
        while above and above[-1].end <= node.start:
            above.pop()
        if above and node.end <= above[-1].end:
            above[-1].children.append(node)
        above.append(node)
        nodes.append(node)
    return nodes


class _Chunker:
    """Finds the chunks of noun phrases.

    doc (Doc): It has constituents.
    rules (NounChunks): Of its language.
    mark_tags (Container[str]): Fine tags of punctuation."""

    def __init__(self, doc: Doc, rules: NounChunks, mark_tags: Container[str]) -> None:
        self.doc = doc
        self.rules = rules
        self.mark_tags = mark_tags

    def end_of_noun(self, node: _Phrase) -> Optional[int]:
        """Where the head noun of a noun phrase ends; None where the phrase is not a
        base noun phrase."""
        end: Optional[int] = None
        i = node.start
        children = iter(node.children)
        child = next(children, None)
        while i < node.end:
            if child is None or i < child.start:
                if self._is_noun(self.doc[i]) or (end == i and self._is_number(i)):
                    end = i + 1
                i += 1
                continue
            if not self._is_before_noun(child, end is not None):
                break
            is_nominal = child.label in self.rules.nominal
            if is_nominal and self._is_noun(self.doc[child.end - 1]):
                end = child.end
            i = child.end
            child = next(children, None)
        return node.end if end is None and self._is_pronoun(node) else end

    def _is_before_noun(self, child: _Phrase, has_noun: bool) -> bool:
        """Whether a constituent is part of a base noun phrase: a possessor before its
        noun, or a phrase that may stand before a noun."""
        if child.label not in self.rules.phrases:
            return child.label in self.rules.prenominal
        mark = self.doc[child.end - 1]
        is_possessive = mark.text in self.rules.possessive_marks
        if mark.tag_:
            is_possessive = mark.tag_ == self.rules.possessive_tag
        return is_possessive and not has_noun

    def _is_pronoun(self, node: _Phrase) -> bool:
        """Whether a phrase is one word that can stand for a noun, by its fine tag."""
        words = [word for word in self.doc[node.start : node.end] if not word.is_space]
        if len(words) != 1 or words[0].pos_:
            return False
        return words[0].tag_ in self.rules.pronoun_tags

    def _is_number(self, i: int) -> bool:
        token = self.doc[i]
        return (token.pos_ or token.tag_) in self.rules.number_tags

    def _is_noun(self, token: Token) -> bool:
        """Whether a word can head a noun phrase, by its UPOS, else by its fine tag."""
        rules = self.rules
        if token.is_space or token.tag_ in rules.not_heads:
            return False
        if token.pos_:
            return token.pos_ in rules.noun_pos and not token.morph.get("Poss", [])
        return token.tag_ in rules.noun_tags if token.tag_ else not token.is_punct

    def _is_mark(self, token: Token) -> bool:
        """Whether a word is punctuation, by its UPOS, else by its fine tag, else by its
        text."""
        if token.pos_:
            return token.pos_ == "PUNCT"
        return token.tag_ in self.mark_tags if token.tag_ else token.is_punct

    def stripped(self, start: int, end: int) -> Iterator[Chunk]:
        """A chunk without marks and white space at its beginning."""
        doc = self.doc
        while start < end and (doc[start].is_space or self._is_mark(doc[start])):
            start += 1
        if start < end:
            yield start, end

    def conjuncts(self, start: int, end: int) -> Iterator[Chunk]:
        """A chunk, divided where its head noun has conjuncts."""
        whole = self.doc[start:end]
        for token in whole:
            if not self._is_conjunct_of_head(token, whole):
                continue
            first = max(start, token.left_edge.i)
            while first < token.i and self._separates(self.doc[first]):
                first += 1
            before = first
            while before > start and self._separates(self.doc[before - 1]):
                before -= 1
            if start < before < first:
                yield from self.stripped(start, before)
                start = first
        yield from self.stripped(start, end)

    def _is_conjunct_of_head(self, token: Token, phrase: Span) -> bool:
        """Whether a noun is a conjunct of the noun that heads its phrase."""
        if token.dep_ != "conj" or not self._is_noun(token):
            return False
        head = token.head
        while head.dep_ == "conj" and not _leads_out(head, phrase):
            head = head.head
        is_within = phrase.start <= head.i < phrase.end
        return is_within and self._is_noun(head) and _leads_out(head, phrase)

    def _separates(self, token: Token) -> bool:
        """Whether a word stands between conjuncts."""
        is_between = token.dep_ in ("cc", "punct")
        return token.is_space or is_between or token.tag_ in self.rules.separating_tags


def _leads_out(token: Token, phrase: Span) -> bool:
    """Whether the head of a word lies outside of a phrase, or is the root."""
    is_root = token.head.i == token.i
    return is_root or not phrase.start <= token.head.i < phrase.end
