"""What is the parser worth? Parsers side by side: same encoder, data, steps and machine, several seeds.

    python benchmarks/accuracy.py metrics/accuracy.jsonl --steps 8000 --seeds 0 1 \\
        --train corpus/train --dev EWT=corpus/dev/ewt.spacy GUM=corpus/dev/gum.spacy \\
        --components.transformer.model.name NAME_OR_PATH

trains every variant with every seed, scores each on the dev files (gold tokens and sentence breaks) and prints a
Markdown table for each of them. Other options override the config, as in `spacy train`. A line is added to the output
file as soon as a model is scored; what is there already is not done again, so an interrupted run is simply repeated.

Every pipeline is encoder, tagger and parser; a senter of the config is left out. The weights scored are those after the
last step, never the best on dev, so training looks at few dev Docs only (`--corpora.dev.limit`).
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import spacy
import torch
from spacy.cli._util import app, parse_config_overrides
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training.initialize import init_nlp
from spacy.util import load_config, registry
from thinc.api import Config, Model
from typer.main import get_command

from spacy_lal.cli.evaluate import read_docs
from spacy_lal.evaluation import parse_golds, score_docs
from spacy_lal.layers.encoders.encoder import EncoderConfig
from spacy_lal.layers.parser_network import ParserNetwork, ParserNetworkConfig, ParserSizes
from spacy_lal.metrics import COLLINS
from spacy_lal.pipeline.decoders import make_separate_decoder

ROOT = Path(__file__).resolve().parent.parent
PARSER = "lal_parser"
SCORES = {"const_f": "const_f", "dep_uas": "UAS", "dep_las": "LAS", "tag_acc": "tags"}
DEV_DOCS = 25  # looked at while training
# As spaCy's quickstart has it for transformers; its vectors are those of the config's tagger, which read what ours does
SPACY_PARSER: Dict[str, Any] = {
    "factory": "parser",
    "model": {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 128,
        "maxout_pieces": 3,
        "use_upper": False,
        "nO": None,
    },
}


@dataclass(frozen=True)
class Variant:
    """A parser to compare.

    title (str): For the table.
    changes (Dict[str, Any]): New values in the config's [components.lal_parser.model], by dotted names; a function is
        given the block that the option is in.
    weights (str): The variant whose weights it takes instead of training its own; "" for none.
    """

    title: str
    changes: Dict[str, Any] = field(default_factory=dict)
    weights: str = ""


def _label_layer(feed_forward: bool, residual_dropout: bool) -> Dict[str, Any]:
    """Hidden units of twice a block's width; as much dropout as on attention weights."""
    width: Callable[[Dict[str, Any]], int] = lambda block: 2 * block["proj_width"] if feed_forward else 0  # noqa: E731
    rate: Callable[[Dict[str, Any]], float] = lambda block: block["attention_dropout"] if residual_dropout else 0.0  # noqa: E731
    return {"label_attention.ff_width": width, "label_attention.residual_dropout": rate}


WITHOUT_LABEL_ATTENTION = {"label_attention": None, "span_scorer.label_heads": False}


# pwff and resdrop are Table 1 of Mrini et al. (2020): a feed-forward layer after label attention, and dropout on the
# label heads before the residual. Our feed-forward layer works on each label head's block, which stays readable.
VARIANTS = {
    "spacy": Variant("spaCy's `parser`"),
    "lal": Variant("`lal_parser`"),
    "separate": Variant("`lal_parser`, same weights, cky + eisner instead of the joint decoder", weights="lal"),
    "plain": Variant("no label attention, as many parameters", WITHOUT_LABEL_ATTENTION),
    "difference": Variant("spans scored from the difference of their ends", {"span_scorer.separate_endpoints": False}),
    "none": Variant("label attention alone", _label_layer(False, False)),
    "pwff": Variant("+ feed-forward (pwff)", _label_layer(True, False)),
    "resdrop": Variant("+ residual dropout (resdrop)", _label_layer(False, True)),
    "both": Variant("+ both", _label_layer(True, True)),
}


