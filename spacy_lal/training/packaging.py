"""A trained pipeline becomes a package: its transformer a `tok2vec` component in ONNX
Runtime, all weights in half precision, and what no component reads left out. *Not*
here: the command (`lal compact`)."""

from itertools import chain
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional

import spacy
import srsly
from numpy import ndarray
from safetensors.numpy import load, save
from spacy.language import Language
from spacy.pipeline import Tok2Vec
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.strings import get_string_id
from spacy.util import load_config, load_model_from_config, replace_model_node
from thinc.api import Config, Model

from ..models.inference.onnx_transformer import from_transformer
from ..models.stored_layers import StoredForward
from ..models.tagger import with_products
from ..models.torch.export import export_network
from ..models.torch.network import NetworkShim
from ..models.weights.storage import SCALE, check_half, is_safetensors, stored_weight
from .optimizer_state import nodes

ENCODER = "encoder"  # the name of the component
_ENCODER_MODEL = "spacy-lal.OnnxTransformer.v1"
_PRODUCTS = {"@callbacks": "spacy-lal.multiply_by_numpy.v1"}
_TAGGERS = {"spacy.Tagger.v2": "spacy-lal.Tagger.v1"}  # with the same weights
_WINDOWS = {"@span_getters": "spacy-lal.sentence_windows.v1"}
_NAMES = {"pipeline", "disabled", "frozen_components", "annotating_components"}
_EDITS = ("orig", "subst")  # of an edit tree


def write_package(
    nlp: Language,
    folder: Path,
    *,
    bits: int = 16,
    runtime: Optional[str] = None,
    lean: bool = False,
) -> list[str]:
    """Save a pipeline in the form of a package. Its listeners are replaced: load it
    again to use it further.

    bits (int): 16: weights in half precision. 8: the matrices of the transformer, the
        taggers, the parser, the roles and the words' features as integers.
    runtime (Optional[str]): What computes the encoder. None keeps the runtime of an
        encoder, and gives a transformer "onnx".
    lean (bool): Leave out the words that its vocabulary has met in training.
    RETURNS (List[str]): What was done, a line each.
    RAISES (ValueError): A weight is too large for half precision.
    """
    done = list(_export_networks(nlp))
    blocks = nlp.config.interpolate()["components"]
    names = {name: name for name in nlp.component_names}
    pipes: dict[str, Any] = dict(nlp.components)
    for name, block in list(blocks.items()):
        architecture = block.get("model", {}).get("@architectures")
        if architecture in _TAGGERS:
            block["model"]["@architectures"] = _TAGGERS[architecture]
            with_products(pipes[name].model)
        elif architecture == _ENCODER_MODEL:
            shim = pipes[name].model.shims[0]
            shim.weights = _stored(shim.weights, bits)
            has_scales = any(key.endswith(SCALE) for key in shim.weights)
            block["model"]["runtime"] = runtime or block["model"]["runtime"]
            done.append(
                f"'{name}' has {8 if has_scales else 16}-bit weights and runtime "
                f"{block['model']['runtime']}"
            )
        elif block.get("factory") == "transformer":
            own_runtime = runtime or "onnx"
            try:
                _check_reading(name, blocks)
                encoder = from_transformer(
                    pipes[name].model, bits=bits, runtime=own_runtime
                )
            except ValueError as err:
                done.append(f"{name} stays in torch: {err}")
                continue
            names[name] = ENCODER if name == "transformer" else name
            n_listeners = sum(
                _replace_listeners(pipe, name, names[name], encoder)
                for pipe in pipes.values()
            )
            for listener in list(_listeners(blocks, name)):
                listener.clear()
                listener["@architectures"] = "spacy.Tok2VecListener.v1"
                listener["width"] = encoder.get_dim("nO")
                listener["upstream"] = names[name]
            model = {"@architectures": _ENCODER_MODEL, "runtime": own_runtime}
            blocks[name] = {"factory": "tok2vec", "model": model}
            pipes[name].model = encoder
            done.append(
                f"{name} is now '{names[name]}', with {bits}-bit weights and runtime "
                f"{own_runtime}; {n_listeners} listeners read it"
            )
    if bits == 8:
        for node in chain.from_iterable(map(nodes, pipes.values())):
            if isinstance(node._func, StoredForward):
                node._func.store(node)
    _write(nlp, folder, names, {names[name]: block for name, block in blocks.items()})
    for path in sorted(folder.rglob("model")):
        _compact_weights(path, str(path.relative_to(folder).parent), bits)
    for path in folder.rglob("checksums"):
        path.unlink()
    if lean:
        _forget_words(folder)
        for path in (*folder.glob("*/cfg"), *folder.glob("vocab/*.json")):
            srsly.write_json(path, srsly.read_json(path), indent=0)
    return done


def _export_networks(nlp: Language) -> Iterator[str]:
    """Export the networks that have no other form without torch."""
    for name, pipe in nlp.pipeline:
        for node in nodes(pipe):
            for shim in node.shims:
                if isinstance(shim, NetworkShim) and shim.inference is None:
                    yield f"{name} {export_network(nlp, shim)}"


def _stored(weights: Mapping[str, ndarray], bits: int) -> dict[str, ndarray]:
    """Weights in half precision or 8 bits; those that have scales stay."""
    stored = dict(weights)
    for name, weight in weights.items():
        if weight.dtype.kind == "f" and not name.endswith(SCALE):
            stored.update(stored_weight(name, weight, bits))
    return stored


