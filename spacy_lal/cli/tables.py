"""Tables of labels by frequency, for reports of treebanks."""

from collections import Counter
from typing import Iterator

from spacy_lal.files import quoted

LONG_NAME = 120  # characters of a label; longer ones are cut


def table_lines(title: str, counter: Counter, top: int) -> Iterator[str]:
    """A table of labels by frequency, below an empty line.

    title (str): The kind of labels, in the plural.
    top (int): Rows, 0 for all.
    """
    yield ""
    yield f"{len(counter)} {title}:"
    rows = counter.most_common(top or None)
    for name, count in rows:
        # Unprintable characters, such as terminal escapes, are shown as Python escapes.
        yield f"  {name if name.isprintable() and len(name) <= LONG_NAME else quoted(name):<24}{count:>10,}"
    if len(rows) < len(counter):
        yield f"  and {len(counter) - len(rows)} more (--top 0 shows all)"
