"""Take a pipeline to a machine that has a GPU and PyTorch, and no spaCy; and bring its
weights back.

    python scripts/export_training.py start ../../configs/lal_trf.cfg training/start
        --add configs/morphology.cfg --encoder ../../assets/mpnet-cut
        --read corpus/train/ewt.spacy=0.6 corpus/train/gum.spacy=0.4
    python scripts/export_training.py out training/start training/gpu/mpnet --read
        corpus/train/ewt.spacy=0.6 corpus/train/gum.spacy=0.4 --dev corpus/dev/ewt.spacy
    python scripts/train_exported.py training/gpu/mpnet training/gpu/learned --minutes 5       (on the other machine)
    python scripts/export_training.py back training/start training/gpu/learned
    training/learned

`start` initialises a pipeline: of a config, with overrides as `spacy train` takes them, and
of the components that another one has besides. `out` writes the weights of its transformer, its lal_parser and its taggers
(senter, tagger, morphologizer, trainable_lemmatizer), and the Docs as arrays: pieces,
hashed features, gold parses and labels, and semantic roles, which help the transformer
to learn and are no output. Matrices travel in 8 bits with a scale for each row. `back`
writes the pipeline with the learned weights."""

import argparse
import json
import pickle
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

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

TAGGERS = ("senter", "tagger", "morphologizer", "trainable_lemmatizer")
BATCH = 64  # Docs that are read at once
MOST_WORDS = 120  # of a sentence; Docs with longer ones are left out
ROUGH = (0.16, 0.06, 0.12, 0.12)  # shares of rough_text.py
OWN = ("tokenizer", "max_pieces")  # of an encoder's config; the rest is transformers'


def hashed_nodes(model: Model) -> Tuple[Model, List[Model]]:
    """A component's MultiHashEmbed, and the hash embeddings in it."""
    joined = next(node for node in model.walk() if node.name == "joined_tok2vec")
    part = next(
        layer
        for layer in joined.layers
        if any(node.name == "hashembed" for node in layer.walk())
    )
    return part, [node for node in part.walk() if node.name == "hashembed"]


def comes_first(model: Model) -> bool:
    """Whether the transformer's vectors come before the hashed features."""
    joined = next(node for node in model.walk() if node.name == "joined_tok2vec")
    return joined.layers.index(hashed_nodes(model)[0]) > 0


def thinc_parameters(model: Model, network: bool) -> Iterator[Tuple[str, Model, str]]:
    """A component's parameters of thinc that learn: name, node, name in the node."""
    part, tables = hashed_nodes(model)
    for i, table in enumerate(tables):
        yield f"hashed.tables.{i}", table, "E"
    for node in part.walk():
        if node.name == "maxout":
            yield "hashed.weight", node, "W"
            yield "hashed.bias", node, "b"
        elif node.name == "layernorm":
            yield "hashed.gain", node, "G"
            yield "hashed.shift", node, "b"
    if not network:
        softmax = next(node for node in model.walk() if node.name == "softmax")
        yield "output.weight", softmax, "W"
        yield "output.bias", softmax, "b"


def components(nlp: Language) -> List[str]:
    """The names of the components that learn besides the transformer."""
    return [name for name in nlp.pipe_names if name in TAGGERS or name == "lal_parser"]


def hashed_features(nlp: Language) -> Dict[str, Tuple[Tuple[str, ...], Model]]:
    """For each component: the kind of its hashed features, and their node."""
    found = {}
    for name in components(nlp):
        part, tables = hashed_nodes(nlp.get_pipe(name).model)
        columns = next(
            node for node in part.walk() if node.name == "extract_features"
        ).attrs["columns"]
        key = tuple(
            f"{column}:{table.get_dim('nV')}"
            for column, table in zip(columns, tables, strict=True)
        )
        found[name] = key, part
    return found


def hash_rows(part: Model, docs: Sequence[Doc]) -> np.ndarray:
    """The rows of each table that a token reads. *Shape:* (n_tokens, n_tables, 4)."""
    columns = next(
        node for node in part.walk() if node.name == "extract_features"
    ).attrs["columns"]
    values = np.concatenate(
        [doc.to_array(columns).reshape(len(doc), -1) for doc in docs]
    ).astype(np.uint64)
    rows = []
    for node in part.walk():
        if node.name == "hashembed":
            keys = np.ascontiguousarray(values[:, node.attrs["column"]])
            rows.append(node.ops.hash(keys, node.attrs["seed"]) % node.get_dim("nV"))
    return np.stack(rows, axis=1)


def has_labels(chart: Optional[np.ndarray]) -> bool:
    """Whether a gold chart has a constituent. MASC has bare words for sentences
    ("P.S.", marks of its annotators), which teach that titles are no phrases."""
    return chart is not None and bool((chart >= FIRST_LABEL).any())


