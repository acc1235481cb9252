"""Parsers of others for `speed.py beside`: spaCy's, benepar's and SuPar's networks, on
the encoder of our pipeline.

Nothing is downloaded: all but spaCy's read the encoder from a folder, and what comes
after it has random weights, at the sizes that their authors train by default. benepar
and SuPar are no dependencies of ours: what is not installed is left out."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import spacy
import torch
from accuracy.variants import SPACY_PARSER
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.pipeline.component import parser_names
from speed.pipeline import is_transformer

SUBBATCH_TOKENS = 500  # benepar's default for its component
BATCH_PIECES = 5000  # about SuPar's default for a batch
MOST_PIECES = 20  # of a word, SuPar's default
# benepar's English models: src/benepar's defaults in its training program.
BENEPAR = {
    **{
        "use_pretrained": True,
        "use_chars_lstm": False,
        "use_encoder": True,
        "predict_tags": False,
    },
    **{
        "d_model": 1024,
        "num_layers": 2,
        "num_heads": 8,
        "d_kv": 64,
        "d_ff": 2048,
        "d_label_hidden": 256,
    },
    **{"encoder_max_len": 512, "force_root_constituent": True},
    **{
        "morpho_emb_dropout": 0.2,
        "attention_dropout": 0.2,
        "relu_dropout": 0.1,
        "residual_dropout": 0.2,
    },
}
Sentences = Sequence[Tuple[List[str], List[bool]]]


def spacy_pipeline(name: str, parsed: List[Doc]) -> Optional[Language]:
    """A pipeline of ours with spaCy's `parser`, of random weights, instead of the
    senter and our parser; None where ours does not listen to a transformer.

    parsed (List[Doc]): Our parses; its labels are taken from them.
    """
    ours = spacy.load(name)
    parsers = parser_names(ours)
    if not any(
        node.name == "transformer-listener"
        for one in parsers
        for node in ours.get_pipe(one).model.walk()
    ):  # type: ignore[attr-defined]
        return None
    splitters = [
        one for one in ours.pipe_names if ours.get_pipe_meta(one).factory == "senter"
    ]
    roles = [
        one for one in ours.pipe_names if ours.get_pipe_meta(one).factory == "lal_srl"
    ]
    nlp = spacy.load(name, exclude=[*parsers, *splitters, *roles])
    upstream = next(
        one for one in nlp.pipe_names if nlp.get_pipe_meta(one).factory == "transformer"
    )
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 1.0,
        "upstream": upstream,
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    parser = nlp.add_pipe(
        "parser",
        config={"model": {**SPACY_PARSER["model"], "tok2vec": listener}},
        last=True,
    )
    width = nlp.get_pipe(upstream).model.get_dim("nO")  # type: ignore[attr-defined]
    for node in parser.model.walk():  # type: ignore[attr-defined]
        if hasattr(node, "upstream_name"):
            node.set_dim("nO", width)
    examples = [
        Example(Doc(nlp.vocab, words=[t.text for t in doc]), doc)
        for doc in parsed
        if len(doc)
    ]
    parser.initialize(lambda: examples, nlp=nlp)  # type: ignore[attr-defined]
    return nlp


def import_if_installed(library: str) -> bool:
    """Import a library; call it before a parser of ours is loaded, for benepar fails
    where extensions of Span that it
    sets are there already. RETURNS (bool): Whether it is installed."""
    if find_spec(library) is None:
        return False
    import_module(library)
    return True


def write_encoder(nlp: Language, folder: Path) -> None:
    """Write the transformer of a pipeline as the library transformers reads it."""
    model = next(
        component.model for _, component in nlp.pipeline if is_transformer(component)
    )
    model.transformer.save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)


class BeneparSentence:
    """A sentence as benepar's parser wants it."""

    tree = None

    def __init__(self, words: List[str], space_after: List[bool]) -> None:
        self.words, self.space_after = words, space_after


def make_benepar(
    encoder: Path, n_labels: int
) -> Tuple[Any, Any, Callable[[Sentences], None]]:
    """benepar's chart parser. RETURNS (Tuple): The network, its encoder, and what
    parses."""
    from benepar.nkutil import HParams
    from benepar.parse_chart import ChartParser

    labels = {"" if i == 0 else f"L{i}": i for i in range(n_labels)}
    parser = ChartParser(
        {}, labels, {}, HParams(pretrained_model=str(encoder), **BENEPAR)
    ).eval()

    def parse(sentences: Sentences) -> None:
        examples = [BeneparSentence(words, spaces) for words, spaces in sentences]
        for _ in parser.parse(
            examples, return_compressed=True, subbatch_max_tokens=SUBBATCH_TOKENS
        ):
            pass

    return parser, parser.pretrained_model, parse


def make_supar(
    encoder: Path, n_labels: int, *, constituents: bool
) -> Tuple[Any, Any, Callable[[Sentences], Iterator[Any]]]:
    """SuPar's biaffine dependency parser, or its CRF constituency parser. RETURNS
    (Tuple): As of `make_benepar`; what parses yields before it decodes, so that it can
    be timed apart."""
    from supar.models.const import CRFConstituencyModel
    from supar.models.dep import BiaffineDependencyModel
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(encoder)
    shared: Dict[str, Any] = {
        "encoder": "bert",
        "bert": str(encoder),
        "pad_index": tokenizer.pad_token_id,
    }
    if constituents:
        model = CRFConstituencyModel(0, n_labels, **shared).eval()
    else:
        model = BiaffineDependencyModel(0, n_labels, **shared).eval()
    ends = (
        [[tokenizer.cls_token_id]],
        [[tokenizer.sep_token_id]] if constituents else [],
    )

    def parse(sentences: Sentences) -> Iterator[Any]:
        pieces = [
            [
                tokenizer.encode(word, add_special_tokens=False)[:MOST_PIECES]
                for word in one[0]
            ]
            for one in sentences
        ]
        rows = sorted(
            (
                [*ends[0], *(p or [tokenizer.unk_token_id] for p in one), *ends[1]]
                for one in pieces
            ),
            key=len,
        )
        for batch in _batches(rows):
            words = _pad(batch, tokenizer.pad_token_id)
            mask = words.ne(tokenizer.pad_token_id).any(-1)
            with torch.no_grad():
                scores = model(words)
                yield "decode"
                if constituents:
                    inner = mask[:, 1:]
                    model.decode(
                        *scores, (inner.unsqueeze(1) & inner.unsqueeze(2)).triu_(1)
                    )
                else:
                    mask[:, 0] = False
                    model.decode(*scores, mask, tree=True, proj=True)
            yield "forward"

    return model, model.encoder.bert, parse


def _batches(rows: List[List[List[int]]]) -> Iterator[List[List[List[int]]]]:
    batch: List[List[List[int]]] = []
    for row in rows:
        if batch and (len(batch) + 1) * len(row) > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _pad(rows: List[List[List[int]]], pad_id: int) -> torch.Tensor:
    shape = (
        len(rows),
        max(map(len, rows)),
        max(len(word) for row in rows for word in row),
    )
    padded = torch.full(shape, pad_id)
    for i, row in enumerate(rows):
        for j, word in enumerate(row):
            padded[i, j, : len(word)] = torch.tensor(word)
    return padded
