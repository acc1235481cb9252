"""`speed.py latency`: how long one call takes, for sentences of 1, 8, 20 and 40 tokens,
by component, and beside a network of MiniLM-L6's sizes in torch on as many pieces."""

import argparse
from typing import Any, Callable, Dict, List, Optional

import numpy as np
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from transformers import BertConfig, BertModel

from speed.timing import CLOCKS, at_least_one, markdown

TEXT = (
    "The old man who lived beside the sea had told his friends that the boats which "
    "they saw in the harbour would "
    "leave before the storm came , but nobody believed him until the first wave broke "
    "over the wall ."
)
WORDS = TEXT.split()  # 40
WHOLE, PARSE, BARE = "all", "all but lal_srl", "MiniLM-L6 in torch"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    add = parser.add_argument
    add("--pipeline", default="en_lal_md", help="name or folder")
    tokens = [1, 8, 20, 40]
    add("--tokens", type=at_least_one, nargs="+", default=tokens, help="of sentences")
    add("--rounds", type=at_least_one, default=100, help="calls of each length")
    add("--clock", choices=CLOCKS, default="cpu", help="cpu: of this process alone")
    runtimes = ("torch", "onnx", "onnx-int8")
    add("--runtime", choices=runtimes, help="of `encoder` (default: as stored)")


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time single calls on one thread, one length after the other in every round.

    RETURNS (Dict[str, Any]): See `table`.
    """
    torch.set_num_threads(1)
    nlp = load(args.pipeline, args.runtime)
    bare = bare_encoder(args.clock)
    found: Dict[int, Dict[str, List[float]]] = {n: {} for n in args.tokens}
    for turn in range(args.rounds + 3):
        for n_tokens in args.tokens:
            seconds = call(nlp, sentence(n_tokens), args.clock)
            seconds[BARE] = bare(n_tokens)
            for name, value in (
                seconds.items() if turn >= 3 else ()
            ):  # the first calls warm up
                found[n_tokens].setdefault(name, []).append(1e3 * value)
    rows = [
        {
            "tokens": n,
            "part": name,
            "p50": float(np.median(ms)),
            "p95": float(np.quantile(ms, 0.95)),
            "least": min(ms),
        }
        for n, parts in found.items()
        for name, ms in parts.items()
    ]
    return {"rows": rows, "version": nlp.meta["version"], "name": nlp.meta["name"]}


def bare_encoder(clock: str) -> Callable[[int], float]:
    """Seconds of a forward pass of MiniLM-L6, with random weights, on a sentence of so
    many tokens, a piece each."""
    config = BertConfig(
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
    )
    module, now = BertModel(config, add_pooling_layer=False).eval(), CLOCKS[clock]

    def seconds(n_tokens: int) -> float:
        pieces = torch.arange(1000, 1002 + n_tokens)[None]  # [CLS] and [SEP] with them
        with torch.no_grad():
            start = now()
            module(input_ids=pieces, attention_mask=torch.ones_like(pieces))
            return now() - start

    return seconds


def load(pipeline: str, runtime: Optional[str]) -> Language:
    """A pipeline whose component `encoder` has a runtime; None: as it is stored."""
    components = {"encoder": {"model": {"runtime": runtime}}} if runtime else {}
    return spacy.load(pipeline, config={"components": components})


def sentence(n_tokens: int) -> List[str]:
    """The words of a sentence; a long one repeats itself."""
    repeated = WORDS * (n_tokens // len(WORDS) + 1)
    return [*repeated[: n_tokens - 1], "."] if n_tokens > 1 else ["Stop"]


def call(nlp: Language, words: List[str], clock: str) -> Dict[str, float]:
    """Seconds of one call on given tokens, whole and by component."""
    now = CLOCKS[clock]
    found: Dict[str, float] = {}
    doc = Doc(nlp.vocab, words=words)
    begin = now()
    for name, component in nlp.pipeline:
        start = now()
        doc = component(doc)
        found[name] = now() - start
    whole = now() - begin
    return {WHOLE: whole, PARSE: whole - found.get("lal_srl", 0.0), **found}


def table(result: Dict[str, Any]) -> str:
    """Markdown: p50 and p95 of each part and length, in ms."""
    rows = result["rows"]
    lengths = list(dict.fromkeys(row["tokens"] for row in rows))
    parts = list(dict.fromkeys(row["part"] for row in rows))
    cells = {
        (row["tokens"], row["part"]): f"{row['p50']:.1f} / {row['p95']:.1f}"
        for row in rows
    }
    header = ["ms, p50 / p95", *(f"{n} tokens" for n in lengths)]
    lines = [[part, *(cells[n, part] for n in lengths)] for part in parts]
    p50 = {(row["tokens"], row["part"]): row["p50"] for row in rows}
    for part in (WHOLE, PARSE):
        lines.append(
            [
                f"{part} / {BARE}",
                *(f"{p50[n, part] / p50[n, BARE]:.2f}" for n in lengths),
            ]
        )
    clock = result["settings"]["clock"]
    about = (
        f"{result['name']} {result['version']}, one call on given tokens, one thread, "
        f"{clock} time"
    )
    return f"{about}\n\n{markdown(header, lines)}"
