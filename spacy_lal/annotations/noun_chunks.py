"""`doc.noun_chunks` of a parsed Doc: base noun phrases, from its constituents.

A base noun phrase ends with its head noun, as in spaCy ("the old dog" of "the old dog
in the garden"); a possessor and a number after the noun ("page 5") are part of it;
coordinated nouns are phrases of their own. Chunks never overlap. A parser puts
`noun_chunks` in place of spaCy's rules, which a Doc without constituents, or of a
language without a record of noun chunks (`lang/`), keeps."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import (
    Any,
    Optional,
)

from spacy.tokens import Doc, Token
from spacy.util import get_lang_class
from spacy.vocab import Vocab

from ..lang import conventions
from ..lang.conventions import NounChunks
from ..trees import Constituent
from .parses import SPANS_KEY, constituent_tokens
from .sentences import Item, sentence_of
from .span_groups import Range

LABEL = "NP"  # as spaCy's iterators


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


def noun_chunks(doclike: Item) -> Iterator[tuple[int, int, int]]:
    """The noun chunks of a Doc or Span, as spaCy's syntax iterators give them.

    RETURNS (Iterator[Tuple[int, int, int]]): First token, end and label of each.
    RAISES (ValueError): The Doc has neither constituents nor dependencies."""
    doc = doclike.doc
    of_spacy = spacy_noun_chunks(doc.vocab.lang)
    if of_spacy and not doc.spans.get(SPANS_KEY):
        yield from of_spacy(doclike)
        return
    span = doclike[:]
    around = sentence_of(span).start if span else 0
    label = doc.vocab.strings.add(LABEL)
    for start, end in constituent_chunks(doc, around, span.end):
        if span.start <= start and end <= span.end:
            yield start, end, label


def constituent_chunks(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> Iterator[Range]:
    """The base noun phrases of a Doc's constituents, in order; with a range of tokens,
    at least those that begin in it. Heads tell which nouns of a phrase without inner
    brackets are coordinated. Empty for a language without a record of noun chunks."""
    language = conventions(doc.vocab.lang)
    if language.noun_chunks is None:
        return
    chunker = _Chunker(doc, language.noun_chunks, language.mark_tags)
    spans = constituent_tokens(doc, start, end)
    reached = 0
    for number, span in enumerate(spans):
        if span.label in language.noun_chunks.phrases and span.start >= reached:
            last = chunker.end_of_noun(span, _children(spans, number))
            if last is not None:
                reached = last
                yield from chunker.conjuncts(span.start, last)


def _children(spans: Sequence[Constituent], number: int) -> Iterator[Constituent]:
    """The constituents directly below one, in pre-order."""
    above = spans[number]
    reached = above.start
    for span in islice(spans, number + 1, None):
        if span.start >= above.end:
            return
        if span.start >= reached and span.end <= above.end:
            reached = span.end
            yield span


class _Chunker:
    """Finds the chunks of noun phrases.

    doc (Doc): It has constituents.
    rules (NounChunks): Of its language.
    mark_tags (FrozenSet[str]): Fine tags of punctuation."""

    def __init__(self, doc: Doc, rules: NounChunks, mark_tags: frozenset[str]) -> None:
        self.doc = doc
        self.rules = rules
        self.marks = mark_tags | {"PUNCT"}

    def end_of_noun(
        self, phrase: Constituent, children: Iterable[Constituent]
    ) -> Optional[int]:
        """Where the head noun of a noun phrase ends; None where the phrase is not a
        base noun phrase."""
        end: Optional[int] = None
        reached = phrase.start
        for child in (*children, None):
            for i in range(reached, child.start if child else phrase.end):
                token = self.doc[i]
                is_number = (token.pos_ or token.tag_) in self.rules.numbers
                if self._is_noun(token) or (end == i and is_number):
                    end = i + 1
            if child is None or not self._is_before_noun(child, end is not None):
                break
            is_nominal = child.label in self.rules.nominal
            if is_nominal and self._is_noun(self.doc[child.end - 1]):
                end = child.end
            reached = child.end
        return end

    def _is_before_noun(self, child: Constituent, has_noun: bool) -> bool:
        """Whether a constituent is part of a base noun phrase: a possessor before its
        noun, or a phrase that may stand before a noun."""
        if child.label not in self.rules.phrases:
            return child.label in self.rules.prenominal
        last = self.doc[child.end - 1]
        return (last.tag_ or last.lower_) in self.rules.possessive and not has_noun

    def _is_noun(self, token: Token) -> bool:
        """Whether a word can head a noun phrase, by its UPOS, else by its fine tag."""
        is_possessive = token.tag_ in self.rules.not_heads or token.morph.get("Poss")  # type: ignore[call-arg]
        if token.is_space or is_possessive:
            return False
        kind = token.pos_ or token.tag_
        return kind in self.rules.nouns if kind else not token.is_punct

    def _stripped(self, start: int, end: int) -> Iterator[Range]:
        """A chunk without marks and white space at its beginning."""
        for token in self.doc[start:end]:
            kind = token.pos_ or token.tag_
            is_mark = kind in self.marks if kind else token.is_punct
            if not token.is_space and not is_mark:
                yield token.i, end
                return

    def conjuncts(self, start: int, end: int) -> Iterator[Range]:
        """A chunk, divided where its head noun has conjuncts."""
        heads: set[int] = set()  # nouns that head the phrase, and their conjuncts
        for token in filter(self._is_noun, self.doc[start:end]):
            is_conjunct = token.dep_ == "conj" and token.head.i in heads
            leads_out = token.head.i not in range(start, end) or token.head == token
            if is_conjunct or leads_out:
                heads.add(token.i)
            if not is_conjunct:
                continue
            first = max(start, token.left_edge.i)
            while first < token.i and self._separates(self.doc[first]):
                first += 1
            before = first
            while before > start and self._separates(self.doc[before - 1]):
                before -= 1
            if start < before < first:
                yield from self._stripped(start, before)
                start = first
        yield from self._stripped(start, end)

    def _separates(self, token: Token) -> bool:
        """Whether a word stands between conjuncts."""
        is_between = token.dep_ in ("cc", "punct")
        return token.is_space or is_between or token.tag_ in self.rules.separating
