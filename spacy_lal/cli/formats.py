"""Parsed Docs as text: brackets, CoNLL-U, JSON lines, or a drawn tree with a table of heads. One piece per sentence;
whitespace tokens, and sentences of nothing else, are left out."""

import json
from enum import Enum
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from nltk import Tree
from spacy.tokens import Doc, Token

from spacy_lal.annotations import MISSING_TAG, SPANS_KEY, get_constituents, sentence_words
from spacy_lal.trees.brackets import write_brackets
from spacy_lal.trees.conllu import ConlluSentence, format_conllu
from spacy_lal.trees.spans import expand_chains, spans_to_tree


class OutputFormat(str, Enum):
    """What `lal parse` writes."""

    brackets = "brackets"
    conllu = "conllu"
    json = "json"
    tree = "tree"


class MissingParseError(ValueError):
    """The Doc lacks what the format shows."""


class Sentence(NamedTuple):
    """One parsed sentence of n words.

    number (int): Its place in the Doc, from 0.
    tokens (List[Token]): Its words.
    constituents (Optional[list]): Collapsed half-open spans over the words; None where the Doc has no trees.
    heads (Optional[List[int]]): Word numbers from 1, 0 is the root; None where the Doc has no heads.
    """

    number: int
    tokens: List[Token]
    constituents: Optional[List[Tuple[int, int, str]]]
    heads: Optional[List[int]]

    @property
    def text(self) -> str:
        """The words as they stand in the text."""
        return self.tokens[0].doc.text[self.tokens[0].idx : self.tokens[-1].idx + len(self.tokens[-1])]

    @property
    def deprels(self) -> List[str]:
        """One a word; the empty string where missing."""
        return [token.dep_ for token in self.tokens]

    @property
    def tags(self) -> List[str]:
        """Fine tags, coarse ones where there are none, else `X`: as in the trees."""
        return [token.tag_ or token.pos_ or MISSING_TAG for token in self.tokens]

    def tree(self) -> Tree:
        """RAISES (MissingParseError): The Doc has no constituents."""
        if self.constituents is None:
            raise MissingParseError("the pipeline sets no constituents; the formats conllu and json show heads alone")
        return spans_to_tree([token.text for token in self.tokens], self.tags, self.constituents)


def read_sentences(doc: Doc) -> Iterator[Sentence]:
    """The sentences of a parsed Doc, without those of nothing but whitespace.

    RAISES (ValueError): Where sentence boundaries are not known.
    """
    words = sentence_words(doc)
    constituents = get_constituents(doc) if SPANS_KEY in doc.spans else [None] * len(words)
    has_heads = doc.has_annotation("DEP")
    for number, (indices, spans) in enumerate(zip(words, constituents, strict=True)):
        if indices:
            heads = _heads(doc, indices) if has_heads else None
            yield Sentence(number, [doc[i] for i in indices], spans, heads)


def _heads(doc: Doc, indices: List[int]) -> List[int]:
    """Heads as word numbers. Where another component hung a word on whitespace, the head's head takes its place."""
    numbers: Dict[int, int] = {i: number for number, i in enumerate(indices, start=1)}
    heads = []
    for i in indices:
        head = doc[i].head
        while head.i not in numbers and head.head.i != head.i:
            head = head.head
        heads.append(0 if head.i == i else numbers.get(head.i, 0))
    return heads


def format_brackets(sentence: Sentence, doc_number: int) -> str:
    """One tree on one line."""
    return write_brackets(sentence.tree()) + "\n"


def format_json(sentence: Sentence, doc_number: int) -> str:
    """One object on one line. Heads count from 1, 0 is the root; constituents are [start, end, label] over tokens from
    0, the end excluded, outer before inner. What the pipeline does not set is null."""
    constituents = None if sentence.constituents is None else expand_chains(sentence.constituents)
    record = {
        "doc": doc_number,
        "sent": sentence.number,
        "text": sentence.text,
        "tokens": [token.text for token in sentence.tokens],
        "tags": [token.tag_ for token in sentence.tokens],
        "heads": sentence.heads,
        "deprels": None if sentence.heads is None else sentence.deprels,
        "constituents": constituents,
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def format_conllu_sentence(sentence: Sentence, doc_number: int) -> str:
    """One sentence as CoNLL-U, with the text and, where there is one, the tree in its comments."""
    metadata: Dict[str, Optional[str]] = {
        "sent_id": f"{doc_number + 1}-{sentence.number + 1}",
        "text": " ".join(sentence.text.split()),
    }
    if sentence.constituents is not None:
        metadata["tree"] = write_brackets(sentence.tree())
    tokens = sentence.tokens
    return format_conllu(
        ConlluSentence(
            words=[token.text for token in tokens],
            lemmas=[token.lemma_ for token in tokens],
            pos=[token.pos_ for token in tokens],
            tags=[token.tag_ for token in tokens],
            morphs=[str(token.morph) for token in tokens],
            heads=list(sentence.heads) if sentence.heads is not None else [None] * len(tokens),
            deprels=_conllu_deprels(sentence),
            spaces=[_space_follows(token) for token in tokens],
            metadata=metadata,
        )
    )


def _conllu_deprels(sentence: Sentence) -> List[str]:
    """CoNLL-U calls `root` what spaCy calls `ROOT`."""
    return ["root" if deprel == "ROOT" else deprel for deprel in sentence.deprels]


def _space_follows(token: Token) -> bool:
    following = token.i + 1
    return bool(token.whitespace_) or following >= len(token.doc) or token.doc[following].is_space


def format_drawing(sentence: Sentence, doc_number: int) -> str:
    """The tree drawn with letters, and a table of heads below."""
    pieces = []
    if sentence.constituents is not None:
        pieces.append(_draw(sentence.tree()))
    if sentence.heads is not None:
        pieces.append(_table(sentence))
    return "\n".join(pieces) + "\n"


def _draw(tree: Tree) -> str:
    try:
        from nltk.tree.prettyprinter import TreePrettyPrinter

        lines = TreePrettyPrinter(tree).text().split("\n")
        return "\n".join(line.rstrip() for line in lines)
    except RecursionError:  # nltk walks down by recursion; nobody could see a tree of that depth
        return write_brackets(tree) + "\n"


def _table(sentence: Sentence) -> str:
    words = ["", *(token.text for token in sentence.tokens)]
    rows = [("", "word", "tag", "head", "", "deprel")]
    heads = sentence.heads or []
    for i, (token, head, deprel) in enumerate(zip(sentence.tokens, heads, sentence.deprels, strict=True), start=1):
        rows.append((str(i), token.text, token.tag_ or token.pos_, str(head), words[head], deprel))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            f"{row[0]:>{widths[0]}}",
            *(f"{cell:<{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


FORMATS: Dict[OutputFormat, Callable[[Sentence, int], str]] = {
    OutputFormat.brackets: format_brackets,
    OutputFormat.conllu: format_conllu_sentence,
    OutputFormat.json: format_json,
    OutputFormat.tree: format_drawing,
}
