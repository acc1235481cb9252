"""Sentences of a treebank as Docs, Docs as `.spacy` files, and copies of gold Docs. A
head that the treebank lacks is left unset. spaCy derives sentence boundaries from the
arcs whenever a Doc is loaded; this file treats unset heads and second roots so that the
boundaries survive."""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Optional

from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from .. import annotations
from ..files import quoted, write_file
from ..trees.parse import Parse

# For a head without deprel: spaCy takes the head of a token without deprel for unset.
UNSPECIFIED_DEPREL = "dep"
DOCBIN_ATTRS = (
    "ORTH",
    "TAG",
    "POS",
    "LEMMA",
    "MORPH",
    "HEAD",
    "DEP",
    "SENT_START",
    "ENT_IOB",
    "ENT_TYPE",
    "ENT_KB_ID",
    "ENT_ID",
)
SUFFIX = ".spacy"


def make_docs(
    sentences: Iterable[Parse],
    vocab: Vocab,
    *,
    n_sents: int = 1,
    by_document: bool = False,
    by_paragraph: bool = False,
) -> Iterator[Doc]:
    """Docs with words, spaces, tags, lemmas, morphology, heads, deprels, sentence
    boundaries, constituents, roles and, where the CoNLL-U has them, sentence ids
    (`doc.user_data["sent_ids"]`). A UPOS that spaCy does not know is left out, with one
    warning for all.

    sentences (Iterable[Parse]): See `reader.read_treebank`.
    n_sents (int): The most sentences in a Doc; 0: no limit. A sentence without a root
        gets its own Doc, since spaCy could not find its beginning. A Doc has heads for
        all of its sentences or for none, and so with trees and roles.
    by_document, by_paragraph (bool): Whether `# newdoc`, and `# newpar`, begins a new
        Doc.
    """
    begun = ["newdoc"] * (by_document or by_paragraph) + ["newpar"] * by_paragraph
    group: list[Parse] = []
    kind: tuple[str, bool, bool] = ("", False, False)
    unknown = []
    for sentence in sentences:
        for word in unknown_pos(sentence):
            line = sentence.lines[word] if sentence.lines else 0
            unknown.append(f"{sentence.path}:{line}: {quoted(sentence.pos[word])}")
        has_tree = sentence.constituents is not None
        has_roles = sentence.roles is not None
        kind_of_this = (_anchor(sentence), has_tree, has_roles)
        full = n_sents and len(group) >= n_sents
        new = any(sentence.begins(comment) for comment in begun)
        if group and (full or new or kind != kind_of_this or kind[0] == "rootless"):
            yield _make_doc(vocab, group)
            group = []
        group.append(sentence)
        kind = kind_of_this
    if group:
        yield _make_doc(vocab, group)
    if unknown:
        warnings.warn(
            f"left out {len(unknown)} UPOS that spaCy does not know (first "
            f"{unknown[0]})",
            stacklevel=2,
        )


def unknown_pos(sentence: Parse) -> list[int]:
    """The words, from 0, whose UPOS spaCy does not know."""
    return [i for i, pos in enumerate(sentence.pos) if pos not in POS_IDS]


def pack_docs(docs: Iterable[Doc]) -> tuple[bytes, Counter[str]]:
    """The content of a `.spacy` file, and how many it has of each: `Doc`, `sentence`,
    `token`.

    RAISES (ValueError): No Docs are given.
    """
    counts: Counter[str] = Counter()
    doc_bin = DocBin(attrs=DOCBIN_ATTRS, store_user_data=True)
    for doc in docs:
        doc_bin.add(doc)
        n_sents = sum(1 for _ in doc.sents)
        counts.update(Doc=1, sentence=n_sents, token=len(doc))
    if not counts:
        raise ValueError("no sentences to write")
    return doc_bin.to_bytes(), counts


def write_docs(docs: Iterable[Doc], path: Path) -> Counter[str]:
    """Write Docs to a `.spacy` file, and count as `pack_docs`. The file is replaced
    completely or not at all.

    RAISES (ValueError): No Docs are given.
    RAISES (OSError): Writing fails; the earlier file is unchanged.
    """
    data, counts = pack_docs(docs)
    write_file(path, data)
    return counts


def _anchor(sentence: Parse) -> str:
    """How spaCy finds the sentence in a Doc."""
    heads = sentence.heads or ()
    if 0 in heads:
        return "arcs"
    return "rootless" if any(head is not None for head in heads) else "starts"


def _make_doc(vocab: Vocab, group: list[Parse]) -> Doc:
    def joined(name: str) -> Optional[list[str]]:
        values: list[str] = []
        for sentence in group:
            values += getattr(sentence, name) or [""] * len(sentence.words)
        return values if any(values) else None

    words = joined("words") or []
    spaces = [space for sentence in group for space in sentence.spaces or ()]
    starts, heads, deprels = _arcs(group)
    pos = joined("pos")
    has_heads = any(deprels)
    doc = Doc(
        vocab,
        words=words,
        spaces=spaces if len(spaces) == len(words) else None,
        tags=joined("tags"),
        pos=pos and [value if value in POS_IDS else "" for value in pos],
        lemmas=joined("lemmas"),
        morphs=joined("morphs"),
        heads=heads if has_heads else None,
        deps=deprels if has_heads else None,
        sent_starts=None if has_heads else [i in starts for i in range(len(words))],
    )
    sent_ids = [sentence.sent_id for sentence in group]
    if any(sent_ids):
        doc.user_data[annotations.SENT_IDS] = sent_ids
    bounds = zip(starts, [*starts[1:], len(words)], strict=True)
    positions = [list(range(start, end)) for start, end in bounds]
    if all(sentence.constituents is not None for sentence in group):
        constituents = [sentence.constituents or () for sentence in group]
        annotations.set_constituents(doc, positions, constituents)
    if all(sentence.roles is not None for sentence in group):
        roles = [sentence.roles or () for sentence in group]
        annotations.set_sentence_propositions(doc, positions, roles)
    return doc


def _arcs(group: list[Parse]) -> tuple[list[int], list[int], list[str]]:
    """First token of each sentence; heads and deprels of all tokens."""
    starts: list[int] = []
    heads: list[int] = []
    deprels: list[str] = []
    for sentence in group:
        start = len(heads)
        starts.append(start)
        of_words = sentence.heads or [None] * len(sentence.words)
        root = of_words.index(0) if 0 in of_words else None
        for i, head in enumerate(of_words):
            if head:
                heads.append(start + head - 1)
                deprels.append(sentence.deprels[i] or UNSPECIFIED_DEPREL)
            else:
                heads.append(start + (i if root is None else root))
                deprels.append(annotations.ROOT_DEPREL if i == root else "")
    return starts, heads, deprels


def copy_text(doc: Doc, *, with_sentences: bool, vocab: Optional[Vocab] = None) -> Doc:
    """The same tokens and spaces without annotations.

    with_sentences: Copy sentence boundaries, too, where they are known.
    """
    spaces = None
    if not doc.has_unknown_spaces:
        spaces = [bool(token.whitespace_) for token in doc]
    copied = Doc(
        doc.vocab if vocab is None else vocab,
        words=[token.text for token in doc],
        spaces=spaces,
    )
    if with_sentences and annotations.has_sentences(doc):
        annotations.set_sentence_starts(
            copied, [start for start, _ in annotations.sentence_bounds(doc)]
        )
    return copied
