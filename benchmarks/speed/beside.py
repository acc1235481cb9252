"""`speed.py beside`: the same sentences through our parser, spaCy's, benepar's and
SuPar's, on the same encoder."""

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List

import spacy
import torch
from accuracy.widths import n_parameters
from spacy.language import Language
from spacy.pipeline import TrainablePipe

from speed.others import (
    import_if_installed,
    make_benepar,
    make_supar,
    spacy_pipeline,
    write_encoder,
)
from speed.pipeline import FORWARD, fresh_docs, is_transformer, run_stages, transformers
from speed.sentences import Sentence, group, read_sentences
from speed.timing import (
    Seconds,
    StopWatch,
    add_timing_arguments,
    at_least_one,
    in_turns,
    markdown,
    summary,
)

NOTES = {
    "spacy": "A transition system's time depends on the transitions that it makes; {}.",
    "random": "benepar and SuPar: the pipeline's encoder, random weights after it.",
    "supar": (
        "SuPar takes the best head of each word where these make a tree, and searches "
        "for one elsewhere: with "
        "random weights it searches nearly always. What it takes before decoding is "
        "the "
        "least that a trained one takes."
    ),
}
ALL, DECODE = "all", "all: decode"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument("source", type=Path, help=".spacy, .conllu or text file")
    parser.add_argument(
        "--pipeline", default="en_lal_md", help="name or folder (default: en_lal_md)"
    )
    parser.add_argument(
        "--spacy-pipeline", default="", help="a trained pipeline with spaCy's parser"
    )
    parser.add_argument(
        "--words",
        type=at_least_one,
        default=4000,
        help="words to parse (default: 4000)",
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
        "--threads", type=at_least_one, default=1, help="torch's threads (default: 1)"
    )
    parser.add_argument(
        "--without",
        nargs="*",
        default=[],
        choices=("benepar", "supar"),
        help="leave these out",
    )
    add_timing_arguments(parser, rounds=3)


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Time all parsers in turns. RETURNS (Dict[str, Any]): See `table`."""
    others = [one for one in ("benepar", "supar") if one not in args.without]
    present = [one for one in others if import_if_installed(one)]
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    ours = spacy.load(args.pipeline)
    sentences = read_sentences(args.source, ours, args.words)
    groups = group(sentences, args.n_sents)
    parsed = list(
        ours.pipe(fresh_docs(ours, groups, with_sents=True), batch_size=args.batch_size)
    )
    notes = []
    pipelines = {"this pipeline": ours}
    theirs = (
        spacy.load(args.spacy_pipeline)
        if args.spacy_pipeline
        else spacy_pipeline(args.pipeline, parsed)
    )
    if theirs is None:
        notes.append(
            "spaCy's parser: left out, since this pipeline has no transformer for it "
            "to listen to."
        )
    else:
        pipelines["spaCy's parser"] = theirs
        kind = (
            f"{args.spacy_pipeline} is trained"
            if args.spacy_pipeline
            else "these are of random weights"
        )
        notes.append(NOTES["spacy"].format(kind))
    parameters = {name: _n_beside_encoder(nlp) for name, nlp in pipelines.items()}
    runs: Dict[str, Callable[[], Seconds]] = {
        name: partial(run_pipeline, nlp, groups, args)
        for name, nlp in pipelines.items()
    }
    n_labels = max(
        2,
        len(
            {
                span.label_
                for doc in parsed
                for span in doc.spans.get("constituents", ())
            }
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        if present and transformers(ours):
            write_encoder(ours, Path(folder))
        for name in others:
            if name not in present:
                notes.append(f"{name}: not installed.")
            elif not transformers(ours):
                notes.append(
                    f"{name}: left out, since this pipeline has no transformer to "
                    "compare with."
                )
            elif name == "benepar":
                made = make_benepar(Path(folder), n_labels)
                runs[name] = partial(run_benepar, *made[1:], sentences, args.clock)
                parameters[name] = _n_parameters(*made[:2])
            else:
                for kind in ("dependencies", "constituents"):
                    made = make_supar(
                        Path(folder), n_labels, constituents=kind == "constituents"
                    )
                    runs[f"supar, {kind}"] = partial(
                        run_supar, *made[1:], sentences, args.clock
                    )
                    parameters[f"supar, {kind}"] = _n_parameters(*made[:2])
    notes += [NOTES["random"]] if len(runs) > len(pipelines) else []
    notes += [NOTES["supar"]] if "supar, dependencies" in parameters else []
    rounds = in_turns(runs, args.rounds)
    n_words = sum(len(one.words) for one in sentences)
    systems = {
        name: _system(summary(found), n_words, parameters[name])
        for name, found in rounds.items()
    }
    return {
        "words": n_words,
        "sentences": len(sentences),
        "systems": systems,
        "notes": notes,
    }


def run_pipeline(
    nlp: Language, groups: List[List[Sentence]], args: argparse.Namespace
) -> Seconds:
    """Fresh Docs with sentence boundaries through all components."""
    seconds = run_stages(
        nlp, fresh_docs(nlp, groups, with_sents=True), args.batch_size, args.clock
    )
    seconds[ALL] = sum(value for name, value in seconds.items() if ":" not in name)
    return seconds


def run_benepar(
    encoder: Any, parse: Callable, sentences: List[Sentence], clock: str
) -> Seconds:
    """All sentences through benepar's parser; it does not tell its decoding from the
    rest."""
    watch = StopWatch(clock)
    with watch.forwards(encoder, FORWARD), watch.timed(ALL):
        parse(sentences)
    return watch.seconds


def run_supar(
    encoder: Any, parse: Callable, sentences: List[Sentence], clock: str
) -> Seconds:
    """All sentences through one of SuPar's parsers."""
    watch = StopWatch(clock)
    with watch.forwards(encoder, FORWARD), watch.timed(ALL):
        steps = parse(sentences)
        while next(steps, None):  # now it decodes
            with watch.timed(DECODE):
                next(steps)
    return watch.seconds


