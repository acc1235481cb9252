"""Take a pipeline to a machine that has a GPU and PyTorch, and no spaCy; and bring its
weights back.

    python scripts/export_training.py start ../../configs/lal_trf.cfg training/start
        --add configs/morphology.cfg --encoder ../../assets/mpnet-cut
        --read corpus/train/ewt.spacy=0.6 corpus/train/gum.spacy=0.4
    python scripts/export_training.py out training/start training/gpu/mpnet
        --read corpus/train/ewt.spacy=0.6 corpus/train/gum.spacy=0.4
    python scripts/train_exported.py training/gpu/mpnet training/gpu/learned --minutes 5
    python scripts/export_training.py back training/start training/gpu/learned
        training/learned

`start` initialises a pipeline: of a config, with overrides as `spacy train` takes them,
and of the components that another one has besides. `out` writes the weights of its
transformer, its lal_parser and its taggers (senter, tagger, morphologizer,
trainable_lemmatizer), and the Docs as arrays: pieces, hashed features, gold parses and
labels, and semantic roles, which help the transformer to learn and are no output. The
other machine trains on them by train_exported.py. Matrices travel in 8 bits with a
scale for each row. `back` writes the pipeline with the learned weights."""

import argparse
import gzip
import json
import pickle
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import spacy
from rough_text import make_rough_text
from spacy.cli._util import parse_config_overrides
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.util import fix_random_seed, load_config
from thinc.api import Model
from train_exported import pack, read_weights, write_weights

from spacy_lal.annotations import get_propositions, has_propositions, sentence_words
from spacy_lal.layers.configs import FIRST_LABEL
from spacy_lal.loss.gold import gold_parses
from spacy_lal.models.batches import get_shim
from spacy_lal.models.inference.onnx_transformer import EncoderShim, from_transformer
from spacy_lal.models.stored_layers import floats
from spacy_lal.models.vectors import plain_doc
from spacy_lal.models.weights.storage import SCALE, single_weights
from spacy_lal.training.packaging import ENCODER
from spacy_lal.treebanks.corpora import TreebankCorpus
from spacy_lal.treebanks.docs import copy_text

PARSER = "lal_parser"
TAGGERS = ("senter", "tagger", "morphologizer", "trainable_lemmatizer")
BATCH = 64  # Docs that are read at once
MOST_WORDS = 120  # of a sentence; Docs with longer ones are left out
STARTS_REPLACED = 0.6  # by other names, of the words that begin a sentence
NAMES_REPLACED = 0.3
ROUGH = (0.16, 0.06, 0.12, 0.12)  # shares of rough_text.py
OWN = ("tokenizer", "max_pieces")  # of an encoder's config; the rest is transformers'
# Names of parameters of thinc in the export, by layer and name in the layer.
MIXED = {
    ("maxout", "W"): "hashed.weight",
    ("maxout", "b"): "hashed.bias",
    ("layernorm", "G"): "hashed.gain",
    ("layernorm", "b"): "hashed.shift",
}


class HashedNode(NamedTuple):
    """A component's MultiHashEmbed, the hash embeddings in it, and whether the
    transformer's vectors come before it."""

    node: Model
    tables: list[Model]
    vectors_first: bool

    @property
    def columns(self) -> list[str]:
        """The attributes of tokens that it reads."""
        return first_node(self.node, "extract_features").attrs["columns"]

    @property
    def kind(self) -> tuple[str, ...]:
        """What its rows depend on: components of one kind share them."""
        sizes = [table.get_dim("nV") for table in self.tables]
        return tuple(map("{}:{}".format, self.columns, sizes))

    def rows(self, docs: Sequence[Doc]) -> list[np.ndarray]:
        """The rows of each table that each token of some Docs reads. *Shape of each:*
        (n_tokens, n_tables, 4)."""
        columns = self.columns
        values = [
            plain_doc(doc).to_array(columns).reshape(len(doc), -1) for doc in docs
        ]
        keys = np.concatenate(values).astype(np.uint64)
        rows = [
            table.ops.hash(
                np.ascontiguousarray(keys[:, table.attrs["column"]]),
                table.attrs["seed"],
            )
            % table.get_dim("nV")
            for table in self.tables
        ]
        ends = np.cumsum([len(doc) for doc in docs])[:-1]
        return np.split(np.stack(rows, axis=1).astype("u2"), ends)


def first_node(model: Model, name: str) -> Model:
    """The first layer of a name within a model."""
    return next(node for node in model.walk() if node.name == name)