class Pieces(NamedTuple):
    """The pieces of each window of a Doc; the first piece of each token, and their
    number, 0 for a token without. *Shape:* (n_tokens, 2)."""

    windows: List[List[int]]
    tokens: np.ndarray


def encoder_of(nlp: Language) -> EncoderShim:
    """A package's encoder, or a transformer in the form of one."""
    if ENCODER in nlp.pipe_names:
        model: Any = nlp.get_pipe(ENCODER).model  # type: ignore[attr-defined]
    else:
        transformer: Any = nlp.get_pipe("transformer")
        model = from_transformer(transformer.model)
    return model.shims[0]


class Arrays:
    """Docs as arrays, one list of each name."""

    def __init__(self, nlp: Language, encoder: EncoderShim) -> None:
        self.nlp, self.kinds = nlp, hashed_features(nlp)
        self.encoder = encoder
        _, self.tokenizer = encoder.ready()
        self.parts: Dict[str, List[Any]] = {}
        self.roles: Dict[str, int] = {}
        self.n_left_out = self.n_docs = self.n_sents = 0

    def add(self, name: str, values: Any, dtype: str = "i4") -> None:
        """Add values, whatever their shape, to those of a name."""
        self.parts.setdefault(name, []).append(np.asarray(values, dtype=dtype))

    def pieces(self, doc: Doc) -> Optional[Pieces]:
        """The pieces of the windows of a Doc. None where a token is in two windows, or
        its pieces are not beside one another."""
        windows: List[List[int]] = []
        tokens = np.zeros((len(doc), 2), dtype="u2")
        first = 0
        for window in self.encoder.read(0, doc, self.tokenizer):
            for token, row in zip(window.tokens, window.means, strict=True):
                own = np.flatnonzero(row)
                if not len(own):
                    continue
                is_whole = own[-1] - own[0] + 1 == len(own)
                if tokens[token, 1] or not is_whole:
                    return None
                tokens[token] = first + own[0], len(own)
            windows.append(window.pieces)
            first += len(window.pieces)
        return Pieces(windows, tokens)

    def read(self, examples: Sequence[Example], number: int) -> None:
        """Add Docs of one source."""
        chosen = []
        for eg in examples:
            pieces = self.pieces(eg.predicted)
            too_long = (
                max(map(len, sentence_words(eg.reference)), default=0) > MOST_WORDS
            )
            if pieces is None or too_long:
                self.n_left_out += 1
            else:
                chosen.append((eg, pieces))
        if not chosen:
            return
        docs = [eg.predicted for eg, _ in chosen]
        kinds = dict(self.kinds.values())
        for k, part in enumerate(kinds.values()):
            self.add(
                f"hashed.{k}", hash_rows(part, [plain_doc(doc) for doc in docs]), "u2"
            )
        for name in self.kinds:
            if name in TAGGERS:
                pipe: Any = self.nlp.get_pipe(name)
                if name == "tagger":  # spaCy's loss refuses a tag that training has not
                    numbers = {tag: k for k, tag in enumerate(pipe.labels)}
                    for eg, _ in chosen:
                        tags = eg.get_aligned("TAG", as_string=True)
                        self.add(
                            f"gold.{name}", [numbers.get(tag, -1) for tag in tags], "i2"
                        )
                    continue
                n_labels = pipe.model.get_dim("nO")
                zeros = [np.zeros((len(doc), n_labels), dtype="f4") for doc in docs]
                _, gradients = pipe.get_loss([eg for eg, _ in chosen], zeros)
                # the gold label's is negative, and a row without one is 0; a treebank
                # without features says nothing of UPOS either
                for (eg, _), rows in zip(chosen, gradients, strict=True):
                    is_known = rows.min(1) < 0
                    if name == "morphologizer":
                        is_known &= eg.reference.has_annotation("MORPH")
                    gold = np.where(is_known, rows.argmin(1), -1)
                    self.add(f"gold.{name}", gold, "i2")
        for eg, pieces in chosen:
            self.add_doc(eg, pieces, number)

    def add_doc(self, eg: Example, pieces: Pieces, number: int) -> None:
        """Add the arrays of one Doc, but for those that `read` adds."""
        parser: Any = self.nlp.get_pipe("lal_parser")
        doc = eg.predicted
        self.add("doc.source", [number])
        self.add("doc.windows", [len(pieces.windows)])
        self.add("doc.tokens", [len(pieces.tokens)])
        self.add("window.pieces", [len(window) for window in pieces.windows])
        self.add("piece", [piece for window in pieces.windows for piece in window])
        self.add("token", pieces.tokens, "u2")
        sentences = sentence_words(doc)
        golds = gold_parses(eg, parser._label_vocab, parser._deprel_ids)
        self.add("doc.sents", [len(sentences)])
        for words, gold in zip(sentences, golds, strict=True):
            self.add("sent.words", [len(words)])
            is_tree = has_labels(gold.labels)
            self.add("sent.tree", [is_tree])
            self.add("word", words)
            self.add("word.head", gold.heads)
            self.add("word.deprel", gold.deprels)
            cells = np.zeros((0, 3))
            if is_tree:
                places = np.nonzero(gold.labels)
                cells = np.column_stack([*places, gold.labels[places]])
            self.add("sent.cells", [len(cells)])
            self.add("cell", cells, "u1")
        self.add("doc.has_roles", [has_propositions(eg.reference)])
        found = get_propositions(eg.reference) if has_propositions(eg.reference) else []
        self.add("doc.predicates", [len(found)])
        self.add("predicate", [one.token for one in found])
        for one in found:
            spans = [
                (start, end, self.roles.setdefault(role, len(self.roles)))
                for start, end, role in one.args
            ]
            self.add("predicate.arguments", [len(spans)])
            self.add("argument", np.asarray(spans).reshape(-1, 3), "u2")
        self.n_docs, self.n_sents = self.n_docs + 1, self.n_sents + len(sentences)

    def write(self, path: Path) -> None:
        """Write one file."""
        np.savez_compressed(
            path, **{name: np.concatenate(parts) for name, parts in self.parts.items()}
        )


