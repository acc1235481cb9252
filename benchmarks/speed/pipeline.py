"""`speed.py pipeline`: words a second of a pipeline, where its time goes, and what
longer sentences cost."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_lal.models.batches import embed
from spacy_lal.models.torch.network import iter_scores
from spacy_lal.pipeline.component import parser_names
from spacy_lal.pipeline.lal_parser import LALParser
from speed import arithmetic
from speed.sentences import (
    Sentence,
    by_length,
    group,
    make_doc,
    make_text,
    read_sentences,
)
from speed.timing import (
    Seconds,
    StopWatch,
    add_timing_arguments,
    alternate,
    at_least_one,
    in_turns,
    markdown,
    summary,
)

PREDICT, ANNOTATE = "{}: predict", "{}: set_annotations"
PARTS = ("{}: vectors and features", "{}: network", "{}: decoder")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    add = parser.add_argument
    add("source", type=Path, help=".spacy, .conllu or text, the same for everything")
    add("--pipeline", default="en_lal_md", help="name or folder")
    add("--words", type=at_least_one, default=4000, help="to parse")
    add("--bucket-words", type=at_least_one, default=800, help="of each length")
    add("--n-sents", type=at_least_one, default=8, help="sentences in a Doc")
    add("--batch-size", type=at_least_one, default=64, help="Docs in a batch")
    threads = sorted({1, os.cpu_count() or 1})
    add("--threads", type=at_least_one, nargs="+", default=threads)
    add("--gpu-id", type=int, default=-1, help="a GPU; by the clock")
    add_timing_arguments(parser, rounds=3)


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time all. RETURNS (Dict[str, Any]): See `table`."""
    if args.gpu_id >= 0:
        if args.clock == "cpu":
            sys.exit("--clock cpu does not count a GPU's time: leave it out")
        spacy.require_gpu(args.gpu_id)
    nlp = spacy.load(args.pipeline)
    sentences = read_sentences(args.source, nlp, args.words)
    n_words = sum(len(one.words) for one in sentences)
    texts = [make_text(some) for some in group(sentences, args.n_sents)]
    make_docs = partial(
        fresh_docs, nlp, group(sentences, args.n_sents), with_sents=False
    )
    calls = {}
    for n_threads in args.threads:
        calls[f"texts, {n_threads}"] = partial(
            pipe, nlp, lambda: texts, args.batch_size, n_threads
        )
        calls[f"tokens, {n_threads}"] = partial(
            pipe, nlp, make_docs, args.batch_size, n_threads
        )
    seconds = alternate(calls, args.rounds, args.clock)
    torch.set_num_threads(1)
    return {
        "words": n_words,
        "sentences": len(sentences),
        "texts": len(texts),
        "throughput": [
            {
                "input": kind,
                "threads": n_threads,
                "words_per_second": n_words / seconds[f"{kind}, {n_threads}"]["median"],
                "most_words_per_second": n_words
                / seconds[f"{kind}, {n_threads}"]["least"],
            }
            for n_threads in args.threads
            for kind in ("texts", "tokens")
        ],
        "stages": stages(nlp, texts, args),
        "lengths": lengths(nlp, by_length(sentences, args.bucket_words), args),
    }


def fresh_docs(
    nlp: Language, groups: Iterable[List[Sentence]], *, with_sents: bool
) -> List[Doc]:
    """Docs that nobody has annotated yet."""
    return [make_doc(nlp.vocab, some, with_sents=with_sents) for some in groups]


def pipe(
    nlp: Language,
    make_inputs: Callable[[], Iterable[Any]],
    batch_size: int,
    n_threads: int,
) -> None:
    """Parse everything."""
    torch.set_num_threads(n_threads)
    for _ in nlp.pipe(make_inputs(), batch_size=batch_size):
        pass