def hashed_node(model: Model) -> HashedNode:
    """The MultiHashEmbed of a component."""
    layers = first_node(model, "joined_tok2vec").layers
    for place, layer in enumerate(layers):
        tables = [node for node in layer.walk() if node.name == "hashembed"]
        if tables:
            return HashedNode(layer, tables, place > 0)
    raise ValueError(f"{model.name}: expected a MultiHashEmbed")


def thinc_parameters(model: Model, network: bool) -> Iterator[tuple[str, Model, str]]:
    """A component's parameters of thinc that learn: name, node, name in the node."""
    hashed = hashed_node(model)
    for i, table in enumerate(hashed.tables):
        yield f"hashed.tables.{i}", table, "E"
    for node in hashed.node.walk():
        for (layer, parameter), name in MIXED.items():
            if node.name == layer:
                yield name, node, parameter
    if not network:
        softmax = first_node(model, "softmax")
        yield "output.weight", softmax, "W"
        yield "output.bias", softmax, "b"


def components(nlp: Language) -> list[str]:
    """The names of the components that learn besides the transformer."""
    return [name for name in nlp.pipe_names if name in (*TAGGERS, PARSER)]


def has_labels(chart: np.ndarray | None) -> bool:
    """Whether a gold chart has a constituent. MASC has bare words for sentences
    ("P.S.", marks of its annotators), which teach that titles are no phrases."""
    return chart is not None and bool((chart >= FIRST_LABEL).any())


def with_other_names(docs: Sequence[Doc], draw: random.Random) -> Iterator[Doc]:
    """Copies of Docs in which names, and words that begin a sentence, are names of any
    of the Docs: after a full stop, each may begin one."""
    tokens = (token for doc in docs for token in doc if not token.is_sent_start)
    names = [token.text for token in tokens if token.is_alpha and token.is_title]
    for doc in docs:
        words = [token.text for token in doc]
        for token in doc:
            share = NAMES_REPLACED if token.is_title else 0.0
            if token.is_sent_start:
                share = STARTS_REPLACED
            if draw.random() < share:
                words[token.i] = draw.choice(names)
        spaces = [bool(token.whitespace_) for token in doc]
        starts = [bool(token.is_sent_start) for token in doc]
        yield Doc(doc.vocab, words=words, spaces=spaces, sent_starts=starts)


class Pieces(NamedTuple):
    """The pieces of each window of a Doc; of each token its window, its first piece
    there, and their number, 0 for a token without. *Shape:* (n_tokens, 3)."""

    windows: list[np.ndarray]
    tokens: np.ndarray


def encoder_of(nlp: Language) -> EncoderShim:
    """A package's encoder, or a transformer in the form of one."""
    if ENCODER in nlp.pipe_names:
        model: Any = nlp.get_pipe(ENCODER).model  # type: ignore[attr-defined]
    else:
        transformer: Any = nlp.get_pipe("transformer")
        model = from_transformer(transformer.model)
    return model.shims[0]


