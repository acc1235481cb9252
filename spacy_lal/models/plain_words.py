"""Treebank escapes as the words that they stand for: `-LRB-` is read as `(`, `/.` as `.`, ``` `` ``` as a quote.

A Doc made from treebank tokens keeps its words. Encoders and embeddings read a copy of it (`plain_doc`), so its tags
and trees are those of the Doc with plain words. `spacy-lal.OnnxTransformer.v1`, `spacy-lal.TransformerModel.v1` and
`spacy-lal.JoinedTok2Vec.v1` always do so.
"""

import re

from spacy.tokens import Doc

from ..trees.brackets import unescape_word

_MAY_ESCAPE = re.compile(r"-(?:[LR][RSC]B|U\+)|\\[/*]|``|''|/[.?-]")
_QUOTES = {"``": '"', "''": '"', "/-": "-"}


def unescape_token(word: str) -> str:
    r"""The word that a treebank token stands for.

    >>> [unescape_token(word) for word in ("-LRB-", "/.", "``", r"3\/4", "and/or")]
    ['(', '.', '"', '3/4', 'and/or']
    """
    return _QUOTES.get(word) or unescape_word(word)


def plain_doc(doc: Doc) -> Doc:
    """A Doc without escapes: itself, or a copy of its words, norms and spaces."""
    if not _MAY_ESCAPE.search(doc.text):
        return doc
    words = [token.text for token in doc]
    plain = [unescape_token(word) or word for word in words]
    if plain == words:
        return doc
    copied = Doc(doc.vocab, words=plain, spaces=[bool(token.whitespace_) for token in doc])
    for token, new, word in zip(doc, copied, plain, strict=True):
        if word == token.text:
            new.norm_ = token.norm_
    return copied