def stages(nlp: Language, texts: List[str], args: argparse.Namespace) -> Dict[str, Any]:
    """Seconds of each component on one thread, and those of a component's parts, which
    are named `component: part`. The parts of the parser's predict are timed in passes
    of their own, so they add up to it only nearly. Seconds of the plain arithmetic are
    measured in every round, too (`arithmetic.py`)."""
    rounds = in_turns(
        {
            "stages": partial(run_stages, nlp, texts, args.batch_size, args.clock),
            "whole": partial(run_whole, nlp, texts, args.batch_size, args.clock),
        },
        args.rounds,
    )
    ratios = sorted(one["batch"] / one["arithmetic"] for one in rounds["whole"])
    return {
        "seconds": summary(rounds["stages"]),
        "times_arithmetic": ratios[len(ratios) // 2],
    }


def run_whole(nlp: Language, texts: List[str], batch_size: int, clock: str) -> Seconds:
    """Parse everything on one thread. RETURNS (Seconds): Of the batch, and of the plain
    arithmetic for as many words."""
    watch = StopWatch(clock)
    n_words = 0
    with watch.timed("batch"):
        for doc in nlp.pipe(texts, batch_size=batch_size):
            n_words += sum(not token.is_space for token in doc)
    return {
        "batch": watch.seconds["batch"],
        "arithmetic": arithmetic.seconds(n_words, watch.clock),
    }


def run_stages(
    nlp: Language, inputs: Iterable[Any], batch_size: int, clock: str
) -> Seconds:
    """Run the components one after the other on each batch of texts or Docs. RETURNS
    (Seconds): Of each, then of its parts."""
    watch = StopWatch(clock)
    parsers = parser_names(nlp)
    for batch in minibatch(inputs, batch_size):
        with watch.timed("tokenizer"):
            docs = [one if isinstance(one, Doc) else nlp.make_doc(one) for one in batch]
        for name, component in nlp.pipeline:
            if name in parsers and isinstance(component, LALParser):
                docs = _parse(watch, name, component, docs)
            else:
                with watch.timed(name):
                    piped = hasattr(component, "pipe")
                    docs = list(
                        component.pipe(docs, batch_size=len(docs))
                        if piped
                        else map(component, docs)
                    )  # type: ignore[attr-defined]
    places = {name: i for i, name in enumerate(["tokenizer", *nlp.pipe_names])}
    names = sorted(
        watch.seconds,
        key=lambda name: (places.get(name.split(":")[0], len(places)), ":" in name),
    )
    return {name: watch.seconds[name] for name in names}


def _parse(
    watch: StopWatch, name: str, parser: LALParser, docs: List[Doc]
) -> List[Doc]:
    with watch.timed(name):
        with watch.timed(PREDICT.format(name)):
            parses = parser.predict(docs)
        with watch.timed(ANNOTATE.format(name)):
            parser.set_annotations(docs, parses)
    # once more, in pieces
    vectors, network, decoder = (part.format(name) for part in PARTS)
    with watch.timed(vectors):
        batch, _ = embed(parser.model, docs, is_train=False)
    runs = iter_scores(parser.model.layers[-1], batch._replace(pruned=True))
    while True:
        with watch.timed(network):
            run = next(runs, None)
        if run is None:
            return docs
        with watch.timed(decoder):
            parser.decoder(run[1])


def lengths(
    nlp: Language, buckets: Dict[str, Any], args: argparse.Namespace
) -> List[Dict[str, Any]]:
    """One sentence a Doc, one thread: each by itself, and many at once."""
    calls: Dict[str, Callable[[], None]] = {}
    for name, (sentences, _) in buckets.items():
        make_docs = partial(
            fresh_docs, nlp, [[one] for one in sentences], with_sents=True
        )
        calls[f"{name} alone"] = partial(pipe, nlp, make_docs, 1, 1)
        calls[f"{name} many"] = partial(pipe, nlp, make_docs, args.batch_size, 1)
    seconds = alternate(calls, args.rounds, args.clock)
    found = []
    for name, (sentences, n_joined) in buckets.items():
        n_words = sum(len(one.words) for one in sentences)
        row: Dict[str, Any] = {
            "words_each": name,
            "sentences": len(sentences),
            "joined": n_joined,
            "words": n_words,
        }
        for kind in ("alone", "many"):
            median = seconds[f"{name} {kind}"]["median"]
            row[kind] = {
                "words_per_second": n_words / median,
                "ms_per_sentence": 1e3 * median / len(sentences),
            }
        found.append(row)
    return found


def table(result: Dict[str, Any]) -> str:
    """Markdown: throughput; stages; lengths."""
    throughput = [
        [
            row["input"],
            row["threads"],
            f"{row['words_per_second']:.0f}",
            f"{row['most_words_per_second']:.0f}",
        ]
        for row in result["throughput"]
    ]
    about = (
        f"{result['words']} words in {result['sentences']} sentences, "
        f"{result['texts']} texts"
    )
    parts = [
        about,
        markdown(["input", "threads", "words/s", "words/s, best round"], throughput),
    ]
    parts.append(stage_table(result["stages"]["seconds"], result["words"]))
    ratio = result["stages"]["times_arithmetic"]
    parts.append(
        f"On one thread a batch takes {ratio:.2f} times the plain arithmetic of the "
        f"encoder: {arithmetic.MULTIPLY_ADDS / 1e9:.0f} billion 8-bit multiply-adds "
        "for 1,000 words."
    )
    rows = [
        [
            *(row["words_each"], row["sentences"], row["joined"]),
            *(f"{row[k]['words_per_second']:.0f}" for k in ("alone", "many")),
            *(f"{row[k]['ms_per_sentence']:.1f}" for k in ("alone", "many")),
        ]
        for row in result["lengths"]
    ]
    header = [
        "words in a sentence",
        "sentences",
        "of them joined",
        "words/s, one by one",
        "words/s, many",
    ]
    parts.append(
        markdown([*header, "ms/sentence, one by one", "ms/sentence, many"], rows)
    )
    return "\n\n".join(parts)


def stage_table(seconds: Dict[str, Seconds], n_words: int) -> str:
    """Milliseconds of each component, on one thread, for 1,000 words."""
    total = sum(one["median"] for name, one in seconds.items() if ":" not in name)
    rows = []
    for name, one in seconds.items():
        ms, least = 1e6 * one["median"] / n_words, 1e6 * one["least"] / n_words
        rows.append(
            [
                name.replace(":", " -"),
                f"{ms:.1f}",
                f"{least:.1f}",
                f"{100 * one['median'] / total:.0f}%",
            ]
        )
    return markdown(["component - its part", "ms/1,000 words", "least", "of all"], rows)