class Exporter:
    """Docs as `train_exported.Doc` describes them."""

    def __init__(self, nlp: Language, encoder: EncoderShim) -> None:
        self.nlp, self.encoder = nlp, encoder
        _, self.tokenizer = encoder.ready()
        self.hashed = {
            name: hashed_node(nlp.get_pipe(name).model)  # type: ignore[attr-defined]
            for name in components(nlp)
        }
        # one node of each kind, whose number a component has
        self.kinds = {hashed.kind: hashed for hashed in self.hashed.values()}
        self.roles: dict[str, int] = {}
        self.docs: list[dict[str, Any]] = []
        self.n_left_out = 0

    def pieces(self, doc: Doc) -> Pieces | None:
        """The pieces of the windows of a Doc. None where a token is in two windows, or
        its pieces are not beside one another."""
        windows: list[np.ndarray] = []
        tokens = np.zeros((len(doc), 3), dtype="u2")
        for window in self.encoder.read(0, doc, self.tokenizer):
            for token, row in zip(window.tokens, window.means, strict=True):
                own = np.flatnonzero(row)
                if not len(own):
                    continue
                if tokens[token, 2] or own[-1] - own[0] + 1 != len(own):
                    return None
                tokens[token] = len(windows), own[0], len(own)
            windows.append(np.array(window.pieces, dtype="i4"))
        return Pieces(windows, tokens)

    def read(self, examples: Sequence[Example], number: int) -> None:
        """Add the Docs of one source."""
        for i in range(0, len(examples), BATCH):
            chosen = []
            for eg in examples[i : i + BATCH]:
                pieces = self.pieces(eg.predicted)
                longest = max(map(len, sentence_words(eg.reference)), default=0)
                if pieces is not None and longest <= MOST_WORDS:
                    chosen.append((eg, pieces))
            self.n_left_out += len(examples[i : i + BATCH]) - len(chosen)
            if chosen:
                self._add(chosen, number)

    def _add(self, chosen: Sequence[tuple[Example, Pieces]], number: int) -> None:
        examples = [eg for eg, _ in chosen]
        docs = [eg.predicted for eg in examples]
        hashed = [node.rows(docs) for node in self.kinds.values()]
        taggers = [name for name in self.hashed if name != PARSER]
        gold = {name: self.labels(name, examples) for name in taggers}
        for k, (eg, pieces) in enumerate(chosen):
            doc = {"source": number, **pieces._asdict()}
            doc["hashed"] = [rows[k] for rows in hashed]
            doc["gold"] = {name: labels[k] for name, labels in gold.items()}
            doc["sentences"] = list(self.sentences(eg))
            self.docs.append(doc)

    def labels(self, name: str, examples: Sequence[Example]) -> list[np.ndarray]:
        """The gold label of each token, -1 where it is not known."""
        pipe: Any = self.nlp.get_pipe(name)
        if name == "tagger":  # spaCy's loss refuses a tag that training has not
            ids = {tag: k for k, tag in enumerate(pipe.labels)}
            tags = (eg.get_aligned("TAG", as_string=True) for eg in examples)
            return [np.array([ids.get(x, -1) for x in own], dtype="i2") for own in tags]
        n_labels = pipe.model.get_dim("nO")
        zeros = [np.zeros((len(eg.predicted), n_labels), "f4") for eg in examples]
        _, gradients = pipe.get_loss(examples, zeros)
        # the gold label's is negative, and a row without one is 0; a treebank without
        # features says nothing of UPOS either
        labels = []
        for eg, rows in zip(examples, gradients, strict=True):
            is_known = rows.min(1) < 0
            if name == "morphologizer":
                is_known &= eg.reference.has_annotation("MORPH")
            labels.append(np.where(is_known, rows.argmin(1), -1).astype("i2"))
        return labels

    def sentences(self, eg: Example) -> Iterator[dict[str, Any]]:
        """The gold parses and roles of a Doc."""
        parser: Any = self.nlp.get_pipe(PARSER)
        golds = gold_parses(eg, parser._label_vocab, parser._deprel_ids)
        with_roles = has_propositions(eg.reference)
        propositions = get_propositions(eg.reference) if with_roles else []
        for words, gold in zip(sentence_words(eg.predicted), golds, strict=True):
            cells = predicates = None
            if has_labels(gold.labels):
                places = np.nonzero(gold.labels)
                cells = np.column_stack([*places, gold.labels[places]]).astype("u1")
            if with_roles:
                predicates = [
                    (proposition.token, self.spans(proposition.args))
                    for proposition in propositions
                    if proposition.token in words
                ]
            yield {
                "words": np.array(words, dtype="u2"),
                "heads": gold.heads,
                "deprels": gold.deprels,
                "cells": cells,
                "predicates": predicates,
            }

    def spans(self, args: Sequence[tuple[int, int, str]]) -> np.ndarray:
        """Arguments with numbers for roles. *Shape:* (n_args, 3)."""
        rows = [
            (start, end, self.roles.setdefault(role, len(self.roles)))
            for start, end, role in args
        ]
        return np.array(rows, dtype="i4").reshape(-1, 3)


