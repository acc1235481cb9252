"""`python -m spacy lal compact -m MODEL -o OUT`: a pipeline with weights in half precision, ready to be packaged.

The files keep the formats of spaCy and spacy-transformers, which read them as usual and compute in single precision.
Layers of thinc have no other precision in files: their weights are rounded, and an archive packs them to half the size.
Half precision holds the weights of a compact pipeline exactly: saving it again, in either precision, changes nothing.
--lean also removes data that no component reads.
"""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Dict, Iterator, List, Optional

import typer

from spacy_lal.cli.io import check_pipeline_output, fail, folder_size, load_pipeline, say, wrote

if TYPE_CHECKING:
    from spacy.language import Language
    from thinc.api import Config

MAX_HALF = 65504  # the largest number in half precision
MODEL_FILE = "model"  # the file of a component, as thinc writes it
EDIT_TREES = "trees"  # the file of a trainable lemmatizer's edit trees
POOLER = "pooler."  # makes a vector of the whole input in BERT-like transformers; listeners read piece vectors
TRANSFORMERS = ("spacy-transformers.", "spacy-lal.TransformerModel.")


def compact_cli(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write the pipeline to")],
    model: Annotated[str, typer.Option("--model", "-m", help="The pipeline: path or package")],
    encoder_name: Annotated[
        Optional[str],
        typer.Option("--encoder-name", help="Name of the transformer on the Hugging Face hub, in place of a path"),
    ] = None,
    lean: Annotated[
        bool, typer.Option("--lean", help="Leave out the words of the training text and the transformer's pooler")
    ] = False,
    runtime: Annotated[
        Optional[str],
        typer.Option("--runtime", help="What multiplies on a CPU: torch, onnx or onnx-int8 (extra: fast)"),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the pipeline that is in OUT")] = False,
) -> None:
    """Write a pipeline again with half-precision weights: about half the size. Loading and saving the result any number
    of times does not change its parses.

    --lean leaves out data that no component reads: the words that the vocabulary met in training, and the weights of
    the transformer's pooler (replaced by zeros, which compress to nothing).
    --runtime is written into the config, for transformers and for parsers whose network has an ONNX form. Weights stay
    as they are.
    The config loses the paths of its training. If it names a transformer by a folder of this machine, give the
    transformer's public name.
    """
    check_pipeline_output(output, overwrite)

    from spacy_lal.files import written_folder

    nlp = load_pipeline(model)
    names = encoder_names(nlp.config)
    if encoder_name is None and any(Path(name).exists() for name in names):
        fail(f"the config of {model} names a transformer by a path ({', '.join(names)}): say its --encoder-name")
    with written_folder(output) as folder:
        try:
            write_compact(nlp, folder, encoder_name, lean=lean, runtime=runtime)
        except ValueError as err:
            fail(f"{model}: {err}")
    wrote(output, f"{', '.join(nlp.pipe_names)}; {folder_size(output)}")


def encoder_names(config: "Config") -> List[str]:
    """The names of pretrained transformers in the components of a config, each once, in order."""
    blocks = [block for block in _blocks(config.interpolate()["components"]) if _is_transformer(block)]
    return list(dict.fromkeys(block["name"] for block in blocks))


def write_compact(
    nlp: "Language",
    folder: Path,
    encoder_name: Optional[str] = None,
    *,
    lean: bool = False,
    runtime: Optional[str] = None,
) -> None:
    """Save a pipeline with half-precision weights.

    nlp (Language): The pipeline; it is not changed.
    folder (Path): The folder to write.
    encoder_name (Optional[str]): New name of its transformers.
    lean (bool): Leave out the words that its vocabulary has met, and the poolers of its transformers.
    runtime (Optional[str]): New runtime of its transformers, which must be `spacy-lal.TransformerModel.v1`, and of
        its parsers whose network has an ONNX form. A line on stderr names the parsers that run in torch.
    RAISES (ValueError): The runtime is unknown, contradicts `mixed_precision`, or no transformer has it. A weight is
        too large for half precision, or a file still has the former name of a transformer.
    """
    import srsly
    from thinc.api import Config

    names = encoder_names(nlp.config)
    nlp.to_disk(folder)
    config = Config().from_disk(folder / "config.cfg", interpolate=False)
    config["components"] = config.interpolate()["components"]  # they may have referred to the paths
    config["paths"] = dict.fromkeys(config.get("paths", {}))
    for block in _blocks(config["components"]) if encoder_name is not None else ():
        if _is_transformer(block):
            block["name"] = encoder_name
    if runtime is not None:
        _set_runtime(config["components"], runtime)
        _set_parser_runtime(nlp, config["components"], runtime)
    config.to_disk(folder / "config.cfg")
    for path in sorted(folder.rglob(MODEL_FILE)):
        msg = srsly.msgpack_loads(path.read_bytes())
        if encoder_name is not None:
            _rename(msg["attrs"], encoder_name)
        where = str(path.relative_to(folder).parent)
        msg["params"] = [_round_params(params, where) for params in msg["params"]]
        msg["shims"] = [[_compact_shim(shim, where, lean=lean) for shim in shims] for shims in msg["shims"]]
        path.write_bytes(srsly.msgpack_dumps(msg))
    for path in folder.rglob("*") if encoder_name is not None else ():
        content = path.read_bytes() if path.is_file() else b""
        left = [name for name in names if name != encoder_name and name.encode() in content]
        if left:
            raise ValueError(f"{path.relative_to(folder)} still names the transformer {left[0]!r}")
    if lean:
        _forget_words(folder)


def _blocks(config: Any) -> Iterator[Dict[str, Any]]:
    """All sections of a config, at any depth."""
    if isinstance(config, dict):
        yield config
        for value in config.values():
            yield from _blocks(value)


def _is_transformer(block: Dict[str, Any]) -> bool:
    return str(block.get("@architectures", "")).startswith(TRANSFORMERS) and "name" in block


def _set_runtime(components: Any, runtime: str) -> None:
    """Set the runtime of all transformers in the components of a config."""
    from spacy_lal.models.runtimes import check_runtime

    blocks = [block for block in _blocks(components) if _is_transformer(block)]
    for block in blocks:
        if not block["@architectures"].startswith("spacy-lal.TransformerModel."):
            raise ValueError(
                f"{block['@architectures']} has no runtime: expected "
                "spacy-lal.TransformerModel.v1, which reads the same weights"
            )
        check_runtime(runtime, mixed_precision=block.get("mixed_precision", False))
        block["runtime"] = runtime
    if not blocks:
        raise ValueError(f"--runtime {runtime}: expected a pipeline with a transformer, and this one has none")


def _set_parser_runtime(nlp: "Language", components: Any, runtime: str) -> None:
    """Set the runtime of the parsers whose network has an ONNX form, and say why others stay on torch."""
    from spacy_lal.layers.folded_network import FoldedNetwork
    from spacy_lal.models.embedding import get_shim
    from spacy_lal.models.onnx_parser import check_network
    from spacy_lal.models.runtimes import check_runtime
    from spacy_lal.pipeline.lal_parser import LALParser

    for name, pipe in nlp.pipeline:
        if not isinstance(pipe, LALParser) or not pipe.labels:
            continue
        options = _execution(components[name]["model"]) if "model" not in pipe.cfg else None
        try:
            if options is None:
                raise ValueError("its architecture has no runtime")
            check_network(FoldedNetwork(get_shim(pipe.model).network))
        except ValueError as why:
            if runtime != "torch":
                say(f"{name} runs in torch: {why}", err=True)
        else:
            check_runtime(runtime, mixed_precision=options.get("mixed_precision", False))
            options["runtime"] = runtime


def _execution(block: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """The part of a parser's model block that says how it runs; None if its architecture has none."""
    if "execution" not in block:
        return None
    block["execution"] = block["execution"] or {"@misc": "spacy-lal.Execution.v1"}
    return block["execution"]


def _rename(attrs: List[Dict[str, bytes]], encoder_name: str) -> None:
    """Change the name that a transformer's layer keeps beside its weights."""
    import srsly

    for node in attrs:
        if "has_transformer" in node:
            node["name"] = srsly.msgpack_dumps(encoder_name)


def _forget_words(folder: Path) -> None:
    """Reduce the vocabulary of a saved pipeline to the strings that its tokenizer and components add themselves."""
    import srsly
    from spacy.util import load_config, load_model_from_config

    nlp = load_model_from_config(load_config(folder / "config.cfg"))
    nlp.from_disk(folder, exclude=["vocab"])
    known = set(nlp.vocab.strings)
    for _, pipe in nlp.pipeline:
        known.update(label for label in getattr(pipe, "labels", ()) if isinstance(label, str))
    path = folder / "vocab" / "strings.json"
    strings = srsly.read_json(path)
    for trees in folder.glob(f"*/{EDIT_TREES}"):
        known.update(_strings_of_trees(trees, strings))
    srsly.write_json(path, [string for string in strings if string in known])


def _strings_of_trees(path: Path, strings: List[str]) -> Iterator[str]:
    """The strings in the edit trees of a lemmatizer, which stores them as hashes.

    path (Path): The file of the trees.
    strings (List[str]): Those of the pipeline's vocabulary. They may lack strings of trees that no label uses.
    """
    import srsly
    from spacy.strings import StringStore

    store = StringStore(strings)
    for tree in srsly.msgpack_loads(path.read_bytes())["trees"]:
        yield from (store[tree[key]] for key in ("orig", "subst") if tree.get(key) and tree[key] in store)


def _round_params(params: Dict[str, Any], where: str) -> Dict[str, Any]:
    """The weights of a layer of thinc, which reads single precision alone, rounded to what half precision holds.

    RAISES (ValueError): As for `to_half`.
    """
    rounded = {}
    for name, array in params.items():
        if array is not None and array.dtype.kind == "f":
            largest = float(abs(array).max()) if array.size else 0.0
            if not largest <= MAX_HALF:
                raise ValueError(f"{where}: half precision holds numbers up to {MAX_HALF}, and {name} has {largest:g}")
            array = array.astype("float16").astype(array.dtype)
        rounded[name] = array
    return rounded


def _compact_shim(shim: bytes, where: str, *, lean: bool) -> bytes:
    """Rewrite the bytes of a torch network's shim: thinc's, ours, or the one in spacy-transformers with its
    tokenizer."""
    import srsly

    msg = srsly.msgpack_loads(shim)
    if msg["state"]:
        msg["state"] = to_half(msg["state"], where, zeroed=POOLER if lean else None)
    if "_name_or_path" in msg["config"]:
        msg["config"]["_name_or_path"] = ""  # the local folder that it was read from
    return srsly.msgpack_dumps(msg)


def to_half(state: bytes, where: str, *, zeroed: Optional[str] = None) -> bytes:
    """Rewrite a torch state dict in half precision; integers are kept.

    state (bytes): As `torch.save` or safetensors wrote it. The result is in `torch.save`'s format, which every
        spacy-transformers reads.
    where (str): The owner of the weights, for messages.
    zeroed (Optional[str]): Prefix of the weights to replace by zeros.
    RAISES (ValueError): A weight is not finite, or larger than half precision can hold (65,504).
    """
    import torch

    from spacy_lal.models.stored_weights import read_state

    tensors = read_state(state)
    for name, tensor in tensors.items():
        if tensor.is_floating_point():
            half = torch.zeros_like(tensor).half() if zeroed and name.startswith(zeroed) else tensor.half()
            if not bool(torch.isfinite(half).all()):
                largest = float(tensor.abs().max())
                raise ValueError(f"{where}: half precision holds numbers up to {MAX_HALF}, and {name} has {largest:g}")
            tensors[name] = half
    buffer = BytesIO()
    torch.save(tensors, buffer)
    return buffer.getvalue()
