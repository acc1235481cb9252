"""A trained pipeline becomes a package: its transformer a `tok2vec` component in ONNX
Runtime, all weights in half precision, and what no component reads left out. *Not*
here: the command (`lal compact`)."""

from pathlib import Path
from typing import Any, Iterator, Optional

import spacy
import srsly
from numpy import ndarray
from safetensors.numpy import load, save
from spacy.language import Language
from spacy.pipeline import Tok2Vec
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.strings import StringStore
from spacy.util import load_config, load_model_from_config, replace_model_node
from thinc.api import Config, Model

from ..models.inference.onnx_transformer import from_transformer
from ..models.stored_layers import StoredForward
from ..models.tagger import with_products
from ..models.weights.storage import SCALE, check_half, is_safetensors, stored_weight

ENCODER = "encoder"  # the name of the component
_ENCODER_MODEL = "spacy-lal.OnnxTransformer.v1"
_PRODUCTS = {"@callbacks": "spacy-lal.multiply_by_numpy.v1"}
_TAGGERS = {"spacy.Tagger.v2": "spacy-lal.Tagger.v1"}  # with the same weights
_WINDOWS = {"@span_getters": "spacy-lal.sentence_windows.v1"}


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
    done: list[str] = []
    blocks = nlp.config.interpolate()["components"]
    names = {name: name for name in nlp.component_names}
    pipes: dict[str, Any] = dict(nlp.components)
    for name, block in blocks.items():
        architecture = block.get("model", {}).get("@architectures")
        if architecture in _TAGGERS:
            block["model"]["@architectures"] = _TAGGERS[architecture]
            with_products(pipes[name].model)
        if architecture == _ENCODER_MODEL:
            if runtime is not None:
                block["model"]["runtime"] = runtime
            done.append(_change_encoder(pipes[name], block["model"], bits))
        if block.get("factory") != "transformer":
            continue
        own_runtime = runtime or "onnx"
        model = None
        why = _kept_in_torch(nlp, name, block, blocks)
        if not why:
            try:
                model = from_transformer(
                    pipes[name].model, bits=bits, runtime=own_runtime
                )
            except ValueError as err:
                why = str(err)
        if model is None:
            done.append(f"{name} stays in torch: {why}")
            continue
        names[name] = ENCODER if name == "transformer" else name
        n_listeners = sum(
            _replace_listeners(pipe, name, names[name], model)
            for pipe in pipes.values()
        )
        for listener in list(_listeners(blocks, name)):
            listener.clear()
            width = model.get_dim("nO")
            listener.update(
                {
                    "@architectures": "spacy.Tok2VecListener.v1",
                    "width": width,
                    "upstream": names[name],
                }
            )
        blocks[name] = {
            "factory": "tok2vec",
            "model": {"@architectures": _ENCODER_MODEL, "runtime": own_runtime},
        }
        done.append(
            f"{name} is now '{names[name]}', with {bits}-bit weights and runtime "
            f"{own_runtime}; {n_listeners} listeners read it"
        )
        pipes[name].model = model
    if bits == 8:
        _store_in_integers(pipes)
    _write(nlp, folder, names, {names[name]: block for name, block in blocks.items()})
    for path in sorted(folder.rglob("model")):
        _compact_weights(path, str(path.relative_to(folder).parent), bits)
    for path in folder.rglob("checksums"):
        path.unlink()
    if lean:
        _forget_words(folder)
        _write_short(folder)
    return done


def _store_in_integers(pipes: dict[str, Any]) -> None:
    for pipe in pipes.values():
        model = getattr(pipe, "model", None)
        nodes = model.walk() if isinstance(model, Model) else ()
        for node in nodes:
            if isinstance(node._func, StoredForward):
                node._func.store(node)


def _change_encoder(pipe: Any, block: dict[str, Any], bits: int) -> str:
    """Give an encoder of a package 8 bits if they are asked for.

    RETURNS (str): What it has.
    """
    shim = pipe.model.shims[0]
    weights = dict(shim.weights)  # copies of the encoder share the former ones
    for name, weight in shim.weights.items():
        if weight.dtype.kind == "f" and not name.endswith(SCALE):
            weights.update(stored_weight(name, weight, bits))
    shim.weights = weights
    has_scales = any(name.endswith(SCALE) for name in weights)
    n_bits = 8 if has_scales else 16
    return f"'{pipe.name}' has {n_bits}-bit weights and runtime {block['runtime']}"


