"""Trainings and scores of variants, and the tables of them."""

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Optional

import spacy
from spacy.cli._util import app
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training.initialize import init_nlp
from spacy.util import registry
from thinc.api import Config
from typer.main import get_command

from accuracy.variants import PARSER, VARIANTS, change, pipeline_config
from accuracy.widths import equal_widths, n_parameters
from spacy_lal.cli.io import read_docs
from spacy_lal.evaluation.docs import parse_golds, score_docs
from spacy_lal.evaluation.evalb_params import COLLINS
from spacy_lal.models.parser import get_network
from spacy_lal.pipeline.decoders import make_separate_decoder

SCORES = {"const_f": "const_f", "dep_uas": "UAS", "dep_las": "LAS", "tag_acc": "tags"}


def train(config: Config, folder: Path, gpu_id: int) -> Path:
    """Train a pipeline, or go on with a training that was interrupted; one that has
    ended is not begun again.

    RETURNS (Path): Its last weights.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config.to_disk(folder / "config.cfg")
    registry.cli.get_all()
    arguments = [
        "lal",
        "train",
        str(folder / "config.cfg"),
        "--output",
        str(folder),
        "--gpu-id",
        str(gpu_id),
    ]
    exit_code = get_command(app)(arguments, standalone_mode=False)
    if exit_code:
        raise SystemExit(exit_code)
    return folder / "model-last"


def score(nlp: Language, dev: Dict[str, Path]) -> Dict[str, Any]:
    """Parameters of the parser and of the whole pipeline, and the scores on each dev
    file."""
    corpora = {}
    for name, path in dev.items():
        golds = read_docs(path, nlp.vocab)
        docs, seconds = parse_golds(nlp, golds)
        corpora[name] = score_docs(docs, golds, COLLINS, seconds=seconds)
    sizes = {
        name: n_parameters(pipe.model)
        for name, pipe in nlp.pipeline
        if isinstance(pipe, TrainablePipe)
    }
    return {
        "parser_parameters": sizes[nlp.pipe_names[-1]],
        "parameters": sum(sizes.values()),
        "dev": corpora,
    }


class Comparison:
    """Trainings and scores of variants, kept in a file of JSON lines.

    path (Path): The file; the weights are in a folder of the same name without suffix.
    base (Config): See `pipeline_config`.
    settings (Dict[str, Any]): What the lines of a file must have in common.
    dev (Dict[str, Path]): Dev files by name.
    RAISES (ValueError): Where the file has lines of other settings.
    """

    def __init__(
        self,
        path: Path,
        base: Config,
        settings: Dict[str, Any],
        dev: Dict[str, Path],
        gpu_id: int,
    ) -> None:
        self.path, self.base, self.settings, self.dev, self.gpu_id = (
            path,
            base,
            settings,
            dev,
            gpu_id,
        )
        lines = path.read_text(encoding="utf8").splitlines() if path.exists() else []
        self.rows: List[Dict[str, Any]] = [json.loads(line) for line in lines]
        for row in self.rows:
            if row["settings"] != settings:
                raise ValueError(
                    f"{path} has results of other settings: {row['settings']}, not "
                    f"{settings}"
                )
        self._widths: Optional[Dict[str, int]] = None

    def run(self, name: str, seed: int) -> None:
        """Train and score a variant, unless that is done."""
        if any((row["variant"], row["seed"]) == (name, seed) for row in self.rows):
            return
        trained = VARIANTS[name].weights or name
        config = pipeline_config(self.base, trained, seed=seed)
        if trained == "plain":
            change(config["components"][PARSER]["model"], self._plain_widths())
        nlp = spacy.load(
            train(config, self.path.with_suffix("") / f"{trained}-{seed}", self.gpu_id)
        )
        if name == "separate":
            # type: ignore[attr-defined]
            nlp.get_pipe(PARSER).decoder = make_separate_decoder("eisner")
        row = {
            "variant": name,
            "seed": seed,
            **score(nlp, self.dev),
            "settings": self.settings,
        }
        self.rows.append(row)
        with self.path.open("a", encoding="utf8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def _plain_widths(self) -> Dict[str, int]:
        if self._widths is None:
            nlp = init_nlp(pipeline_config(self.base, "lal", seed=0).interpolate())
            model = nlp.get_pipe(PARSER).model  # type: ignore[attr-defined]
            network = get_network(model)
            # layers of the encoder are named in a config
            names = list(
                self.base["components"][PARSER]["model"]["encoder"].get("*", {})
            )
            self._widths = {
                re.sub(
                    r"layers\.(\d+)", lambda match: f"*.{names[int(match[1])]}", name
                ): width
                for name, width in equal_widths(network.config, network.sizes).items()
            }
        return self._widths

    def tables(self, names: List[str]) -> str:
        """A Markdown table for each dev file: the mean over seeds and, where there are
        several, least and greatest."""
        return "\n\n".join(
            f"**{corpus} dev**\n\n" + "\n".join(self._table(corpus, names))
            for corpus in self.dev
        )

    def _table(self, corpus: str, names: List[str]) -> List[str]:
        lines = [
            f"| | parser's parameters | seeds | {' | '.join(SCORES.values())} | "
            "words/s |",
            f"|---|--:|--:|{'--:|' * (len(SCORES) + 1)}",
        ]
        for name in names:
            rows = [row for row in self.rows if row["variant"] == name]
            if rows:
                metrics = [row["dev"][corpus] for row in rows]
                cells = [
                    _cell([100 * m[key] for m in metrics if m[key] is not None])
                    for key in SCORES
                ]
                speed = sum(m["words_per_second"] for m in metrics) / len(metrics)
                size = f"{rows[0]['parser_parameters'] / 1e6:.2f}M"
                lines.append(
                    f"| {VARIANTS[name].title} | {size} | {len(rows)} | "
                    f"{' | '.join(cells)} | {round(speed, -1):.0f} |"
                )
        return lines


def _cell(values: List[float]) -> str:
    if not values:
        return "-"
    spread = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 else ""
    return f"{sum(values) / len(values):.2f}{spread}"
