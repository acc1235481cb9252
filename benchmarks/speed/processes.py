"""`speed.py processes`: processes or threads? Words a second of `nlp.pipe`, the start
of processes included.

Threads are torch's, within one product of matrices, or Python's, which share one `nlp`
and parse a part of the texts each."""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import ne
from pathlib import Path
from typing import Any, Dict, List, NamedTuple

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from speed.sentences import group, make_text, read_sentences
from speed.timing import add_timing_arguments, alternate, at_least_one, markdown


class Way(NamedTuple):
    """torch's threads in each process, processes, and Python threads that share one
    `nlp`."""

    threads: int = 1
    processes: int = 1
    sharing: int = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    n_cores = os.cpu_count() or 1
    parser.add_argument("source", type=Path, help=".spacy, .conllu or text file")
    parser.add_argument(
        "--pipeline", default="en_lal_md", help="name or folder (default: en_lal_md)"
    )
    parser.add_argument(
        "--words",
        type=at_least_one,
        default=20_000,
        help="words to parse (default: 20000)",
    )
    parser.add_argument(
        "--n-sents",
        type=at_least_one,
        default=8,
        help="sentences in a Doc (default: 8)",
    )
    parser.add_argument(
        "--batch-size",
        type=at_least_one,
        default=32,
        help="Docs in a batch (default: 32)",
    )
    parser.add_argument(
        "--threads",
        type=at_least_one,
        default=n_cores,
        help="of one process (default: the cores)",
    )
    parser.add_argument(
        "--n-process",
        type=at_least_one,
        default=n_cores,
        help="of one thread (default: the cores)",
    )
    parser.add_argument(
        "--sharing",
        type=at_least_one,
        default=n_cores,
        help="Python threads (default: the cores)",
    )
    add_timing_arguments(parser, rounds=3)


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time all. RETURNS (Dict[str, Any]): See `table`."""
    nlp = spacy.load(args.pipeline)
    sentences = read_sentences(args.source, nlp, args.words)
    texts = [make_text(some) for some in group(sentences, args.n_sents)]
    ways = dict.fromkeys(
        [
            Way(),
            Way(threads=args.threads),
            Way(processes=args.n_process),
            Way(sharing=args.sharing),
        ]
    )
    docs: Dict[str, List[Doc]] = {}
    calls = {
        str(way): partial(parse, nlp, texts, args.batch_size, way, docs) for way in ways
    }
    seconds = alternate(calls, args.rounds, args.clock)
    torch.set_num_threads(1)
    parses = {way: [_parse_of(doc) for doc in found] for way, found in docs.items()}
    n_words = sum(len(one.words) for one in sentences)
    rows = []
    for way in ways:
        rows.append(
            {
                **way._asdict(),
                "words_per_second": n_words / seconds[str(way)]["median"],
                "most_words_per_second": n_words / seconds[str(way)]["least"],
                "differing_docs": sum(map(ne, parses[str(way)], parses[str(Way())])),
            }
        )
    return {"words": n_words, "texts": len(texts), "ways": rows}


def parse(
    nlp: Language,
    texts: List[str],
    batch_size: int,
    way: Way,
    docs: Dict[str, List[Doc]],
) -> None:
    """Put all Docs into `docs`. Processes that spaCy starts have one torch thread
    each."""

    def parse_some(some: List[str]) -> List[Doc]:
        torch.set_num_threads(way.threads)  # of this Python thread
        return list(nlp.pipe(some, batch_size=batch_size, n_process=way.processes))

    size = -(-len(texts) // way.sharing)
    parts = [texts[i : i + size] for i in range(0, len(texts), size)]
    with ThreadPoolExecutor(way.sharing) as pool:
        found = (
            list(pool.map(parse_some, parts))
            if way.sharing > 1
            else [parse_some(texts)]
        )
    docs[str(way)] = [doc for some in found for doc in some]


def _parse_of(doc: Doc) -> Any:
    heads = [(token.head.i, token.dep_, token.tag_) for token in doc]
    return heads, doc._.parse_string


def table(result: Dict[str, Any]) -> str:
    """Markdown."""
    header = [
        "processes",
        "torch's threads",
        "Python threads",
        "words/s",
        "words/s, best round",
        "Docs that differ from the first row's",
    ]
    rows = []
    for way in result["ways"]:
        speeds = [
            f"{way[key]:.0f}" for key in ("words_per_second", "most_words_per_second")
        ]
        rows.append(
            [
                way["processes"],
                way["threads"],
                way["sharing"],
                *speeds,
                f"{way['differing_docs']} of {result['texts']}",
            ]
        )
    return (
        f"{result['words']} words in {result['texts']} "
        f"texts\n\n{markdown(header, rows)}"
    )