def export(args: argparse.Namespace) -> None:
    """Write the weights and the Docs."""
    nlp = spacy.load(args.pipeline)
    for name in components(nlp):
        pipe: Any = nlp.get_pipe(name)
        if hasattr(
            pipe, "tree2label"
        ):  # spaCy's lemmatizer saves the labels, and not which tree has which
            pipe.tree2label = {
                tree: label for label, tree in enumerate(pipe.cfg["labels"])
            }
    args.folder.mkdir(parents=True)
    random.seed(args.seed)
    encoder = encoder_of(nlp)
    arrays = Arrays(nlp, encoder)
    config = {key: encoder.config[key] for key in encoder.config if key not in OWN}
    (args.folder / "config.json").write_text(json.dumps(config), encoding="utf8")
    weights = single_weights(encoder.weights)
    state = {f"transformer.{name}": value for name, value in weights.items()}
    kinds = arrays.kinds
    numbers = {
        kind: k
        for k, kind in enumerate(dict.fromkeys(kind for kind, _ in kinds.values()))
    }
    settings: Dict[str, Any] = {"components": {}, "first_label": FIRST_LABEL}
    for name, (kind, _) in kinds.items():
        pipe = nlp.get_pipe(name)
        network = name == "lal_parser"
        settings["components"][name] = {
            "hashed": numbers[kind],
            "vectors_first": comes_first(pipe.model),
        }
        for key, node, parameter in thinc_parameters(pipe.model, network):
            state[f"{name}.{key}"] = floats(node, parameter)
        if network:
            shim = get_shim(pipe.model)
            state.update(
                {
                    f"{name}.network.{key}": value
                    for key, value in shim.network.state_dict().items()
                }
            )
            (args.folder / "network.pickle").write_bytes(
                pickle.dumps((shim.config, shim.sizes))
            )
    write_weights(
        pack({name: np.asarray(value) for name, value in state.items()}),
        args.folder / "weights",
    )
    first, *_, last = arrays.tokenizer.encode("a").ids
    special = encoder.config["tokenizer"]
    mask = special.get("mask_token", special["unk_token"])
    settings.update(first=first, last=last, mask=arrays.tokenizer.token_to_id(mask))
    augmenter = make_rough_text(*ROUGH) if args.rough else None
    sources = [(TreebankCorpus(path), weight) for path, weight in args.read]
    sources += [(TreebankCorpus(None, path), weight) for path, weight in args.trees]
    n_gold = len(sources)
    sources += [(TreebankCorpus(path), weight) for path, weight in args.parsed]
    for number, (corpus, _) in enumerate(sources):
        examples = list(corpus(nlp))
        changed = []
        for eg in examples if augmenter and number < n_gold else []:
            changed += [
                one
                for one in augmenter(nlp, eg)
                if one.reference.text != eg.reference.text
            ]
        _read(arrays, examples + changed, number)
    settings["weights"] = [weight for _, weight in sources]
    arrays.write(args.folder / "train.npz")
    print(
        f"{arrays.n_docs} Docs, {arrays.n_sents} sentences; {arrays.n_left_out} Docs "
        "left out"
    )
    for path in args.dev:
        dev = Arrays(nlp, encoder)
        dev.roles = dict(arrays.roles)
        _read(dev, list(TreebankCorpus(path)(nlp)), 0)
        dev.write(args.folder / f"{path.stem}.dev.npz")
    settings["n_roles"] = len(arrays.roles)
    (args.folder / "settings.json").write_text(
        json.dumps(settings, indent=1), encoding="utf8"
    )
    size = sum(path.stat().st_size for path in args.folder.iterdir())
    print(f"Wrote {args.folder}: {size / 1e6:.1f} MB")


