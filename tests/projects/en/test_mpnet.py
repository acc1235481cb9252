"""The bundled pipeline's config on an MPNet: the transformer of projects/en, at
a size for tests."""

from pathlib import Path

import pytest
import spacy
import torch
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.initialize import init_nlp
from tiny_training import tiny_config, write_toy_corpora
from transformers import MPNetConfig, MPNetModel, MPNetTokenizerFast

LETTERS = "abcdefghijklmnopqrstuvwxyz.,'"


@pytest.fixture(scope="module")
def mpnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an `MPNetModel` (2 layers, width 16) and a WordPiece vocabulary of
    letters."""
    path = tmp_path_factory.mktemp("mpnet")
    pieces = [
        "<s>",
        "<pad>",
        "</s>",
        "[UNK]",
        *LETTERS,
        *(f"##{letter}" for letter in LETTERS),
        "<mask>",
    ]
    (path / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf8")
    MPNetTokenizerFast(str(path / "vocab.txt")).save_pretrained(str(path))
    sizes = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = MPNetConfig(
            vocab_size=len(pieces),
            max_position_embeddings=140,
            initializer_range=0.5,
            **sizes,
        )
        MPNetModel(config).save_pretrained(str(path))
    return path


def test_it_trains_saves_and_parses_alone_as_in_a_batch(mpnet: Path, tmp_path: Path):
    write_toy_corpora(tmp_path)
    factors = {"embeddings.": 0.0, "encoder.": 0.2, "span_scorer.ties.": 10.0}
    changes = {"training.optimizer.rate_factors": factors}
    nlp = init_nlp(tiny_config(tmp_path, transformer=mpnet, changes=changes))
    gold = list(DocBin().from_disk(tmp_path / "train.spacy").get_docs(nlp.vocab))[:4]
    examples = [
        Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc)
        for doc in gold
    ]
    before = nlp.get_pipe("transformer").model.to_bytes()
    optimizer = nlp.resume_training()
    for _ in range(3):
        optimizer.step_schedules()  # the rate begins at 0
        losses = nlp.update(examples, sgd=optimizer)
    assert losses["lal_parser"] > 0
    assert nlp.get_pipe("transformer").model.to_bytes() != before
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    texts = [
        "The cat sat on the mat.",
        "Dogs bark, and the old cat that saw them ran.",
        "Yes.",
        "",
    ]
    in_batch = [
        (doc._.parse_string, [token.head.i for token in doc]) for doc in nlp.pipe(texts)
    ]
    assert [
        (doc._.parse_string, [token.head.i for token in doc])
        for doc in map(loaded, texts)
    ] == in_batch
