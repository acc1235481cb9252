"""A stand-in for the bundled pipeline: transformer, senter, tagger and parser, of the
same make but tiny, and trained for seconds. The transformer is made on the spot and
loaded by path."""

from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Tuple

import spacy
import torch
from small_blocks import parser_block
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from transformers import BertConfig, BertModel, BertTokenizer

WIDTH = 16
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,!?'-"
SENTENCES: List[Dict[str, Any]] = [
    {
        "words": ["She", "sees", "a", "dog", "in", "the", "park", "."],
        "heads": [1, 1, 3, 1, 6, 6, 1, 1],
        "deps": ["nsubj", "ROOT", "det", "obj", "case", "det", "obl", "punct"],
        "tags": ["PRP", "VBZ", "DT", "NN", "IN", "DT", "NN", "."],
        "spans": [
            (0, 8, "S"),
            (0, 1, "NP"),
            (1, 7, "VP"),
            (2, 4, "NP"),
            (4, 7, "PP"),
            (5, 7, "NP"),
        ],
    },
    {
        "words": ["Select", "the", "person", "driving", "."],
        "heads": [0, 2, 0, 2, 0],
        "deps": ["ROOT", "det", "obj", "acl", "punct"],
        "tags": ["VB", "DT", "NN", "VBG", "."],
        "spans": [(0, 5, "S"), (0, 4, "VP"), (1, 4, "NP"), (1, 3, "NP"), (3, 4, "VP")],
    },
]
TEXTS = [
    "She sees a dog in the park.",
    "Select the person driving.",
    "The old dog sleeps, and nobody drives the red car that stands in front of the "
    "house.",
    "",
    " ",
    "Who is it?",
    "He did not see her in the park, and she saw him.",
]


def make_bert(path: Path, seed: int = 0) -> Path:
    """Write a one-layer BERT with random weights, and a WordPiece vocabulary of
    letters, to a folder."""
    path.mkdir(parents=True)
    pieces = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *LETTERS,
        *(f"##{letter}" for letter in LETTERS),
    ]
    (path / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf8")
    BertTokenizer(str(path / "vocab.txt"), do_lower_case=False).save_pretrained(
        str(path)
    )
    sizes = {
        "hidden_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = BertConfig(
            vocab_size=len(pieces),
            max_position_embeddings=256,
            initializer_range=0.5,
            **sizes,
        )
        BertModel(config).save_pretrained(str(path))
    return path


def transformer_config(bert: Path) -> Dict[str, Any]:
    """Settings of a transformer component that takes a model from a folder."""
    get_spans = {
        "@span_getters": "spacy-transformers.strided_spans.v1",
        "window": 24,
        "stride": 16,
    }
    model = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(bert),
        "get_spans": get_spans,
    }
    return {"model": model}


def make_nlp(bert: Path, *, concatenated: bool = False, n_layers: int = 1) -> Language:
    """The untrained pipeline.

    concatenated (bool): Let the parser read hash embeddings beside the transformer's
        vectors.
    n_layers (int): Encoder layers of the parser.
    """
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "pooling": {"@layers": "reduce_mean.v1"},
        "upstream": "transformer",
    }
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    embedding = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 8,
        "attrs": ["NORM", "SUFFIX"],
        "rows": [100, 100],
        "include_static_vectors": False,
    }
    both = {
        "@architectures": "spacy-lal.JoinedTok2Vec.v1",
        "*": {"embedding": embedding, "transformer": listener},
    }
    sizes = {
        "hidden_width": 32,
        "n_layers": n_layers,
        "n_attn_heads": 2,
        "attn_width": 8,
        "ff_width": 16,
        "use_chars": False,
    }
    tok2vec = both if concatenated else listener
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    transformer = transformer_config(bert)
    if (
        concatenated
    ):  # as in `configs/`; spaCy can replace its listeners within a JoinedTok2Vec
        transformer["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    nlp.add_pipe("transformer", config=transformer)
    nlp.add_pipe("senter", config={"model": tagger})
    nlp.add_pipe("tagger", config={"model": tagger})
    nlp.add_pipe("lal_parser", config={"model": parser_block(tok2vec, **sizes)})
    return nlp


def make_examples(nlp: Language) -> List[Example]:
    """Gold parses of the two sentences."""
    examples = []
    for sentence in SENTENCES:
        doc = Doc(
            nlp.vocab,
            **{key: sentence[key] for key in ("words", "heads", "deps", "tags")},
        )
        doc.spans["constituents"] = [Span(doc, *span) for span in sentence["spans"]]
        examples.append(Example(Doc(nlp.vocab, words=sentence["words"]), doc))
    return examples


def train(nlp: Language, steps: int = 12) -> Language:
    """Train on the two sentences: enough for parses that depend on what is read, not
    for right ones."""
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp


def parses(docs: Iterable[Doc]) -> List[Tuple[str, List[int], List[str]]]:
    """Trees (with no tags, which are another component's) and arcs."""
    docs = list(docs)
    trees = [
        [
            (span.start, span.end, span.label_)
            for span in doc.spans.get("constituents", ())
        ]
        for doc in docs
    ]
    return [
        (str(tree), [t.head.i for t in doc], [t.dep_ for t in doc])
        for tree, doc in zip(trees, docs, strict=True)
    ]


def counted(transformer: Any, monkeypatch: Any) -> List[str]:
    """The texts that a transformer component encodes from now on."""
    texts: List[str] = []
    predict: Callable = transformer.predict

    def count(docs: Iterable[Doc]) -> Any:
        docs = list(docs)
        texts.extend(doc.text for doc in docs)
        return predict(docs)

    monkeypatch.setattr(transformer, "predict", count)
    return texts
