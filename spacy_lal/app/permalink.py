"""The address of the page: its query holds the text, the sentence and the chosen words. *Not* here: Streamlit."""

import re
from typing import Any, Dict, MutableMapping, NamedTuple, Optional, Tuple

MAX_TEXT = 5000  # characters of a text on the page
MAX_LINKED = 1500  # characters of a text in an address: browsers and servers cut long ones
_KEYS = ("text", "sentence", "words")


class Link(NamedTuple):
    """The content of an address.

    text (str): The text; empty without one. sentence (int): Its number, from 0.
    span (Optional[Tuple[int, int]]): A half-open span of words, from 0; it may exceed the sentence.
    """

    text: str
    sentence: int
    span: Optional[Tuple[int, int]]


def read_link(query: MutableMapping[str, Any]) -> Link:
    """The content of a query. Anybody may write an address: values that are no numbers are ignored, and long texts cut.

    query (MutableMapping[str, Any]): For instance {"text": "Go!", "sentence": "1", "words": "1-2"}; numbers are
        counted from 1.
    """
    number = str(query.get("sentence", ""))
    words = re.fullmatch(r"(\d{1,4})-(\d{1,4})", str(query.get("words", "")), re.ASCII)
    return Link(
        text=str(query.get("text", ""))[:MAX_TEXT],
        sentence=int(number) - 1 if re.fullmatch(r"[1-9]\d{0,3}", number, re.ASCII) else 0,
        span=(int(words[1]) - 1, int(words[2])) if words else None,
    )


def write_link(
    query: MutableMapping[str, Any], text: str, sentence: int = 0, span: Optional[Tuple[int, int]] = None
) -> None:
    """Make a query lead back to a text, one of its sentences, and a span of words. A text longer than MAX_LINKED leaves
    it empty. Other keys stay as they are."""
    wanted: Dict[str, str] = {}
    if len(text) <= MAX_LINKED:
        wanted["text"] = text
        if sentence:
            wanted["sentence"] = str(sentence + 1)
        if span is not None:
            wanted["words"] = f"{span[0] + 1}-{span[1]}"
    for key in _KEYS:
        if key not in wanted:
            query.pop(key, None)
        elif query.get(key) != wanted[key]:
            query[key] = wanted[key]