def export(args: argparse.Namespace) -> None:
    """Write the weights and the Docs."""
    nlp = spacy.load(args.pipeline)
    args.folder.mkdir(parents=True)
    random.seed(args.seed)
    for name in components(nlp):
        pipe: Any = nlp.get_pipe(name)
        # spaCy's lemmatizer saves the labels, and not which tree has which
        if hasattr(pipe, "tree2label"):
            trees = pipe.cfg["labels"]
            pipe.tree2label = {tree: label for label, tree in enumerate(trees)}
    encoder = encoder_of(nlp)
    config = {key: encoder.config[key] for key in encoder.config if key not in OWN}
    (args.folder / "config.json").write_text(json.dumps(config), encoding="utf8")
    weights = single_weights(encoder.weights)
    state = {f"transformer.{name}": value for name, value in weights.items()}
    exporter = Exporter(nlp, encoder)
    kinds = list(exporter.kinds)
    settings: dict[str, Any] = {"components": {}, "first_label": FIRST_LABEL}
    for name, hashed in exporter.hashed.items():
        pipe = nlp.get_pipe(name)
        settings["components"][name] = {
            "hashed": kinds.index(hashed.kind),
            "vectors_first": hashed.vectors_first,
        }
        for key, node, parameter in thinc_parameters(pipe.model, name == PARSER):
            state[f"{name}.{key}"] = floats(node, parameter)
        if name == PARSER:
            shim = get_shim(pipe.model)
            for key, value in shim.network.state_dict().items():
                state[f"{name}.network.{key}"] = value.numpy()
            network = pickle.dumps((shim.config, shim.sizes))
            (args.folder / "network.pickle").write_bytes(network)
    write_weights(pack(state), args.folder / "weights")
    first, *_, last = exporter.tokenizer.encode("a").ids
    special = encoder.config["tokenizer"]
    mask = special.get("mask_token", special["unk_token"])
    mask_id = exporter.tokenizer.token_to_id(mask)
    augmenter = make_rough_text(*ROUGH) if args.rough else None
    sources = [(TreebankCorpus(path), weight) for path, weight in args.read]
    sources += [(TreebankCorpus(None, path), weight) for path, weight in args.trees]
    n_gold = len(sources)
    sources += [(TreebankCorpus(path), weight) for path, weight in args.parsed]
    for number, (corpus, _) in enumerate(sources):
        examples = list(corpus(nlp))
        exporter.read(examples, number)
        draw = random.Random(args.seed)
        for _ in range(args.other_names):
            docs = with_other_names([eg.reference for eg in examples], draw)
            copies = [Example(copy_text(doc, with_sentences=True), doc) for doc in docs]
            exporter.read(copies, number)
        if augmenter and number < n_gold:
            rough = (new for eg in examples for new in augmenter(nlp, eg))
            texts = {eg.reference.text for eg in examples}
            exporter.read([x for x in rough if x.reference.text not in texts], number)
    with gzip.open(args.folder / "train.pickle.gz", "wb") as file:
        pickle.dump(exporter.docs, file)
    settings.update(first=first, last=last, mask=mask_id, n_roles=len(exporter.roles))
    settings["weights"] = [weight for _, weight in sources]
    text = json.dumps(settings, indent=1)
    (args.folder / "settings.json").write_text(text, encoding="utf8")
    print(f"{len(exporter.docs)} Docs; {exporter.n_left_out} Docs left out")
    size = sum(path.stat().st_size for path in args.folder.rglob("*"))
    print(f"Wrote {args.folder}: {size / 1e6:.1f} MB")


def bring_back(args: argparse.Namespace) -> None:
    """Write the pipeline with the learned weights."""
    import torch

    nlp = spacy.load(args.pipeline)
    state = read_weights(args.folder / "weights")
    _set_encoder(nlp, _within(state, "transformer."), args)
    for name in components(nlp):
        pipe: Any = nlp.get_pipe(name)
        for key, node, parameter in thinc_parameters(pipe.model, name == PARSER):
            node.set_param(parameter, np.ascontiguousarray(state[f"{name}.{key}"]))
        if name == PARSER:
            weights = _within(state, f"{name}.network.")
            shim = get_shim(pipe.model)
            shim.network.load_state_dict(
                {key: torch.from_numpy(value) for key, value in weights.items()}
            )
            shim.made = None
    nlp.to_disk(args.output)
    print(f"Wrote {args.output}")


def _within(state: dict[str, np.ndarray], start: str) -> dict[str, np.ndarray]:
    names = [name for name in state if name.startswith(start)]
    return {name.removeprefix(start): state[name] for name in names}


