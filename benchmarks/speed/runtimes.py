"""`speed.py runtimes`: one sentence and batches in torch, also in its own 8 bits and compiled, and in ONNX Runtime."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any, Dict, List, Tuple

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc

from speed.latency import sentence
from speed.sentences import Sentence, group, read_sentences
from speed.timing import alternate, at_least_one, markdown

TORCH_INT8 = "torch-int8"  # torch's dynamic quantisation, which the pipeline does not offer
TORCH_COMPILE = "torch-compile"  # likewise; the first calls compile, and need a C++ compiler
PAIRS = (
    "torch/torch",
    f"{TORCH_INT8}/torch",
    f"{TORCH_COMPILE}/torch",
    "onnx/torch",
    "onnx/onnx",
    "onnx-int8/onnx",
    "onnx-int8/onnx-int8",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument("source", type=Path, help=".spacy, .conllu or text file")
    parser.add_argument("--pipeline", default="en_lal_md", help="name or folder (default: en_lal_md)")
    parser.add_argument("--pairs", nargs="+", default=list(PAIRS), help="runtimes, as TRANSFORMER/PARSER")
    parser.add_argument("--tokens", type=at_least_one, default=8, help="of the single sentence (default: 8)")
    parser.add_argument("--words", type=at_least_one, default=2000, help="words of the batches (default: 2000)")
    parser.add_argument("--rounds", type=at_least_one, default=5, help="alternating rounds (default: 5)")


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time all pairs of runtimes in turns, on one thread: processor time of the pipeline on given tokens.

    RETURNS (Dict[str, Any]): See `table`.
    """
    torch.set_num_threads(1)
    pipelines = {pair: load(args.pipeline, pair) for pair in args.pairs}
    nlp = next(iter(pipelines.values()))
    batches = group(read_sentences(args.source, nlp, args.words), 8)
    parses = {pair: [outcome(doc) for doc in parse(one, batches)] for pair, one in pipelines.items()}
    alone = {pair: partial(call, one, sentence(args.tokens)) for pair, one in pipelines.items()}
    together = {pair: partial(parse, one, batches) for pair, one in pipelines.items()}
    singles = alternate(alone, 10 * args.rounds, "cpu")
    many = alternate(together, args.rounds, "cpu")
    first = args.pairs[0]
    rows = [
        {
            "pair": pair,
            "ms": 1e3 * singles[pair]["median"],
            "ratio": singles[pair]["median"] / singles[first]["median"],
            "batches": many[pair]["median"] / many[first]["median"],
            "differ": sum(one != other for one, other in zip(parses[first], parses[pair], strict=True)),
        }
        for pair in args.pairs
    ]
    return {"rows": rows, "n_docs": len(batches), "version": nlp.meta["version"], "name": nlp.meta["name"]}


def load(pipeline: str, pair: str) -> Language:
    """The pipeline with the runtimes of a pair."""
    transformer, parser = pair.split("/")
    by_torch = transformer in (TORCH_INT8, TORCH_COMPILE)
    execution = {"@misc": "spacy-lal.Execution.v1", "runtime": parser}
    components = {
        "transformer": {"model": {"runtime": "torch" if by_torch else transformer}},
        "lal_parser": {"model": {"execution": execution}},
    }
    nlp = spacy.load(pipeline, config={"components": components})
    shim: Any = nlp.get_pipe("transformer").model.layers[0].shims[0]  # type: ignore[attr-defined]
    if transformer == TORCH_INT8:
        quantise = torch.ao.quantization.quantize_dynamic
        shim._model = quantise(shim._model.eval(), {torch.nn.Linear}, dtype=torch.qint8)
    if transformer == TORCH_COMPILE:
        shim._model = torch.compile(shim._model.eval(), dynamic=True)
    return nlp


def call(nlp: Language, words: List[str]) -> Doc:
    """One Doc, parsed alone."""
    return nlp(Doc(nlp.vocab, words=words))


def parse(nlp: Language, batches: List[List[Sentence]]) -> List[Doc]:
    """The Docs of some groups of sentences, whose boundaries the pipeline finds."""
    docs = [Doc(nlp.vocab, words=[word for one in some for word in one.words]) for some in batches]
    return list(nlp.pipe(docs, batch_size=64))


def outcome(doc: Doc) -> Tuple[Any, ...]:
    """The trees of a Doc."""
    spans = [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]
    return [token.head.i for token in doc], [token.dep_ for token in doc], spans


def table(result: Dict[str, Any]) -> str:
    """Markdown: one sentence, batches, Docs with other trees."""
    tokens = result["settings"]["tokens"]
    first = result["rows"][0]["pair"]
    header = ["transformer/parser", f"{tokens} tokens, ms", f"beside {first}", "batches", "Docs with other trees"]
    lines = [
        [row["pair"], f"{row['ms']:.1f}", f"{row['ratio']:.2f}", f"{row['batches']:.2f}", row["differ"]]
        for row in result["rows"]
    ]
    about = f"{result['name']} {result['version']}, {result['n_docs']} Docs, one thread, its own processor time"
    return f"{about}\n\n{markdown(header, lines)}"