def _check_reading(name: str, blocks: dict[str, Any]) -> None:
    """Check that an encoder reads a Doc as a transformer, as far as the config tells.

    RAISES (ValueError): It does not."""
    get_spans = blocks[name]["model"].get("get_spans")
    if (get_spans or _WINDOWS) != _WINDOWS:
        raise ValueError(
            f"expected get_spans to be {_WINDOWS['@span_getters']}, got {get_spans}"
        )
    if ENCODER in blocks:
        raise ValueError(f"the pipeline has a component '{ENCODER}' already")
    for listener in _listeners(blocks, name):
        pooling = listener.get("pooling")
        if pooling != {"@layers": "reduce_mean.v1"}:
            raise ValueError(
                f"a listener pools by {pooling}, and the encoder by reduce_mean.v1"
            )


def _listeners(config: Any, upstream: str) -> Iterator[dict[str, Any]]:
    if isinstance(config, dict):
        is_listener = "TransformerListener" in str(config.get("@architectures"))
        if is_listener and config.get("upstream", "*") in ("*", upstream):
            yield config
        for value in config.values():
            yield from _listeners(value, upstream)


def _replace_listeners(pipe: Any, upstream: str, name: str, encoder: Model) -> int:
    listeners = [
        node
        for node in nodes(pipe)
        if "listener" in node.ref_names
        and getattr(node.get_ref("listener"), "upstream_name", None) in ("*", upstream)
    ]
    for node in listeners:
        replacement = Tok2VecListener(name, encoder.get_dim("nO"))
        if node is pipe.model:
            pipe.model = replacement
        else:
            replace_model_node(pipe.model, node, replacement)
    return len(listeners)


def _write(
    nlp: Language, folder: Path, names: dict[str, str], blocks: dict[str, Any]
) -> None:
    encoders = [name for name in names if blocks[names[name]]["factory"] == "tok2vec"]
    nlp.to_disk(folder, exclude=encoders)
    for name in encoders:
        pipe: Any = nlp.get_pipe(name)
        if not isinstance(pipe, Tok2Vec):
            pipe = Tok2Vec(nlp.vocab, pipe.model, names[name])
        pipe.to_disk(folder / names[name], exclude=["vocab"])
    config = Config().from_disk(folder / "config.cfg", interpolate=False)
    config["components"] = blocks  # interpolated: they may have referred to the paths
    if not config["nlp"].get("after_pipeline_creation"):
        config["nlp"]["after_pipeline_creation"] = _PRODUCTS
    for section in ("nlp", "training"):
        for key in _NAMES & config.get(section, {}).keys():
            named = config[section][key]
            config[section][key] = [names.get(name, name) for name in named]
    config["paths"] = dict.fromkeys(config.get("paths", {}))
    config.to_disk(folder / "config.cfg")
    spacy.load(folder).to_disk(folder)  # the meta data follow


def _compact_weights(path: Path, where: str, bits: int) -> None:
    """Round the weights in a file to half precision, or matrices to 8 bits.

    where (str): The component, for errors."""
    msg = srsly.msgpack_loads(path.read_bytes())
    try:
        for params in msg["params"]:
            for name, array in params.items():
                if array is not None and array.dtype.kind == "f":
                    params[name] = _rounded(name, array, bits)
        for shims in msg["shims"]:
            shims[:] = [_compact_shim(shim, bits) for shim in shims]
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    path.write_bytes(srsly.msgpack_dumps(msg))


def _rounded(name: str, array: ndarray, bits: int) -> ndarray:
    """A parameter of thinc, which stores single precision. An archive packs numbers of
    half precision by half, and matrices of 8 significant bits, those of bfloat16,
    whose lower 16 bits are zero, more."""
    check_half(name, array)
    half = array.astype("float16").astype(array.dtype)
    if bits == 8 and array.ndim > 1:
        return ((half.view("u4") + 0x8000) & 0xFFFF0000).view("f4")
    return half


def _compact_shim(shim: bytes, bits: int) -> bytes:
    """What a shim has saved, with its weights rounded."""
    if is_safetensors(shim):  # an encoder of ONNX Runtime was rounded when it was made
        return shim
    content = srsly.msgpack_loads(shim)
    if not is_safetensors(content.get("state", b"")):
        return shim  # a transformer that stays in torch is not rounded
    content["state"] = save(_stored(load(content["state"]), bits))
    return srsly.msgpack_dumps(content)


def _forget_words(folder: Path) -> None:
    """Reduce the vocabulary of a saved pipeline to the strings that its tokenizer and
    components add themselves."""
    nlp = load_model_from_config(load_config(folder / "config.cfg"))
    nlp.from_disk(folder, exclude=["vocab"])
    known = set(nlp.vocab.strings)
    for _, pipe in nlp.pipeline:
        labels = getattr(pipe, "labels", ())
        known.update(label for label in labels if isinstance(label, str))
    path = folder / "vocab" / "strings.json"
    strings = srsly.read_json(path)
    # A lemmatizer's edit trees have hashes of strings.
    for trees in folder.glob("*/trees"):
        content = srsly.msgpack_loads(trees.read_bytes())
        hashes = {tree.get(key) for tree in content["trees"] for key in _EDITS}
        known.update(string for string in strings if get_string_id(string) in hashes)
    srsly.write_json(path, [string for string in strings if string in known])