def _n_beside_encoder(nlp: Language) -> int:
    """Parameters of all components but the transformer."""
    beside = [
        component for _, component in nlp.pipeline if not is_transformer(component)
    ]
    return sum(
        n_parameters(component.model)
        for component in beside
        if isinstance(component, TrainablePipe)
    )


def _n_parameters(model: torch.nn.Module, encoder: torch.nn.Module) -> int:
    """Of what comes after the encoder."""
    whole, part = (
        sum(p.numel() for p in module.parameters()) for module in (model, encoder)
    )
    return whole - part


def _system(
    seconds: Dict[str, Seconds], n_words: int, n_parameters_after: int
) -> Dict[str, Any]:
    whole = seconds[ALL]["median"]
    encoder = seconds[FORWARD]["median"] if FORWARD in seconds else None
    return {
        "words_per_second": n_words / whole,
        "most_words_per_second": n_words / seconds[ALL]["least"],
        "encoder_ms_per_1000_words": None
        if encoder is None
        else 1e6 * encoder / n_words,
        "rest_ms_per_1000_words": 1e6 * (whole - (encoder or 0.0)) / n_words,
        "decode_ms_per_1000_words": 1e6 * seconds[DECODE]["median"] / n_words
        if DECODE in seconds
        else None,
        "parameters_after_encoder": n_parameters_after,
        "seconds": seconds,
    }


def table(result: Dict[str, Any]) -> str:
    """Markdown."""

    def cell(value: Any, scale: float = 1.0) -> str:
        return "-" if value is None else f"{scale * value:.1f}"

    rows = [
        [
            *(
                name,
                f"{one['words_per_second']:.0f}",
                f"{one['most_words_per_second']:.0f}",
            ),
            *(
                cell(one[f"{part}_ms_per_1000_words"])
                for part in ("encoder", "rest", "decode")
            ),
            cell(one["parameters_after_encoder"], 1e-6),
        ]
        for name, one in result["systems"].items()
    ]
    header = [
        "parser",
        "words/s",
        "best round",
        "encoder's network, ms/1,000 words",
        "all the rest",
        "of it, decoding",
    ]
    parts = [f"{result['words']} words in {result['sentences']} sentences"]
    parts.append(markdown([*header, "M parameters after the encoder"], rows))
    for name, one in result["systems"].items():
        stages = {
            key: value
            for key, value in one["seconds"].items()
            if key not in (ALL, DECODE, FORWARD, "tokenizer")
        }
        if stages:
            listed = (
                f"{key} {1e6 * value['median'] / result['words']:.1f}"
                for key, value in stages.items()
            )
            parts.append(f"{name}, ms/1,000 words: {', '.join(listed)}")
    return "\n\n".join([*parts, *result["notes"]])
