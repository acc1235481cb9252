"""`doc.noun_chunks` of a parsed English Doc: base noun phrases, from whichever parse the Doc has.

From constituents where there are some, else from the heads of Universal Dependencies, else by spaCy's own rules, which
know CLEAR deprels. As in spaCy, a chunk goes from the beginning of a noun phrase to its head noun: "the old dog" of
"the old dog in the garden". Chunks are in order and never overlap.

spaCy asks `vocab.get_noun_chunks` when a Doc is made. A parser puts `noun_chunks` in its place; a function that is not
spaCy's own stays. *Not* here: other languages, which keep spaCy's rules.
"""

from typing import Any, Iterator, Optional, Sequence, Tuple, Union

from spacy.lang.en.syntax_iterators import noun_chunks as spacy_noun_chunks
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..trees.deprel_schemes import UNIVERSAL, deprel_scheme
from .base_noun_phrases import constituent_chunks, dependency_chunks
from .constituents import SPANS_KEY

LABEL = "NP"


def install_noun_chunks(vocab: Vocab, docs: Sequence[Doc] = ()) -> None:
    """Let the Docs of an English vocabulary find noun chunks in our parses. A function of the user's is kept.

    vocab (Vocab): Of Docs that will be made.
    docs (Sequence[Doc]): Docs that have been made already, whatever their vocabulary.
    """
    one: Any  # spaCy's types lack these attributes, or have others than spaCy sets
    for one in (vocab, *(doc.vocab for doc in docs)):
        if one.get_noun_chunks is spacy_noun_chunks:
            one.get_noun_chunks = noun_chunks
    for one in docs:
        if one.noun_chunks_iterator is spacy_noun_chunks:
            one.noun_chunks_iterator = noun_chunks


def noun_chunks(doclike: Union[Doc, Span]) -> Iterator[Tuple[int, int, int]]:
    """The noun chunks of a Doc or Span, as spaCy's syntax iterators give them.

    RETURNS (Iterator[Tuple[int, int, int]]): First token, end and label of each.
    RAISES (ValueError): The Doc has neither constituents nor dependencies.
    """
    doc = doclike.doc
    if doc.spans.get(SPANS_KEY):
        chunks = list(constituent_chunks(doc))
    elif doc.has_annotation("DEP") and _scheme(doc) == UNIVERSAL:
        chunks = dependency_chunks(doc)
    else:
        yield from spacy_noun_chunks(doclike)
        return
    first, last = (doclike.start, doclike.end) if isinstance(doclike, Span) else (0, len(doc))
    label = doc.vocab.strings.add(LABEL)
    for start, end in chunks:
        if first <= start and end <= last:
            yield start, end, label


def _scheme(doc: Doc) -> Optional[str]:
    strings = doc.vocab.strings
    return deprel_scheme(strings[deprel] for deprel in set(doc.to_array("DEP").tolist()))