def _read(arrays: Arrays, examples: List[Example], number: int) -> None:
    for i in range(0, len(examples), BATCH):
        arrays.read(examples[i : i + BATCH], number)


def bring_back(args: argparse.Namespace) -> None:
    """Write the pipeline with the learned weights."""
    import torch

    nlp = spacy.load(args.pipeline)
    state = read_weights(args.folder / "weights")
    own = {
        name.removeprefix("transformer."): value
        for name, value in state.items()
        if name.startswith("transformer.")
    }
    _set_encoder(nlp, own, args)
    for name in components(nlp):
        pipe: Any = nlp.get_pipe(name)
        network = name == "lal_parser"
        for key, node, parameter in thinc_parameters(pipe.model, network):
            node.set_param(parameter, np.ascontiguousarray(state[f"{name}.{key}"]))
        if network:
            start = f"{name}.network."
            weights = {
                key.removeprefix(start): torch.from_numpy(v)
                for key, v in state.items()
                if key.startswith(start)
            }
            shim = get_shim(pipe.model)
            shim.network.load_state_dict(weights)
            shim.made = None
    nlp.to_disk(args.output)
    print(f"Wrote {args.output}")


def _set_encoder(
    nlp: Language, own: Dict[str, np.ndarray], args: argparse.Namespace
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


def source(text: str) -> Tuple[Path, float]:
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
        components = load_config(path, interpolate=False)["components"]
        new = [name for name in components if name not in names]
        config["components"].update({name: components[name] for name in new})
        names[-1:-1] = new  # the parser stays last
    fix_random_seed(args.seed)
    args.pipeline.parent.mkdir(parents=True, exist_ok=True)
    read, trees = (
        [str(path) for path, _ in paths] for paths in (args.read, args.trees)
    )
    changes: Dict[str, Any] = {
        "paths.train": read,
        "paths.dev": read,
        "system.seed": args.seed,
    }
    changes.update({"paths.trees_only": trees} if trees else {})
    changes.update({"nlp.lang": args.lang} if args.lang else {})
    changes.update(args.overrides)
    changes.update(
        {"components.transformer.model.name": args.encoder} if args.encoder else {}
    )
    with TemporaryDirectory() as folder:
        config.to_disk(Path(folder) / "joined.cfg")
        joined = load_config(
            Path(folder) / "joined.cfg", overrides=changes, interpolate=False
        )
        init_nlp(joined).to_disk(args.pipeline)
    print(f"Wrote {args.pipeline}")


def main(arguments: Optional[List[str]] = None) -> int:
    """Start, export, or bring back."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("start", help="initialise a pipeline")
    begin.add_argument("config", type=Path)
    begin.add_argument("pipeline", type=Path, help="folder to write")
    begin.add_argument(
        "--add",
        type=Path,
        nargs="+",
        default=[],
        metavar="CONFIG",
        help="its components, too",
    )
    begin.add_argument(
        "--encoder", help="name or folder of the encoder, in place of the config's"
    )
    begin.add_argument("--lang", help="in place of the config's language")
    begin.set_defaults(run=start)
    out = commands.add_parser("out", help="write what the training needs")
    out.add_argument("pipeline", help="an initialised pipeline, or a package")
    out.add_argument("folder", type=Path, help="folder to write; must not exist")
    for command in (begin, out):
        command.add_argument(
            "--read",
            type=source,
            nargs="+",
            required=True,
            metavar="FILE=WEIGHT",
            help="treebanks",
        )
        command.add_argument(
            "--trees",
            type=source,
            nargs="+",
            default=[],
            metavar="FILE=WEIGHT",
            help="without heads",
        )
        command.add_argument("--seed", type=int, default=0)
    parsed = "text as a larger pipeline parses it"
    out.add_argument(
        "--parsed",
        type=source,
        nargs="+",
        default=[],
        metavar="FILE=WEIGHT",
        help=parsed,
    )
    out.add_argument("--dev", type=Path, nargs="+", default=[])
    out.add_argument(
        "--rough",
        action="store_true",
        help="also each Doc of a treebank in rough form (rough_text.py)",
    )
    out.set_defaults(run=export)
    back = commands.add_parser("back", help="write the pipeline with learned weights")
    back.add_argument("pipeline", help="as for `out`")
    back.add_argument("folder", type=Path, help="of the learned weights")
    back.add_argument("output", type=Path, help="folder to write")
    back.set_defaults(run=bring_back)
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
