"""Kitaev & Klein's encoders and SSAN's selectors side by side, on gold trees, without
pretraining.

    python benchmarks/accuracy/encoders.py OUT --treebank FOLDER --tables encoders
    windows --seeds 0 1 python benchmarks/accuracy/encoders.py OUT --report

FOLDER holds train.nonml.ptb, train.conllu, dev.nonml.ptb and dev.conllu. Each network
of the tables is trained with each seed, all for the same number of epochs, and scored
on the dev sentences with the weights of its last step. OUT gets one JSON file for each
network and seed, as soon as it is scored; present files are not made again, so that an
interrupted run is simply repeated. The factored network is also scored with attention
limited at test time. `--report` prints the tables of the present files in Markdown, and
writes a plot (`--plot FILE.svg`)."""

import argparse
import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.util import fix_random_seed
from thinc.api import Adam, warmup_linear

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from parity.attention import limited  # noqa: E402

import accuracy.frozen_vectors  # noqa: E402, F401 (registers the architecture)
from accuracy.encoder_report import report  # noqa: E402
from accuracy.encoder_rows import ROWS, TABLES, Size, limits_of_tables, model_block  # noqa: E402
from spacy_lal.evaluation.scorers import score_parses  # noqa: E402
from spacy_lal.loss.gold import gold_parses  # noqa: E402
from spacy_lal.models.batches import NetworkBatch, NetworkLayers, embed  # noqa: E402
from spacy_lal.models.parser import get_network  # noqa: E402
from spacy_lal.treebanks.docs import make_docs  # noqa: E402
from spacy_lal.treebanks.reader import read_treebank  # noqa: E402
from spacy_lal.trees import LabelVocab  # noqa: E402

SCORES = ("const_p", "const_r", "const_f", "const_cm", "dep_uas", "dep_las")
LIMITED = "factored"  # the network that is also scored with limits at test time
WARMUP = 0.15  # share of the steps


def read_docs(
    folder: Path, part: str, vocab: Any, longest: int, most: Optional[int]
) -> List[Doc]:
    """The first sentences of a treebank, a Doc each.

    longest (int): Longer ones are left out. most (Optional[int]): How many; None for
    all."""
    docs = make_docs(
        read_treebank(folder / f"{part}.nonml.ptb", folder / f"{part}.conllu"), vocab
    )
    return list(islice((doc for doc in docs if len(doc) <= longest), most))


def unparsed(doc: Doc) -> Doc:
    """A copy with tags and sentence boundaries alone: the gold tags are read."""
    starts = [True] + [False] * (len(doc) - 1)
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        tags=[token.tag_ for token in doc],
        sent_starts=starts,
    )


def train(
    nlp: Language, golds: List[Doc], args: argparse.Namespace, seed: int
) -> float:
    """Train a parser as `LALParser.update` does. Vectors and gold trees are read once;
    rare words are drawn for each
    epoch. RETURNS (float): Seconds of processor time, without the time that vectors
    take."""
    fix_random_seed(seed)
    parser: Any = nlp.get_pipe("lal_parser")
    docs = [unparsed(doc) for doc in golds]
    examples = [Example(doc, gold) for doc, gold in zip(docs, golds, strict=True)]
    parser.initialize(lambda: examples, nlp=nlp)
    reader, network = parser.model.layers[-2:]
    tok2vec = NetworkLayers.of(parser.model).tok2vec
    if tok2vec is not None:
        tok2vec.predict(docs)  # it keeps them
    labels, deprels = (
        LabelVocab(parser.label_data["constituents"]),
        parser.label_data["deprels"],
    )
    trees = [
        gold_parses(eg, labels, {deprel: i for i, deprel in enumerate(deprels)})[0]
        for eg in examples
    ]
    n_steps = args.epochs * len(_batches(range(len(docs)), docs, args.batch_words))
    rates = warmup_linear(args.learn_rate, int(WARMUP * n_steps), n_steps)
    optimizer = Adam(
        rates,
        beta1=0.9,
        beta2=0.98,
        eps=1e-9,
        L2=0.0,
        grad_clip=0.0,
        use_averages=False,
    )
    order, start = numpy.random.RandomState(seed), time.process_time()
    for epoch in range(args.epochs):
        features, loss = reader(docs, True)[0], 0.0
        for batch in _batches(
            order.permutation(len(docs)).tolist(), docs, args.batch_words
        ):
            given = NetworkBatch([features[i] for i in batch], None)
            if tok2vec is not None:
                given, _ = embed(parser.model, [docs[i] for i in batch], True)
            found, backprop = network(given, True)
            losses, gradients = parser.loss(found, [trees[i] for i in batch])
            backprop(gradients)
            parser.model.finish_update(optimizer)
            optimizer.step_schedules()
            loss += sum(losses.values())
        print(f"  epoch {epoch + 1}: loss {loss:.0f}", flush=True)
    return time.process_time() - start


