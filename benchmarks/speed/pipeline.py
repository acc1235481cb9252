"""`speed.py pipeline`: words a second of a pipeline, where its time goes, and what
longer sentences cost."""

import argparse
import os
import sys
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from spacy_lal.models.batches import embed
from spacy_lal.models.torch.network import iter_scores
from spacy_lal.pipeline.component import parser_names
from spacy_lal.pipeline.lal_parser import LALParser
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

FORWARD = "transformer: the bare network"
# all spans at once, as spacy-transformers runs it
PADDED = "transformer: the bare network, padded"
PREDICT, ANNOTATE = "{}: predict", "{}: set_annotations"
PARTS = ("{}: vectors and features", "{}: network", "{}: decoder")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument(
        "source",
        type=Path,
        help=".spacy, .conllu or text file, the same for everything",
    )
    parser.add_argument(
        "--pipeline", default="en_lal_md", help="name or folder (default: en_lal_md)"
    )
    parser.add_argument(
        "--words",
        type=at_least_one,
        default=4000,
        help="words to parse (default: 4000)",
    )
    parser.add_argument(
        "--bucket-words",
        type=at_least_one,
        default=800,
        help="words of each length (default: 800)",
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
        default=64,
        help="Docs in a batch (default: 64)",
    )
    parser.add_argument(
        "--threads",
        type=at_least_one,
        nargs="+",
        default=sorted({1, os.cpu_count() or 1}),
    )
    parser.add_argument("--gpu-id", type=int, default=-1, help="a GPU; by the clock")
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
    of their own, so they add up to it only nearly."""
    rounds = in_turns(
        {"": partial(run_stages, nlp, texts, args.batch_size, args.clock, padded=True)},
        args.rounds,
    )
    found = summary(rounds[""])
    result: Dict[str, Any] = {"seconds": found}
    if FORWARD in found:
        components = [name for name in nlp.pipe_names if name in found]
        others = [name for name in components if not is_transformer(nlp.get_pipe(name))]
        for which, forward in (("bare", FORWARD), ("padded", PADDED)):
            for kind, names in (("others", others), ("all", components)):
                share = (
                    sum(found[name]["median"] for name in names)
                    / found[forward]["median"]
                )
                result[f"{kind}_over_{which}_transformer"] = share
    return result


def run_stages(
    nlp: Language,
    inputs: Iterable[Any],
    batch_size: int,
    clock: str,
    *,
    padded: bool = False,
) -> Seconds:
    """Run the components one after the other on each batch of texts or Docs. RETURNS
    (Seconds): Of each, then of its parts. padded: run the transformer once more, as
    spacy-transformers does."""
    watch = StopWatch(clock)
    parsers = parser_names(nlp)
    runs: List[Tuple[torch.nn.Module, Dict[str, torch.Tensor]]] = []
    with ExitStack() as stack:
        for module, shim in transformers(nlp):
            stack.enter_context(watch.forwards(module, FORWARD))
            if padded:
                stack.enter_context(_recorded(module, shim, runs))
        for batch in minibatch(inputs, batch_size):
            with watch.timed("tokenizer"):
                docs = [
                    one if isinstance(one, Doc) else nlp.make_doc(one) for one in batch
                ]
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
    for module, read in runs:
        with watch.timed(PADDED), torch.no_grad():
            module.eval()(**read)
    places = {name: i for i, name in enumerate(["tokenizer", *nlp.pipe_names])}
    names = sorted(
        watch.seconds,
        key=lambda name: (places.get(name.split(":")[0], len(places)), ":" in name),
    )
    return {name: watch.seconds[name] for name in names}


def transformers(nlp: Language) -> List[Tuple[torch.nn.Module, Any]]:
    """The networks of the transformer components of a pipeline, and thinc's hold on
    them."""
    models = [
        component.model for _, component in nlp.pipeline if is_transformer(component)
    ]
    return [(model.transformer, model.layers[0].shims[0]) for model in models]


@contextmanager
def _recorded(
    module: torch.nn.Module,
    shim: Any,
    runs: List[Tuple[torch.nn.Module, Dict[str, torch.Tensor]]],
) -> Iterator[None]:
    """Note what a transformer is given to read within the block."""
    predict = shim.predict

    def note(inputs: Any) -> Any:
        runs.append((module, inputs.kwargs))
        return predict(inputs)

    shim.predict = note
    try:
        yield
    finally:
        del shim.predict


def is_transformer(component: Any) -> bool:
    """Whether a component is a transformer of spacy-transformers."""
    return hasattr(getattr(component, "model", None), "transformer")


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
    if "others_over_bare_transformer" in result["stages"]:
        others, whole = (
            result["stages"][f"{which}_over_bare_transformer"]
            for which in ("others", "all")
        )
        parts.append(
            f"The components beside the transformer take {100 * others:.0f}% of the "
            "time of the bare transformer's "
            "forward pass; all together, what they do with its output and its input "
            f"included, {100 * whole:.0f}%."
        )
        others, whole = (
            result["stages"][f"{which}_over_padded_transformer"]
            for which in ("others", "all")
        )
        parts.append(
            "Of that of all spans at once, padded to the longest: "
            f"{100 * others:.0f}% and {100 * whole:.0f}%."
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
