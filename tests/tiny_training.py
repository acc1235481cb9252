"""Trainings that take seconds, for tests of interruptions: the configs that we publish,
small, on the toy treebank.

Signals are real ones, sent from within a training: `SIGNALS` says before which step.
"""

import filecmp
import io
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import spacy
from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import dict_to_dot, load_config
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import read_treebank

ROOT = Path(__file__).resolve().parent.parent
# Step -> signal that comes at its beginning, once.
SIGNALS: Dict[int, int] = {}
SMALL: Dict[str, Any] = {
    "hidden_width": 8,
    "encoder.*.self_attention.repeat": 1,
    "encoder.*.self_attention.n_heads": 2,
    "encoder.*.self_attention.attn_width": 4,
    "encoder.*.self_attention.ff_width": 8,
    "label_attention.n_heads": 2,
    "label_attention.attn_width": 4,
    "label_attention.proj_width": 4,
    "span_scorer.hidden_width": 8,
    "biaffine_scorer.arc_width": 8,
    "biaffine_scorer.deprel_width": 8,
    "inputs.*.chars.char_width": 4,
}
SHORT: Dict[str, Any] = {
    "training.max_steps": 8,
    "training.eval_frequency": 4,
    "training.batcher.size": 200,
    "training.optimizer.learn_rate.warmup_steps": 2,
    "training.optimizer.learn_rate.total_steps": 20,
    "training.optimizer.learn_rate.initial_rate": 0.01,
    "system.gpu_allocator": None,
}


@spacy.registry.callbacks("tiny_training.signals.v1")
def make_signals() -> Callable[[Language, Dict[str, Any]], None]:
    """For `[training.before_update]`: sends this process the signal that `SIGNALS` has
    for the step."""

    def send(nlp: Language, args: Dict[str, Any]) -> None:
        if args["step"] in SIGNALS:
            os.kill(os.getpid(), SIGNALS.pop(args["step"]))

    return send


def write_toy_corpora(folder: Path) -> None:
    """`train.spacy` and `dev.spacy`, a sentence a Doc."""
    for name in ("train", "dev"):
        files = (
            ROOT / "assets" / "toy" / f"{name}.{suffix}" for suffix in ("ptb", "conllu")
        )
        write_docs(make_docs(read_treebank(*files), Vocab()), folder / f"{name}.spacy")


def tiny_config(
    corpora: Path,
    *,
    transformer: Optional[Path] = None,
    changes: Optional[Dict[str, Any]] = None,
) -> Config:
    """`lal_sm`, or `lal_trf` with a transformer of the tests, at a size for tests.

    corpora (Path): A folder that `write_toy_corpora` has filled.
    transformer (Optional[Path]): Loaded by path.
    changes (Optional[Dict[str, Any]]): Values by dotted name; a dict replaces a
    section."""
    kind = "lal_sm" if transformer is None else "lal_trf"
    path = ROOT / "configs" / f"{kind}.cfg"
    given = dict_to_dot(load_config(path)["components"]["lal_parser"]["model"])
    values: Dict[str, Any] = {
        f"paths.{name}": str(corpora / f"{name}.spacy") for name in ("train", "dev")
    }
    values.update(SHORT)
    values.update(
        {
            f"components.lal_parser.model.{name}": size
            for name, size in SMALL.items()
            if name in given
        }
    )
    if transformer is None:
        values["components.tok2vec.model.encode.width"] = 8
        values["components.tok2vec.model.embed.rows"] = [50, 50, 50]
    else:
        values["components.transformer.model.name"] = str(transformer)
    config = load_config(path, overrides=values)
    config["training"]["before_update"] = {"@callbacks": "tiny_training.signals.v1"}
    for name, value in (changes or {}).items():
        *sections, last = name.split(".")
        section = config
        for part in sections:
            section = section[part]
        section[last] = value
    return config


def uninterrupted(config: Config, output: Path) -> str:
    """spaCy's own training; what it logs."""
    output.mkdir()
    stdout = io.StringIO()
    train(init_nlp(config), output, stdout=stdout, stderr=io.StringIO())
    return stdout.getvalue()


def rows(log: str) -> List[str]:
    """The rows of the console logger: epoch, step, losses, scores."""
    return [line for line in log.splitlines() if line.strip()[:1].isdigit()]


def assert_same_models(output: Path, expected: Path) -> None:
    """`model-best` and `model-last` have the same files, with the same bytes."""
    for name in ("model-best", "model-last"):
        folders = (output / name, expected / name)
        files = [
            sorted(str(path.relative_to(d)) for path in d.rglob("*") if path.is_file())
            for d in folders
        ]
        assert files[0] == files[1]
        _, different, errors = filecmp.cmpfiles(*folders, files[0], shallow=False)
        assert not different and not errors
