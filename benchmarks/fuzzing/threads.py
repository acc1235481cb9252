"""Threads that share one pipeline: do they find the parses that one thread finds?

Texts are sentences of assets/toy whose words are exchanged for others of the same tag.
Rounds differ in the number of threads and in the call: `nlp(text)` in a thread pool,
`nlp.pipe` in each thread, or `asyncio.to_thread`."""

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
Parse = Tuple[Any, ...]
Way = Callable[[Language, Sequence[str], int], List[Doc]]


def fuzz(n: int, seed: int) -> Report:
    """Parse n texts with several threads, then with one."""
    rng = random.Random(seed)
    texts = make_texts(n, rng, MAX_SENTENCES)
    nlp = spacy.load(
        PACKAGE
    )  # unused, so that the threads race for the copies of the weights
    counts, failures, rounds = dict.fromkeys(WAYS, 0), [], []
    while texts:
        size, n_threads, way = (
            rng.randint(10, 400),
            rng.randint(2, 8),
            rng.choice(list(WAYS)),
        )
        some, texts = texts[:size], texts[size:]
        rounds.append(
            (
                some,
                [parse_of(doc) for doc in WAYS[way](nlp, some, n_threads)],
                f"{way}, {n_threads} threads",
            )
        )
        counts[way] += len(some)
    for some, found, how in rounds:
        failures += [
            f"seed {seed}, {how}: {text!r}" for text in differences(nlp, some, found)
        ]
    return Report(
        n, ", ".join(f"{count} by {way}" for way, count in counts.items()), failures
    )


def differences(
    nlp: Language, texts: Sequence[str], found: Sequence[Parse]
) -> List[str]:
    """Texts whose parse a single thread finds neither in a batch nor alone. These two
    may differ where two trees have the same score up to rounding."""
    batched = [parse_of(doc) for doc in nlp.pipe(texts)]
    different = [i for i in range(len(texts)) if found[i] != batched[i]]
    return [texts[i] for i in different if found[i] != parse_of(nlp(texts[i]))]


def make_texts(n: int, rng: random.Random, max_sentences: int = 1) -> List[str]:
    """Random texts of one sentence or more."""
    sentences = [re.findall(r"\((\S+) ([^()\s]+)\)", line) for line in _lines()]
    words: Dict[str, List[str]] = {}
    for tag, word in (pair for sentence in sentences for pair in sentence):
        words.setdefault(tag, []).append(word)

    def sentence() -> str:
        return " ".join(rng.choice(words[tag]) for tag, _ in rng.choice(sentences))

    return [
        " ".join(sentence() for _ in range(rng.randint(1, max_sentences)))
        for _ in range(n)
    ]


def _lines() -> Iterator[str]:
    for path in sorted(TOY.glob("*.ptb")):
        yield from path.read_text(encoding="utf8").splitlines()


def parse_of(doc: Doc) -> Parse:
    """The whole analysis of a text, in a form for comparison."""
    constituents = (
        [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]
        if len(doc)
        else []
    )
    tokens = [
        (token.text, token.tag_, token.head.i, token.dep_, token.is_sent_start)
        for token in doc
    ]
    return tokens, constituents


def by_call(nlp: Language, texts: Sequence[str], n_threads: int) -> List[Doc]:
    """Each text by itself, in a pool of threads."""
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(nlp, texts))


def by_pipe(nlp: Language, texts: Sequence[str], n_threads: int) -> List[Doc]:
    """A part of the texts in each thread, in batches."""
    found: List[Any] = [None] * len(texts)

    def parse(first: int) -> None:
        found[first::n_threads] = nlp.pipe(texts[first::n_threads], batch_size=16)

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(parse, range(n_threads)))
    return found


def by_to_thread(
    nlp: Language, texts: Sequence[str], n_threads: int, batch_size: int = 1
) -> List[Doc]:
    """As in a service with `asyncio`: each text by itself, or a few together."""
    batches = [
        texts[first : first + batch_size] for first in range(0, len(texts), batch_size)
    ]

    async def parse_all() -> List[List[Doc]]:
        free = asyncio.Semaphore(n_threads)

        async def parse(batch: Sequence[str]) -> List[Doc]:
            async with free:
                if len(batch) == 1:
                    return [await asyncio.to_thread(nlp, batch[0])]
                return await asyncio.to_thread(list, nlp.pipe(batch))

        return await asyncio.gather(*map(parse, batches))

    return [doc for docs in asyncio.run(parse_all()) for doc in docs]


WAYS: Dict[str, Way] = {
    "nlp(text)": by_call,
    "nlp.pipe": by_pipe,
    "asyncio.to_thread": by_to_thread,
}