def _set_encoder(
    nlp: Language, own: dict[str, np.ndarray], args: argparse.Namespace
) -> None:
    """Give the encoder its learned weights. Word embeddings do not learn.

    RAISES (ValueError): It has other weights than those that learned."""
    import torch

    if ENCODER in nlp.pipe_names:
        encoder = encoder_of(nlp)
        names = {name for name in encoder.weights if not name.endswith(SCALE)}
        missing, left = names - own.keys(), own.keys() - names
        weights = encoder.weights.items()
        kept = {name: x for name, x in weights if name.removesuffix(SCALE) not in own}
        encoder.weights = {**kept, **own}
        encoder.made = None
    else:
        transformer: Any = nlp.get_pipe("transformer").model.transformer  # type: ignore[attr-defined]
        tensors = {name: torch.from_numpy(value) for name, value in own.items()}
        missing, left = map(set, transformer.load_state_dict(tensors, strict=False))
    missing = {x for x in missing if "embeddings" not in x and "pooler" not in x}
    if other := sorted(left | missing):
        raise ValueError(
            f"{args.folder}: expected the layers of {args.pipeline}'s encoder; "
            f"{other[0]!r} is in one alone"
        )


def source(text: str) -> tuple[Path, float]:
    """Read FILE=WEIGHT.

    RAISES (argparse.ArgumentTypeError): It has another form, FILE does not exist, or
    WEIGHT is not above 0."""
    path, _, weight = text.rpartition("=")
    try:
        found = Path(path), float(weight)
    except ValueError:
        found = Path(), 0.0
    if not path or not found[0].exists() or not 0 < found[1] < float("inf"):
        raise argparse.ArgumentTypeError(
            f"expected FILE=WEIGHT, a path that exists and more than 0, got {text!r}"
        )
    return found


def start(args: argparse.Namespace) -> None:
    """Write an initialised pipeline."""
    config = load_config(args.config, interpolate=False)
    names = config["nlp"]["pipeline"]
    for path in args.add:
        added = load_config(path, interpolate=False)["components"]
        new = [name for name in added if name not in names]
        config["components"].update({name: added[name] for name in new})
        names[-1:-1] = new  # the parser stays last
    fix_random_seed(args.seed)
    args.pipeline.parent.mkdir(parents=True, exist_ok=True)
    read = [str(path) for path, _ in args.read]
    changes = {
        "paths.train": read,
        "paths.dev": read,
        "system.seed": args.seed,
        "paths.trees_only": [str(path) for path, _ in args.trees],
        "nlp.lang": args.lang,
        "components.transformer.model.name": args.encoder,
    }
    changes = {
        name: value for name, value in changes.items() if value not in (None, [])
    }
    changes |= args.overrides
    with TemporaryDirectory() as folder:
        path = Path(folder) / "joined.cfg"
        config.to_disk(path)
        joined = load_config(path, overrides=changes, interpolate=False)
        init_nlp(joined).to_disk(args.pipeline)
    print(f"Wrote {args.pipeline}")


def main(arguments: list[str] | None = None) -> int:
    """Start, export, or bring back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("start", help="initialise a pipeline")
    begin.set_defaults(run=start)
    begin.add_argument("config", type=Path)
    begin.add_argument("pipeline", type=Path, help="folder to write")
    own = "its components, too"
    begin.add_argument("--add", type=Path, nargs="+", default=[], help=own)
    encoder = "name or folder of the encoder, in place of the config's"
    begin.add_argument("--encoder", help=encoder)
    begin.add_argument("--lang", help="in place of the config's language")
    out = commands.add_parser("out", help="write what the training needs")
    out.set_defaults(run=export)
    out.add_argument("pipeline", help="an initialised pipeline, or a package")
    out.add_argument("folder", type=Path, help="folder to write; must not exist")
    several: dict[str, Any] = {"type": source, "nargs": "+", "metavar": "FILE=WEIGHT"}
    for command in (begin, out):
        command.add_argument("--read", required=True, help="treebanks", **several)
        command.add_argument("--trees", default=[], help="without heads", **several)
        command.add_argument("--seed", type=int, default=0)
    parsed = "text as a larger pipeline parses it"
    out.add_argument("--parsed", default=[], help=parsed, **several)
    names = "copies of each Doc, for the senter alone, in which names are others"
    out.add_argument("--other-names", type=int, default=0, help=names)
    rough = "also each Doc of a treebank in rough form (rough_text.py)"
    out.add_argument("--rough", action="store_true", help=rough)
    back = commands.add_parser("back", help="write the pipeline with learned weights")
    back.set_defaults(run=bring_back)
    back.add_argument("pipeline", help="as for `out`")
    back.add_argument("folder", type=Path, help="of the learned weights")
    back.add_argument("output", type=Path, help="folder to write")
    args, others = parser.parse_known_args(arguments)
    if others and args.run is not start:
        parser.error(f"{args.command} has no {' '.join(others)}")
    args.overrides = parse_config_overrides(others, env_var=None)
    try:
        args.run(args)
    except (OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
