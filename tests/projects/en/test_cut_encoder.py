"""`cut_encoder.py`: fewer layers and pieces, and the vectors that the whole encoder's
lower layers have."""

from pathlib import Path
from types import ModuleType

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertModel,
    BertTokenizerFast,
    PreTrainedTokenizerFast,
)

LATIN = ["dog", "##s", "é", "½", "!", "α", "e\u0301"]
OTHER = ["[unused0]", "犬", "αβ", "##собака", "ى"]


@pytest.fixture
def script(script) -> ModuleType:
    return script("cut_encoder")


def save_bert(path: Path, n_pieces: int, padding: int) -> None:
    sizes = {
        "hidden_size": 8,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    config = BertConfig(
        vocab_size=n_pieces, max_position_embeddings=16, pad_token_id=padding, **sizes
    )
    BertModel(config).save_pretrained(path)


@pytest.fixture
def word_piece(tmp_path: Path) -> Path:
    path = tmp_path / "word_piece"
    path.mkdir()
    pieces = [
        "[PAD]",
        *OTHER[:3],
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *LATIN[:3],
        *OTHER[3:],
        *LATIN[3:],
        "[MASK]",
    ]
    (path / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf8")
    BertTokenizerFast(str(path / "vocab.txt"), strip_accents=False).save_pretrained(
        path
    )
    save_bert(path, len(pieces), 0)
    return path


@pytest.fixture
def unigram(tmp_path: Path) -> Path:
    path = tmp_path / "unigram"
    words = ["▁le", "▁der", "▁chien", "▁Hund", "▁", "l", "e", "犬", "猫"]
    scores = [
        (piece, -float(i))
        for i, piece in enumerate(["<s>", "<pad>", "</s>", "<unk>", *words])
    ]
    backend = Tokenizer(Unigram(scores, unk_id=3))
    backend.pre_tokenizer = Metaspace()
    backend.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    special = {
        "cls_token": "<s>",
        "sep_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": "<unk>",
    }
    PreTrainedTokenizerFast(
        tokenizer_object=backend, model_max_length=16, **special
    ).save_pretrained(path)
    save_bert(path, len(scores), 1)
    return path


def assert_same_vectors(whole: Path, cut: Path, n_layers: int, text: str) -> None:
    before, after = (
        AutoTokenizer.from_pretrained(path)(text, return_tensors="pt")
        for path in (whole, cut)
    )
    with torch.no_grad():
        layers = (
            AutoModel.from_pretrained(whole)
            .eval()(**before, output_hidden_states=True)
            .hidden_states
        )
        vectors = AutoModel.from_pretrained(cut).eval()(**after).last_hidden_state
    assert torch.equal(vectors, layers[n_layers])


def test_word_piece(
    script: ModuleType,
    word_piece: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert script.main([str(word_piece), str(tmp_path / "cut"), "--layers", "2"]) == 0
    assert "12 of 17 pieces" in capsys.readouterr().out
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "cut")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    assert tokenizer.convert_ids_to_tokens(range(12)) == [*special, *LATIN, "[MASK]"]
    assert (
        tokenizer.model_max_length
        == AutoTokenizer.from_pretrained(word_piece).model_max_length
    )
    assert tokenizer.convert_ids_to_tokens(tokenizer("dog 犬")["input_ids"]) == [
        "[CLS]",
        "dog",
        "[UNK]",
        "[SEP]",
    ]
    assert_same_vectors(word_piece, tmp_path / "cut", 2, "dogs ½ é!")


def test_unigram(script: ModuleType, unigram: Path, tmp_path: Path):
    (tmp_path / "text.txt").write_text("le chien le 猫\n", encoding="utf8")
    arguments = [
        str(unigram),
        str(tmp_path / "cut"),
        "--layers",
        "1",
        "--text",
        str(tmp_path / "text.txt"),
    ]
    assert script.main([*arguments, "--top", "5"]) == 0
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "cut")
    kept = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    assert kept == ["<s>", "<pad>", "</s>", "<unk>", "▁le", "▁", "l", "e", "猫"]
    assert_same_vectors(unigram, tmp_path / "cut", 1, "le 猫 e l")


@pytest.mark.parametrize(
    "name, options, message",
    [
        (
            "word_piece",
            ["--layers", "4"],
            "expected --layers from 1 to 3, the encoder's, got 4",
        ),
        ("unigram", ["--layers", "1"], "Unigram with --text, got Unigram and 0 texts"),
        ("text.txt", ["--layers", "1"], "text.txt"),
    ],
)
def test_errors(script, word_piece, unigram, tmp_path, capsys, name, options, message):
    assert script.main([str(tmp_path / name), str(tmp_path / "cut"), *options]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "cut").exists()
