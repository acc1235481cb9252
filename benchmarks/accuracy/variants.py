"""The parsers that `accuracy.py` compares, as configs of pipelines: spaCy's, ours, and
ours with other options."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Optional

from spacy.util import load_config
from thinc.api import Config

PARSER = "lal_parser"
# As spaCy's quickstart has it for transformers; its vectors are those of the config's
# tagger, which read what ours does
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
    changes (Dict[str, Any]): New values in the config's [components.lal_parser.model],
        by dotted names; a function is given the block that the option is in.
    weights (str): The variant whose weights it takes instead of training its own; ""
    for none."""

    title: str
    changes: Dict[str, Any] = field(default_factory=dict)
    weights: str = ""


def _encoder_layer(selector: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """One self-attention layer of the parser's own on the pretrained encoder: 8 heads
    of 32.

    selector (Optional[Dict[str, Any]]): Block that chooses the pairs which attend to
    each other; None for all."""
    layer = {
        "@misc": "spacy-lal.SelfAttentionLayer.v1",
        **{
            "repeat": 1,
            "n_heads": 8,
            "attn_width": 32,
            "ff_width": 768,
            "factored": False,
            "selector": selector,
        },
        **{"attention_dropout": 0.1, "relu_dropout": 0.1, "residual_dropout": 0.1},
    }
    return {"encoder": {"@misc": "spacy-lal.Encoder.v1", "*": {"own": layer}}}


SELECTOR = {"@misc": "spacy-lal.Selector.v1", "mode": "hard", "on_empty": "all"}
WITHOUT_LABEL_ATTENTION = {"label_attention": None, "span_scorer.label_heads": False}


# resdrop is of Table 1 of Mrini et al. (2020): dropout on the label heads before the
# residual. attention and selective are self-attention (Geng et al. 2020) between the
# pretrained encoder and label attention.
VARIANTS = {
    "spacy": Variant("spaCy's `parser`"),
    "lal": Variant("`lal_parser`"),
    "separate": Variant(
        "`lal_parser`, same weights, cky + eisner instead of the joint decoder",
        weights="lal",
    ),
    "plain": Variant("no label attention, as many parameters", WITHOUT_LABEL_ATTENTION),
    "difference": Variant(
        "spans scored from the difference of their ends",
        {"span_scorer.separate_endpoints": False},
    ),
    "none": Variant("label attention alone", {"label_attention.residual_dropout": 0.0}),
    "resdrop": Variant(
        "+ residual dropout (resdrop)",
        {"label_attention.residual_dropout": lambda block: block["attention_dropout"]},
    ),
    "attention": Variant(
        "`lal_parser` + one self-attention layer", _encoder_layer(None)
    ),
    "selective": Variant(
        "`lal_parser` + one selective self-attention layer", _encoder_layer(SELECTOR)
    ),
}

OTHERS = ("none", "attention", "selective")  # trained where they are named


def base_config(
    path: Path, train_path: str, dev_path: Path, steps: int, overrides: Dict[str, Any]
) -> Config:
    """The config that all variants share: a fixed number of steps, and a schedule that
    ends with them."""
    values = {
        "paths.train": train_path,
        "paths.dev": str(dev_path),
        "training.eval_frequency": steps,
        "training.max_steps": steps,
        "training.max_epochs": 0,
        "training.patience": 0,
    }
    if "total_steps" in load_config(path)["training"]["optimizer"]["learn_rate"]:
        values["training.optimizer.learn_rate.total_steps"] = steps
    return load_config(path, overrides={**values, **overrides})


def pipeline_config(base: Config, name: str, *, seed: int) -> Config:
    """The config of a variant but for the widths of "plain", which follow from the
    data.

    base (Config): Of a pipeline with a `tagger` and a `lal_parser`, not interpolated.
    name (str): A key of `VARIANTS`.
    """
    config = base.copy()
    components = config["components"]
    components.pop("senter", None)
    config["nlp"]["pipeline"] = [
        pipe for pipe in config["nlp"]["pipeline"] if pipe != "senter"
    ]
    config["system"]["seed"] = seed
    if name == "spacy":
        del components[PARSER]
        config["nlp"]["pipeline"] = [
            "parser" if pipe == PARSER else pipe for pipe in config["nlp"]["pipeline"]
        ]
        model = {
            **SPACY_PARSER["model"],
            "tok2vec": components["tagger"]["model"]["tok2vec"],
        }
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
