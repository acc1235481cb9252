"""The configs: accepted by spaCy, built, trained for some steps, saved, loaded, and
independent of the batch. One more goes on from a trained pipeline.

The transformer is a tiny real XLNet that the tests make: nothing is fetched.
"""

from pathlib import Path
from typing import Any, Dict, List

import pytest
import spacy
from spacy.cli.debug_config import debug_config
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import dict_to_dot, load_config, registry
from tiny_xlnet import tiny_xlnet  # noqa: F401 (a fixture)

ROOT = Path(__file__).resolve().parent.parent
# One for roles goes on from a trained pipeline: see `test_srl_config.py`.
CONFIGS = sorted(
    path
    for path in (ROOT / "configs").glob("*.cfg")
    if path.name not in ("srl.cfg", "lal_e5.cfg")
)
SENTENCES: List[Dict[str, Any]] = [
    {
        "words": ["She", "sleeps", "."],
        "tags": ["PRP", "VBZ", "."],
        "heads": [1, 1, 1],
        "deps": ["nsubj", "root", "punct"],
        "constituents": [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP")],
    },
    {
        "words": ["The", "old", "cat", "sees", "the", "mat", "."],
        "tags": ["DT", "JJ", "NN", "VBZ", "DT", "NN", "."],
        "heads": [2, 2, 3, 3, 5, 3, 3],
        "deps": ["det", "amod", "nsubj", "root", "det", "obj", "punct"],
        "constituents": [(0, 7, "S"), (0, 3, "NP"), (3, 6, "VP"), (4, 6, "NP")],
    },
    {
        "words": ["Stop", "!"],
        "tags": ["VB", "."],
        "heads": [0, 0],
        "deps": ["root", "punct"],
        "constituents": [(0, 2, "S"), (0, 1, "VP")],
    },
]
# Sizes at which the largest network fits a test; what a config switches on stays on.
# Each layer has those of a layer.
LAYER: Dict[str, Any] = {"repeat": 1, "n_heads": 2, "attn_width": 4, "ff_width": 8}
SMALL: Dict[str, Dict[str, Any]] = {
    "label_attention": {"attn_width": 4, "proj_width": 4},
    "span_scorer": {"hidden_width": 8},
    "biaffine_scorer": {"arc_width": 8, "deprel_width": 8},
}


def small(path: Path) -> Dict[str, Any]:
    """Small sizes for a config: of the blocks that it has."""
    model = load_config(path)["components"]["lal_parser"]["model"]
    changes: Dict[str, Any] = {"hidden_width": 16}
    blocks = {
        name: sizes for name, sizes in SMALL.items() if model.get(name) is not None
    }
    blocks |= {f"encoder.*.{name}": LAYER for name in model["encoder"].get("*", {})}
    for name, sizes in blocks.items():
        changes |= {f"{name}.{option}": size for option, size in sizes.items()}
    return {
        f"components.lal_parser.model.{name}": size for name, size in changes.items()
    }


def gold_doc(vocab: Any, sentence: Dict[str, Any]) -> Doc:
    fields = {name: sentence[name] for name in ("words", "tags", "heads", "deps")}
    doc = Doc(vocab, **fields)
    doc.spans["constituents"] = [
        Span(doc, start, end, label) for start, end, label in sentence["constituents"]
    ]
    return doc


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "train.spacy"
    vocab = spacy.blank("en").vocab
    DocBin(
        docs=[gold_doc(vocab, sentence) for sentence in SENTENCES], store_user_data=True
    ).to_disk(path)
    return path


def overrides(
    path: Path, treebank: Path, request: pytest.FixtureRequest
) -> Dict[str, Any]:
    values: Dict[str, Any] = {
        "paths.train": str(treebank),
        "paths.dev": str(treebank),
        "system.gpu_allocator": None,
    }
    if "transformer" in load_config(path)["components"]:
        values["components.transformer.model.name"] = str(
            request.getfixturevalue("tiny_xlnet")
        )
    return values


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_debug_config_accepts_it(
    path: Path, treebank: Path, request: pytest.FixtureRequest
):
    debug_config(
        path,
        overrides=overrides(path, treebank, request),
        show_funcs=True,
        show_vars=True,
    )
    config = load_config(
        path, interpolate=False
    )  # as `nlp.initialize()` resolves it, without other sections
    assert registry.resolve({"optimizer": config["training"]["optimizer"]})["optimizer"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_train_save_load(
    path: Path, treebank: Path, request: pytest.FixtureRequest, tmp_path: Path
):
    changes = {**overrides(path, treebank, request), **small(path)}
    changes.update(
        {
            "training.max_steps": 2,
            "training.max_epochs": 0,
            "training.eval_frequency": 1,
        }
    )
    config = load_config(path, overrides=changes)
    nlp = init_nlp(config)
    nlp, _ = train(nlp, tmp_path, use_gpu=-1)
    loaded = spacy.load(tmp_path / "model-last")
    words = [sentence["words"] for sentence in SENTENCES]
    batch = [scores(loaded, one) for one in [words, [words[0]], [words[1]], [words[2]]]]
    for together, alone in zip(batch[0], [one[0] for one in batch[1:]], strict=True):
        for field in ("labels", "arcs", "deprels"):
            assert getattr(together, field) == pytest.approx(
                getattr(alone, field), abs=1e-5
            )
    for before, after in zip(scores(nlp, words), batch[0], strict=True):
        # What was loaded has its tables multiplied by the next layer.
        assert before.arcs == pytest.approx(after.arcs, abs=1e-4)
        assert before.labels == pytest.approx(after.labels, abs=1e-4)


def scores(nlp: Language, sentences: List[List[str]]) -> List[Any]:
    """What the parser's network says of sentences that go through the pipeline
    together."""
    docs = [
        Doc(nlp.vocab, words=words, sent_starts=[True] + [False] * (len(words) - 1))
        for words in sentences
    ]
    for name, component in nlp.pipeline:
        if name == "lal_parser":
            return component.model.predict(docs)
        docs = list(component.pipe(docs, batch_size=len(docs)))
    raise ValueError("no parser")


def test_the_published_model_is_as_published():
    """Section 6 of the reference's description, "best script", but for its feed-forward
    network, which mixes label heads, and its deprels, which are scored without the
    head: those are `spacy-lal.ReferenceParser.v1`'s."""
    config = load_config(ROOT / "configs" / "lal_xlnet.cfg", interpolate=True)
    model = config["components"]["lal_parser"]["model"]
    assert config["components"]["transformer"]["model"]["name"] == "xlnet-large-cased"
    assert model["tok2vec"]["pooling"] == {"@layers": "reduce_last.v1"}
    expected = {
        "hidden_width": 1024,
        "inputs.join": "concat",
        "inputs.max_positions": 300,
        "inputs.dropout": 0.2,
        "inputs.*.tags.dropout": 0.2,
        "encoder.*.self_attention.repeat": 3,
        "encoder.*.self_attention.n_heads": 8,
        "encoder.*.self_attention.attn_width": 64,
        "encoder.*.self_attention.ff_width": 2048,
        "label_attention.attn_width": 128,
        "label_attention.proj_width": 128,
        "fenceposts.scale_label_blocks": False,
        "span_scorer.hidden_width": 250,
        "biaffine_scorer.arc_width": 1024,
        "biaffine_scorer.deprel_width": 250,
    }
    flat = dict_to_dot(model)
    assert {name: flat[name] for name in expected} == expected
    assert "label_attention.residual_dropout" not in flat  # 0
    assert config["training"]["optimizer"]["learn_rate"]["initial_rate"] == 5e-5
    assert config["training"]["optimizer"]["learn_rate"]["warmup_steps"] == 160
    assert config["training"]["batcher"]["size"] == 100
