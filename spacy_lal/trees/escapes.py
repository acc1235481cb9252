"""Escaping and unescaping words in brackets: `(` is `-LRB-`. *Not* here: trees."""

import re

_ESCAPES = {"(": "-LRB-", ")": "-RRB-", "{": "-LCB-", "}": "-RCB-", "[": "-LSB-", "]": "-RSB-"}
_RAW = {escape: raw for raw, escape in _ESCAPES.items()}
_EMPTY_WORD = "-EMPTY-"
_NEEDS_ESCAPE = re.compile(r"[(){}\[\]\s]")
_ESCAPED = re.compile(r"-[LR][RCS]B-|-U\+([0-9A-F]{4})-|\\([/*])")


def escape_word(word: str) -> str:
    """A word in its escaped form for brackets: without brackets or white space, and never empty.

    `( ) { } [ ]` become `-LRB- -RRB- -LCB- -RCB- -LSB- -RSB-` as in the Penn Treebank. White space, which no treebank
    escapes, becomes `-U+0020-` and the like, and the empty word `-EMPTY-`. A final backslash becomes `-U+005C-`: NLTK
    reads a backslash and a bracket as part of the word. A literal `-LRB-` is kept, and so reads as `(`: for every word,
    `unescape_word(escape_word(word)) == unescape_word(word)`.

    >>> escape_word("friend(s)")
    'friend-LRB-s-RRB-'
    """
    if not word:
        return _EMPTY_WORD
    escaped = escape_characters(word)
    if escaped.endswith("\\"):
        escaped = escaped[:-1] + _code_point("\\")
    if escaped is not word and unescape_word(escaped) != unescape_word(word):
        # An escape that runs into the word's own dash ("-LRB(" to "-LRB-LRB-") would be read at the wrong place.
        escaped = "".join(
            escape_characters(char) if char not in "-\\" else _code_point(char) for char in unescape_word(word)
        )
    return escaped


def unescape_word(word: str) -> str:
    r"""The raw text of a word in brackets: the reverse of `escape_word`; also `\/` to `/` and `\*` to `*`, as in the
    Wall Street Journal part of the Penn Treebank.

    >>> unescape_word("friend-LRB-s-RRB-"), unescape_word(r"3\/4")
    ('friend(s)', '3/4')
    """
    if "-" not in word and "\\" not in word:
        return word
    return "" if word == _EMPTY_WORD else _ESCAPED.sub(_raw_text, word)


def escape_characters(text: str) -> str:
    """Escape only brackets and white space, as in labels."""
    if not _NEEDS_ESCAPE.search(text):
        return text
    return _NEEDS_ESCAPE.sub(lambda match: _ESCAPES.get(match[0]) or _code_point(match[0]), text)


def _code_point(char: str) -> str:
    return f"-U+{ord(char):04X}-"


def _raw_text(match: "re.Match[str]") -> str:
    code_point, after_slash = match.groups()
    if code_point:
        char = chr(int(code_point, 16))
        return char if char.isspace() or char in "-\\" else match[0]  # a literal -U+200D- in a text is kept
    return after_slash or _RAW.get(match[0], match[0])