def pipeline_config(base: Config, name: str, *, seed: int) -> Config:
    """The config of a variant but for the widths of "plain", which follow from the data.

    base (Config): Of a pipeline with a `tagger` and a `lal_parser`, not interpolated.
    name (str): A key of `VARIANTS`.
    """
    config = base.copy()
    components = config["components"]
    components.pop("senter", None)
    config["nlp"]["pipeline"] = [pipe for pipe in config["nlp"]["pipeline"] if pipe != "senter"]
    config["system"]["seed"] = seed
    if name == "spacy":
        del components[PARSER]
        config["nlp"]["pipeline"] = ["parser" if pipe == PARSER else pipe for pipe in config["nlp"]["pipeline"]]
        model = {**SPACY_PARSER["model"], "tok2vec": components["tagger"]["model"]["tok2vec"]}
        components["parser"] = {**SPACY_PARSER, "model": model}
    else:
        change(components[PARSER]["model"], VARIANTS[name].changes)
    return config


def change(model: Dict[str, Any], changes: Dict[str, Any]) -> None:
    """Change the block of a model.

    changes (Dict[str, Any]): See `Variant`.
    RAISES (KeyError): There is no such block.
    """
    for name, value in changes.items():
        block, (*path, option) = model, name.split(".")
        for key in path:
            block = block[key]
        block[option] = value(block) if callable(value) else value


def hidden_widths(network: ParserNetworkConfig) -> Dict[str, int]:
    """The widths of all hidden layers of a network that scores spans and arcs, by their names in a record."""
    assert network.span_scorer is not None and network.biaffine_scorer is not None
    return {
        **{f"encoder.layers.{i}.ff_width": layer.ff_width for i, layer in enumerate(network.encoder.layers)},
        "span_scorer.hidden_width": network.span_scorer.hidden_width,
        "biaffine_scorer.arc_width": network.biaffine_scorer.arc_width,
        "biaffine_scorer.deprel_width": network.biaffine_scorer.deprel_width,
    }


def plain_network(base: ParserNetworkConfig, widths: Dict[str, int]) -> ParserNetworkConfig:
    """A network without label attention, with other widths of hidden layers."""
    assert base.span_scorer is not None and base.biaffine_scorer is not None
    layers = (
        replace(layer, ff_width=widths[f"encoder.layers.{i}.ff_width"]) for i, layer in enumerate(base.encoder.layers)
    )
    return replace(
        base,
        label_attention=None,
        encoder=EncoderConfig(tuple(layers)),
        span_scorer=replace(base.span_scorer, hidden_width=widths["span_scorer.hidden_width"], label_heads=False),
        biaffine_scorer=replace(
            base.biaffine_scorer,
            arc_width=widths["biaffine_scorer.arc_width"],
            deprel_width=widths["biaffine_scorer.deprel_width"],
        ),
    )


def equal_widths(base: ParserNetworkConfig, sizes: ParserSizes) -> Dict[str, int]:
    """The widths of hidden layers with which a network without label attention has as many parameters as with it: one
    factor for all of them, found by bisection.

    base (ParserNetworkConfig): The network with label attention.
    sizes (ParserSizes): Its sizes from data.
    RETURNS (Dict[str, int]): By the names of `hidden_widths`.
    """
    wanted, present = n_network_parameters(base, sizes), hidden_widths(base)
    low, high = 1 / 64, 64.0
    for _ in range(30):
        factor = (low * high) ** 0.5
        widths = {name: max(2, round(width * factor)) for name, width in present.items()}
        if n_network_parameters(plain_network(base, widths), sizes) < wanted:
            low = factor
        else:
            high = factor
    return widths


