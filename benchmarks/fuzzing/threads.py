"""Threads that share one pipeline: are the parses those of one thread?

Texts are sentences of assets/toy whose words are exchanged for others of the same tag. Rounds differ in the number of
threads and in the call: `nlp(text)` in a thread pool, `nlp.pipe` in each thread, or `asyncio.to_thread`.
"""

import asyncio
import random
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from . import Report

PACKAGE = "en_lal_md"
TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"
MAX_SENTENCES = 4  # of a text
TEXTS_A_ROUND = 500
Way = Callable[[Language, Sequence[str], int], List[Doc]]


def fuzz(n: int, seed: int) -> Report:
    """Parse n texts with one thread, then with several."""
    rng = random.Random(seed)
    texts = make_texts(n, rng, MAX_SENTENCES)
    nlp = spacy.load(PACKAGE)  # nothing is parsed before the threads start: they make together what is made once
    rounds = []
    for first in range(0, n, TEXTS_A_ROUND):
        some, way, n_threads = texts[first : first + TEXTS_A_ROUND], rng.choice(list(WAYS)), rng.randint(2, 8)
        rounds.append((some, way, n_threads, [parse_of(doc) for doc in WAYS[way](nlp, some, n_threads)]))
    failures, counts = [], dict.fromkeys(WAYS, 0)
    for some, way, n_threads, found in rounds:
        counts[way] += len(some)
        for text, parse in zip(some, found, strict=True):
            if parse != parse_of(nlp(text)):
                failures.append(f"seed {seed}, {way} in {n_threads} threads: {text!r}")
    return Report(n, ", ".join(f"{count} by {way}" for way, count in counts.items()), failures)


def make_texts(n: int, rng: random.Random, max_sentences: int = 1) -> List[str]:
    """Random texts of one sentence or more."""
    sentences = [re.findall(r"\((\S+) ([^()\s]+)\)", line) for line in _lines()]
    words: Dict[str, List[str]] = {}
    for tag, word in (pair for sentence in sentences for pair in sentence):
        words.setdefault(tag, []).append(word)

    def sentence() -> str:
        return " ".join(rng.choice(words[tag]) for tag, _ in rng.choice(sentences))

    return [" ".join(sentence() for _ in range(rng.randint(1, max_sentences))) for _ in range(n)]


def _lines() -> Iterator[str]:
    for path in sorted(TOY.glob("*.ptb")):
        yield from path.read_text(encoding="utf8").splitlines()


def parse_of(doc: Doc) -> Tuple[Any, ...]:
    """All that the pipeline says of a text, in a form that can be compared."""
    constituents = [(span.start, span.end, span.label_) for span in doc.spans["constituents"]] if len(doc) else []
    tokens = [(token.text, token.tag_, token.head.i, token.dep_, token.is_sent_start) for token in doc]
    return tokens, constituents


def by_call(nlp: Language, texts: Sequence[str], n_threads: int) -> List[Doc]:
    """Each text by itself, in a pool of threads."""
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(nlp, texts))


def by_pipe(nlp: Language, texts: Sequence[str], n_threads: int) -> List[Doc]:
    """A part of the texts in each thread, in batches."""
    with ThreadPoolExecutor(n_threads) as pool:
        parts = pool.map(lambda first: list(nlp.pipe(texts[first::n_threads], batch_size=16)), range(n_threads))
        found = {text: doc for part in parts for text, doc in ((doc.text, doc) for doc in part)}
    return [found[text] for text in texts]


def by_to_thread(nlp: Language, texts: Sequence[str], n_threads: int) -> List[Doc]:
    """Each text by itself, as a service does that runs `asyncio`."""

    async def parse_all() -> List[Doc]:
        free = asyncio.Semaphore(n_threads)

        async def parse(text: str) -> Doc:
            async with free:
                return await asyncio.to_thread(nlp, text)

        return await asyncio.gather(*map(parse, texts))

    return asyncio.run(parse_all())


WAYS: Dict[str, Way] = {"nlp(text)": by_call, "nlp.pipe": by_pipe, "asyncio.to_thread": by_to_thread}
