"""Tiny real transformers for tests, made on the spot and loaded by path: no download,
no weights of others.

In a test module: `from tiny_xlnet import tiny_xlnet  # noqa: F401` (or rely on a
conftest.py that does).
"""

from importlib.metadata import version
from pathlib import Path

import pytest

# transformers 5 has fast tokenizers alone.
needs_slow_tokenizers = pytest.mark.skipif(
    int(version("transformers").split(".")[0]) >= 5,
    reason="transformers 5 has no slow tokenizers",
)
SENTENCES = (
    "The quick brown fox jumps over the lazy dog .",
    "Her mother does n't know that the parser reads trees , and does not ask .",
    "Two small birds sang in the old garden ( near the river ) while it rained .",
    "He said : `` We will train it on a tiny treebank of our own . ''",
    "When the rain stopped , children ran out to play with a red ball .",
)


@pytest.fixture(scope="session")
def tiny_xlnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an `XLNetModel` (2 layers, width 16) and a SentencePiece tokenizer
    trained on a few sentences."""
    sentencepiece = pytest.importorskip("sentencepiece")
    pytest.importorskip(
        "google.protobuf"
    )  # transformers converts the slow tokenizer to the fast one with it
    import torch
    from transformers import XLNetConfig, XLNetModel, XLNetTokenizer

    path = tmp_path_factory.mktemp("tiny_xlnet")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 20),
        model_prefix=str(path / "spiece"),
        vocab_size=120,
        hard_vocab_limit=False,
        character_coverage=1.0,
        control_symbols=["<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"],
        minloglevel=2,
    )
    tokenizer = XLNetTokenizer.from_pretrained(
        str(path)
    )  # transformers 5 no longer takes the file itself
    tokenizer.save_pretrained(str(path))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = XLNetConfig(
            vocab_size=len(tokenizer),
            d_model=16,
            n_layer=2,
            n_head=2,
            d_inner=32,
            initializer_range=0.5,
        )
        XLNetModel(config).save_pretrained(str(path))
    return path


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `BertModel` (1 layer, width 8, at most 24 pieces) and a WordPiece
    vocabulary of letters."""
    return make_bert(tmp_path_factory.mktemp("tiny_bert"), max_pieces=24)


def make_bert(path: Path, *, max_pieces: int) -> Path:
    """Save a `BertModel` (1 layer, width 8) and a WordPiece vocabulary of letters in a
    folder."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    letters = sorted(
        {char for sentence in SENTENCES for char in sentence if char != " "}
    )
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "The",
        "the",
        *letters,
        *(f"##{char}" for char in letters),
    ]
    (path / "vocab.txt").write_text(
        "\n".join(dict.fromkeys(pieces)) + "\n", encoding="utf8"
    )
    tokenizer = BertTokenizer(str(path / "vocab.txt"), do_lower_case=False)
    tokenizer.save_pretrained(str(path))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=max_pieces,
            initializer_range=0.5,
        )
        BertModel(config).save_pretrained(str(path))
    return path
