"""The time of parsing with attention and without it, on the Docs of a corpus."""

import time
from pathlib import Path
from typing import Callable, List, Tuple

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_lal.annotations import sentence_bounds
from spacy_lal.interpret import parse_with_attention
from spacy_lal.treebanks.copies import copy_text


def load_docs(nlp: Language, path: Path, n_sentences: int) -> List[Doc]:
    """Docs with the tokens and sentence breaks of a corpus, and nothing else, until there are enough sentences."""
    docs: List[Doc] = []
    for gold in DocBin().from_disk(path).get_docs(nlp.vocab):
        if n_sentences <= 0:
            break
        n_sentences -= len(sentence_bounds(gold))
        docs.append(copy_text(gold, with_sentences=True))
    return docs


def copies(docs: List[Doc]) -> List[Doc]:
    """Docs that nobody has parsed."""
    return [doc.copy() for doc in docs]


def seconds(run: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def attention_cost(nlp: Language, docs: List[Doc], repeat: int) -> Tuple[float, float]:
    """Seconds of parsing without attention and with it: the least of several rounds each, in turns."""
    plain, with_attention = [], []
    for _ in range(repeat):
        given = copies(docs)
        plain.append(seconds(lambda given=given: list(nlp.pipe(given, batch_size=64))))  # type: ignore[misc]
        given = copies(docs)
        with_attention.append(
            seconds(lambda given=given: list(parse_with_attention(nlp, given, batch_size=64)))  # type: ignore[misc]
        )
    return min(plain), min(with_attention)
