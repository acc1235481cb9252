"""Export of a parsed Doc: plain objects (docs/reference/formats.md) and CoNLL-U,
without white space tokens."""

from collections.abc import Mapping
from dataclasses import replace
from typing import (
    Any,
    Optional,
)

from spacy.tokens import Doc

from .annotations import read_parses
from .lang import conventions
from .trees import Parse, expand_chains, format_conllu

SCHEMA_VERSION = 3  # of JSON lines


def sentence_record(parse: Parse) -> dict[str, Any]:
    """A sentence of a Doc as plain objects, by the schema of docs/reference/formats.md:
    None in place of a list where the whole Doc has no such annotation. Indices count
    words from 0, a root is its own head, an unknown head is None, characters count in
    the text of the Doc."""
    tokens = [parse.doc[i] for i in parse.tokens]
    starts = [token.idx for token in tokens]
    ends = [token.idx + len(token) for token in tokens]

    def values(name: str, attribute: str) -> Optional[list[str]]:
        if not parse.doc.has_annotation(name):
            return None
        return [str(getattr(token, attribute)) for token in tokens]

    heads = None
    if parse.heads is not None:
        heads = [
            i if head == 0 else head and head - 1 for i, head in enumerate(parse.heads)
        ]
    constituents = None
    if parse.constituents is not None:
        constituents = [
            {
                "start": span.start,
                "end": span.end,
                "start_char": starts[span.start],
                "end_char": ends[span.end - 1],
                "label": span.label,
            }
            for span in expand_chains(parse.constituents)
        ]
    return {
        "text": parse.text,
        "start_char": starts[0],
        "end_char": ends[-1],
        "tokens": [token.text for token in tokens],
        "start_chars": starts,
        "end_chars": ends,
        "tags": values("TAG", "tag_"),
        "pos": values("POS", "pos_"),
        "morphs": values("MORPH", "morph"),
        "lemmas": values("LEMMA", "lemma_"),
        "heads": heads,
        "deprels": values("DEP", "dep_"),
        "constituents": constituents,
    }


def to_conllu(doc: Doc, doc_number: int = 0) -> str:
    """A Doc as CoNLL-U text; comments hold each sentence's text and tree, if any.
    Contractions that the language has (`lang/`) have ranges, as in UD: `1-2 don't`.
    Missing annotation is left open.

    doc_number (int): Its place in a collection, from 0, for sentence numbers ("1-1").
    RAISES (ValueError): Sentence boundaries are missing.
    """
    return "".join(
        sentence_to_conllu(parse, str(doc_number + 1)) for parse in read_parses(doc)
    )


def sentence_to_conllu(
    parse: Parse, text_name: str, comments: Optional[Mapping[str, str]] = None
) -> str:
    """A sentence of a Doc as `to_conllu` writes it.

    text_name: the beginning of its `sent_id`.
    comments: more, by name.
    """
    metadata: dict[str, Optional[str]] = {
        "sent_id": f"{text_name}-{parse.number + 1}",
        **(comments or {}),
        "text": " ".join(parse.text.split()),
    }
    if parse.constituents is not None:
        metadata["tree"] = parse.to_brackets()
    doc = parse.doc
    tokens = [doc[i] for i in parse.tokens]
    spaces = [
        bool(token.whitespace_) or token.i + 1 >= len(doc) or doc[token.i + 1].is_space
        for token in tokens
    ]
    tags = [token.tag_ for token in tokens]
    find_ranges = conventions(doc.vocab.lang).contractions
    whole = replace(
        parse,
        tags=tags,
        deprels=["root" if deprel == "ROOT" else deprel for deprel in parse.deprels],
        lemmas=[token.lemma_ for token in tokens],
        pos=[token.pos_ for token in tokens],
        morphs=[str(token.morph) for token in tokens],
        spaces=spaces,
        ranges=find_ranges(parse.words, tags, spaces) if find_ranges else [],
        metadata=metadata,
    )
    return format_conllu(whole)
