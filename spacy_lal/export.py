"""Export of a parsed Doc: plain objects (docs/reference/formats.md) and CoNLL-U,
without white space tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import (
    Any,
    Optional,
)

from spacy.tokens import Doc, Token

from .annotations import read_parses
from .lang import conventions
from .trees import Constituent, Parse, expand_chains, format_conllu

SCHEMA_VERSION = 3  # of JSON lines and Arrow tables


def sentence_record(parse: Parse) -> dict[str, Any]:
    """A sentence of a Doc as plain objects, as docs/reference/formats.md has them:
    indices count words from 0, a root is its own head, an unknown head is None,
    characters count in the text of the Doc."""
    tokens = [parse.doc[i] for i in parse.tokens]
    lists = annotation_lists(parse.doc, tokens)
    deprels = lists.pop("deprels")
    heads = None
    if parse.heads is not None:
        heads = [
            i if head == 0 else head and head - 1 for i, head in enumerate(parse.heads)
        ]
    constituents = None
    if parse.constituents is not None:
        spans = expand_chains(parse.constituents)
        constituents = [constituent_record(tokens, span) for span in spans]
    return {
        "text": parse.text,
        "start_char": tokens[0].idx,
        "end_char": tokens[-1].idx + len(tokens[-1]),
        **lists,
        "heads": heads,
        "deprels": deprels,
        "constituents": constituents,
    }


def annotation_lists(
    doc: Doc, tokens: Sequence[Token]
) -> dict[str, Optional[list[Any]]]:
    """The annotation of n tokens as lists of length n, by the schema of
    docs/reference/formats.md; None in place of a list where the whole Doc has no such
    annotation. Characters are half-open, in the text of the Doc."""

    def values(name: str, attribute: str) -> Optional[list[str]]:
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


def constituent_record(tokens: Sequence[Token], span: Constituent) -> dict[str, Any]:
    """A constituent as an object: half-open over tokens and, in the text of the Doc,
    over characters.

    tokens (Sequence[Token]): The tokens that its ends count.
    """
    last = tokens[span.end - 1]
    return {
        "start": span.start,
        "end": span.end,
        "start_char": tokens[span.start].idx,
        "end_char": last.idx + len(last),
        "label": span.label,
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