def n_network_parameters(config: ParserNetworkConfig, sizes: ParserSizes) -> int:
    """Parameters of a network, which is not really made."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in ParserNetwork(config, sizes).parameters())


def n_parameters(model: Model) -> int:
    """Parameters of a thinc model and of the torch networks in it."""
    total = 0
    for node in model.walk():
        total += sum(node.get_param(name).size for name in node.param_names if node.has_param(name))
        for shim in node.shims:
            total += sum(parameter.numel() for parameter in shim._model.parameters())
    return total


def train(config: Config, folder: Path, gpu_id: int) -> Path:
    """Train a pipeline, or go on with a training that was interrupted; one that has ended is not begun again.

    RETURNS (Path): Its last weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config.to_disk(folder / "config.cfg")
    registry.cli.get_all()
    arguments = ["lal", "train", str(folder / "config.cfg"), "--output", str(folder), "--gpu-id", str(gpu_id)]
    exit_code = get_command(app)(arguments, standalone_mode=False)
    if exit_code:
        raise SystemExit(exit_code)
    return folder / "model-last"


def score(nlp: Language, dev: Dict[str, Path]) -> Dict[str, Any]:
    """Parameters of the parser and of the whole pipeline, and the scores on each dev file."""
    corpora = {}
    for name, path in dev.items():
        golds = read_docs(path, nlp)
        docs, seconds = parse_golds(nlp, golds)
        corpora[name] = score_docs(docs, golds, COLLINS, seconds=seconds)
    sizes = {name: n_parameters(pipe.model) for name, pipe in nlp.pipeline if isinstance(pipe, TrainablePipe)}
    return {"parser_parameters": sizes[nlp.pipe_names[-1]], "parameters": sum(sizes.values()), "dev": corpora}