def _batches(order: Sequence[int], docs: List[Doc], n_words: int) -> List[List[int]]:
    return list(minibatch_by_words(order, n_words, get_length=lambda i: len(docs[i])))


def scores(nlp: Language, golds: List[Doc]) -> Dict[str, Optional[float]]:
    """EVALB and attachment scores on gold tokens and tags, times 100."""
    parser = nlp.get_pipe("lal_parser")
    predicted = list(parser.pipe((unparsed(doc) for doc in golds), batch_size=256))
    found = score_parses(
        [Example(doc, gold) for doc, gold in zip(predicted, golds, strict=True)]
    )
    return {
        name: None if found[name] is None else 100.0 * found[name] for name in SCORES
    }


def limited_scores(
    nlp: Language, golds: List[Doc], n_layers: int
) -> Dict[str, Optional[float]]:
    """F1 with attention limited at test time."""
    layers: Any = get_network(nlp.get_pipe("lal_parser").model).encoder.layers
    found = {}
    for name, options in limits_of_tables(n_layers).items():
        numbers = options.pop("layers")
        with limited([layers[i].attention for i in numbers], **options):
            found[name] = scores(nlp, golds)["const_f"]
    return found


def run(name: str, seed: int, args: argparse.Namespace) -> Dict[str, Any]:
    """Train and score one network."""
    size = Size()
    nlp = spacy.blank("en")
    decoder = {"@misc": "spacy-lal.separate_decoder.v1"}
    nlp.add_pipe(
        "lal_parser",
        config={"model": model_block(ROWS[name], size), "decoder": decoder},
    )
    golds = read_docs(args.treebank, "train", nlp.vocab, args.longest, args.sentences)
    dev = read_docs(
        args.treebank, "dev", nlp.vocab, args.dev_longest, args.dev_sentences
    )
    seconds = train(nlp, golds, args, seed)
    network = get_network(nlp.get_pipe("lal_parser").model)
    result: Dict[str, Any] = {
        "row": name,
        "seed": seed,
        "settings": settings(args),
        "seconds": seconds,
    }
    result["n_parameters"] = sum(
        parameter.numel() for parameter in network.parameters()
    )
    result["n_encoder_parameters"] = sum(
        parameter.numel() for parameter in network.encoder.parameters()
    )
    result["train_words"], result["dev_words"] = (
        sum(map(len, golds)),
        sum(map(len, dev)),
    )
    result["scores"] = scores(nlp, dev)
    if not ROWS[name].heads:  # nothing is said of heads
        result["scores"].update(dep_uas=None, dep_las=None)
    if name == LIMITED:
        result["limited"] = limited_scores(nlp, dev, size.n_layers)
    return result


def settings(args: argparse.Namespace) -> Dict[str, Any]:
    """The settings of a result, apart from its row and seed."""
    names = (
        "sentences",
        "longest",
        "dev_sentences",
        "dev_longest",
        "epochs",
        "batch_words",
        "learn_rate",
    )
    return {name: getattr(args, name) for name in names}


def main(arguments: Optional[List[str]] = None) -> int:
    """Train and score the networks without a result; or print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, help="folder of the results")
    parser.add_argument("--treebank", type=Path, help="folder of the treebank")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument(
        "--rows",
        nargs="+",
        choices=ROWS,
        default=list(ROWS),
        help="only these networks",
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument(
        "--sentences", type=int, default=2000, help="training sentences, the first ones"
    )
    parser.add_argument(
        "--longest", type=int, default=20, help="most tokens of a training sentence"
    )
    parser.add_argument("--dev-sentences", type=int, default=400)
    parser.add_argument("--dev-longest", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-words", type=int, default=250)
    parser.add_argument("--learn-rate", type=float, default=0.003)
    parser.add_argument(
        "--report", action="store_true", help="print the tables of the present results"
    )
    parser.add_argument("--plot", type=Path, help="with --report: an SVG file to write")
    args = parser.parse_args(arguments)
    if args.report:
        print(report(args.output, args.plot))
        return 0
    if args.treebank is None:
        parser.error("--treebank is missing")
    args.output.mkdir(parents=True, exist_ok=True)
    for table in args.tables:
        for seed in args.seeds:
            for name in TABLES[table]:
                if name not in args.rows:
                    continue
                path = args.output / f"{name}-{seed}.json"
                if path.exists() and json.loads(path.read_text(encoding="utf8"))[
                    "settings"
                ] == settings(args):
                    continue
                print(f"{name}, seed {seed}", flush=True)
                result = run(name, seed, args)
                path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf8")
                print(f"  {result['scores']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