def _kept_in_torch(
    nlp: Language, name: str, block: dict[str, Any], blocks: dict[str, Any]
) -> Optional[str]:
    """Why a transformer cannot leave torch, as far as the config tells."""
    get_spans = block["model"].get("get_spans")
    if (get_spans or _WINDOWS) != _WINDOWS:
        return f"expected get_spans to be {_WINDOWS['@span_getters']}, got {get_spans}"
    if ENCODER in blocks:
        return f"the pipeline has a component '{ENCODER}' already"
    for listener in _listeners(blocks, name):
        pooling = listener.get("pooling")
        if pooling != {"@layers": "reduce_mean.v1"}:
            return f"a listener pools by {pooling}, and the encoder by reduce_mean.v1"
    return None


def _listeners(config: Any, upstream: str) -> Iterator[dict[str, Any]]:
    if isinstance(config, dict):
        is_listener = "TransformerListener" in str(config.get("@architectures"))
        if is_listener and config.get("upstream", "*") in ("*", upstream):
            yield config
        for value in config.values():
            yield from _listeners(value, upstream)


def _replace_listeners(pipe: Any, upstream: str, name: str, encoder: Model) -> int:
    model = getattr(pipe, "model", None)
    found = []
    for node in model.walk() if isinstance(model, Model) else ():
        listener = node.get_ref("listener") if "listener" in node.ref_names else None
        if getattr(listener, "upstream_name", None) in ("*", upstream):
            found.append(node)
    for node in found:
        replacement = Tok2VecListener(name, encoder.get_dim("nO"))
        if node is model:
            pipe.model = replacement
        else:
            replace_model_node(model, node, replacement)  # type: ignore[arg-type]
    return len(found)


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
    config["nlp"]["after_pipeline_creation"] = (
        config["nlp"].get("after_pipeline_creation") or _PRODUCTS
    )
    for key in ("pipeline", "disabled"):
        config["nlp"][key] = [names[name] for name in config["nlp"][key]]
    for key in ("frozen_components", "annotating_components"):
        if key in config.get("training", {}):
            config["training"][key] = [
                names.get(name, name) for name in config["training"][key]
            ]
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
    half precision by half, and matrices of 8 significant bits more."""
    check_half(name, array)
    half = array.astype("float16").astype(array.dtype)
    is_matrix = array.ndim > 1
    return _with_8_significant_bits(half) if bits == 8 and is_matrix else half


def _with_8_significant_bits(array: ndarray) -> ndarray:
    """Round float32 to numbers of bfloat16, whose lower 16 bits are zero."""
    return ((array.view("u4") + 0x8000) & 0xFFFF0000).view("f4")


def _compact_shim(shim: bytes, bits: int) -> bytes:
    """What a shim has saved, with its weights rounded."""
    if is_safetensors(shim):  # an encoder of ONNX Runtime was rounded when it was made
        return shim
    content = srsly.msgpack_loads(shim)
    if not is_safetensors(content.get("state", b"")):
        return shim  # a transformer that stays in torch is not rounded
    state = load(content["state"])
    for name, array in list(state.items()):
        if array.dtype.kind == "f" and not name.endswith(SCALE):
            state.update(stored_weight(name, array, bits))
    content["state"] = save(state)
    return srsly.msgpack_dumps(content)


def _forget_words(folder: Path) -> None:
    """Reduce the vocabulary of a saved pipeline to the strings that its tokenizer and
    components add themselves."""
    nlp = load_model_from_config(load_config(folder / "config.cfg"))
    nlp.from_disk(folder, exclude=["vocab"])
    known = set(nlp.vocab.strings)
    for _, pipe in nlp.pipeline:
        known.update(
            label for label in getattr(pipe, "labels", ()) if isinstance(label, str)
        )
    path = folder / "vocab" / "strings.json"
    strings = srsly.read_json(path)
    store = StringStore(strings)
    # A lemmatizer's edit trees have hashes of strings.
    for trees in folder.glob("*/trees"):
        for tree in srsly.msgpack_loads(trees.read_bytes())["trees"]:
            known.update(
                store[tree[key]]
                for key in ("orig", "subst")
                if tree.get(key) and tree[key] in store
            )
    srsly.write_json(path, [string for string in strings if string in known])


def _write_short(folder: Path) -> None:
    """Write the JSON files of a saved pipeline's components and vocabulary without
    indentation."""
    for path in (*folder.glob("*/cfg"), *folder.glob("vocab/*.json")):
        srsly.write_json(path, srsly.read_json(path), indent=0)