class Comparison:
    """Trainings and scores of variants, kept in a file of JSON lines.

    path (Path): The file; the weights are in a folder of the same name without suffix.
    base (Config): See `pipeline_config`.
    settings (Dict[str, Any]): What the lines of a file must have in common.
    dev (Dict[str, Path]): Dev files by name.
    RAISES (ValueError): Where the file has lines of other settings.
    """

    def __init__(self, path: Path, base: Config, settings: Dict[str, Any], dev: Dict[str, Path], gpu_id: int) -> None:
        self.path, self.base, self.settings, self.dev, self.gpu_id = path, base, settings, dev, gpu_id
        lines = path.read_text(encoding="utf8").splitlines() if path.exists() else []
        self.rows: List[Dict[str, Any]] = [json.loads(line) for line in lines]
        for row in self.rows:
            if row["settings"] != settings:
                raise ValueError(f"{path} has results of other settings: {row['settings']}, not {settings}")
        self._widths: Optional[Dict[str, int]] = None

    def run(self, name: str, seed: int) -> None:
        """Train and score a variant, unless that is done."""
        if any((row["variant"], row["seed"]) == (name, seed) for row in self.rows):
            return
        trained = VARIANTS[name].weights or name
        config = pipeline_config(self.base, trained, seed=seed)
        if trained == "plain":
            change(config["components"][PARSER]["model"], self._plain_widths())
        nlp = spacy.load(train(config, self.path.with_suffix("") / f"{trained}-{seed}", self.gpu_id))
        if name == "separate":
            nlp.get_pipe(PARSER).decoder = make_separate_decoder("eisner")  # type: ignore[attr-defined]
        row = {"variant": name, "seed": seed, **score(nlp, self.dev), "settings": self.settings}
        self.rows.append(row)
        with self.path.open("a", encoding="utf8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def _plain_widths(self) -> Dict[str, int]:
        if self._widths is None:
            nlp = init_nlp(pipeline_config(self.base, "lal", seed=0).interpolate())
            model = nlp.get_pipe(PARSER).model  # type: ignore[attr-defined]
            network = model.attrs["get_network"](model)
            # layers of the encoder are named in a config
            names = list(self.base["components"][PARSER]["model"]["encoder"].get("*", {}))
            self._widths = {
                re.sub(r"layers\.(\d+)", lambda match: f"*.{names[int(match[1])]}", name): width
                for name, width in equal_widths(network.config, network.sizes).items()
            }
        return self._widths

    def tables(self, names: List[str]) -> str:
        """A Markdown table for each dev file: the mean over seeds and, where there are several, least and greatest."""
        return "\n\n".join(f"**{corpus} dev**\n\n" + "\n".join(self._table(corpus, names)) for corpus in self.dev)

    def _table(self, corpus: str, names: List[str]) -> List[str]:
        lines = [
            f"| | parser's parameters | seeds | {' | '.join(SCORES.values())} | words/s |",
            f"|---|--:|--:|{'--:|' * (len(SCORES) + 1)}",
        ]
        for name in names:
            rows = [row for row in self.rows if row["variant"] == name]
            if rows:
                metrics = [row["dev"][corpus] for row in rows]
                cells = [_cell([100 * m[key] for m in metrics if m[key] is not None]) for key in SCORES]
                speed = sum(m["words_per_second"] for m in metrics) / len(metrics)
                size = f"{rows[0]['parser_parameters'] / 1e6:.2f}M"
                lines.append(
                    f"| {VARIANTS[name].title} | {size} | {len(rows)} | {' | '.join(cells)} | {round(speed, -1):.0f} |"
                )
        return lines


def _cell(values: List[float]) -> str:
    if not values:
        return "-"
    spread = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else ""
    return f"{sum(values) / len(values):.2f}{spread}"


def base_config(path: Path, train_path: str, dev_path: Path, steps: int, overrides: Dict[str, Any]) -> Config:
    """The config that all variants share: a fixed number of steps, and a schedule that ends with them."""
    values = {
        "paths.train": train_path,
        "paths.dev": str(dev_path),
        "corpora.dev.limit": DEV_DOCS,
        "training.max_steps": steps,
        "training.max_epochs": 0,
        "training.patience": 0,
    }
    if "total_steps" in load_config(path)["training"]["optimizer"]["learn_rate"]:
        values["training.optimizer.learn_rate.total_steps"] = steps
    return load_config(path, overrides={**values, **overrides})


def main(arguments: Optional[List[str]] = None) -> int:
    """Train, score, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="file of JSON lines, one for each variant and seed")
    parser.add_argument("--config", type=Path, default=ROOT / "configs" / "lal_trf.cfg", help="what is varied")
    parser.add_argument("--train", required=True, help="a .spacy file, or a folder of some")
    parser.add_argument("--dev", required=True, nargs="+", metavar="NAME=FILE", help=".spacy files to score on")
    parser.add_argument(
        "--variants", nargs="+", choices=VARIANTS, default=[name for name in VARIANTS if name != "none"]
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--steps", type=int, required=True, help="training steps, the schedule's end")
    parser.add_argument("--gpu-id", type=int, default=-1)
    args, rest = parser.parse_known_args(arguments)
    if not all("=" in item for item in args.dev):
        parser.error(f"--dev takes NAME=FILE, got {args.dev}")
    if args.gpu_id >= 0:
        spacy.require_gpu(args.gpu_id)
    dev = {name: Path(path) for name, path in (item.split("=", 1) for item in args.dev)}
    overrides = parse_config_overrides(rest)
    settings = {
        **{"config": args.config.name, "train": args.train, "dev": args.dev, "steps": args.steps},
        "overrides": overrides,
    }
    base = base_config(args.config, args.train, next(iter(dev.values())), args.steps, overrides)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    comparison = Comparison(args.output, base, settings, dev, args.gpu_id)
    for seed in args.seeds:
        for name in args.variants:
            comparison.run(name, seed)
    print(comparison.tables(args.variants))
    return 0


if __name__ == "__main__":
    sys.exit(main())
