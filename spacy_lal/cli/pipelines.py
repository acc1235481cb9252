"""Loading a pipeline for a command, with errors that say how to fix them."""

from math import isfinite
from pathlib import Path
from typing import Any, List, Optional

from spacy.language import Language

from spacy_lal.cli.damage import REINSTALL, damaged_file, pipeline_folder
from spacy_lal.cli.gpu import use_gpu
from spacy_lal.cli.streams import fail
from spacy_lal.cli.threads import use_free_cores
from spacy_lal.lang import DEFAULT_PACKAGES, DEFAULT_PIPELINE
from spacy_lal.pipeline.parser_names import FACTORY, ROLES_FACTORY, parser_names
from spacy_lal.pipeline.storage import FormatError

MISMATCH = "mismatched structure"  # of layers: thinc's words for a config that was cut where it stays readable
NOT_INSTALLED = "Install it, `pip install ./packages/{}-*` in a clone, or name another by --model"


def load_pipeline(
    model: Optional[str] = None,
    gpu_id: int = -1,
    *,
    needs_parser: bool = True,
    or_roles: bool = False,
    parses_only: bool = False,
) -> Language:
    """Load a pipeline; ends the command if it cannot be loaded.

    model (Optional[str]): A path, or the name of an installed package; None is the default pipeline.
    gpu_id (int): The GPU, or -1 for the CPU.
    needs_parser (bool): Whether it must have a parser of ours.
    or_roles (bool): Whether a component that finds semantic roles will do, too.
    parses_only (bool): Whether the command writes parses and nothing else. The pipeline gives the same parses, without
        roles. On a CPU it starts sooner: its transformer may be of another class (`architectures/light_bert.py`), and
        can't be trained.
    RETURNS (Language): The pipeline.
    """
    import spacy

    model = model or DEFAULT_PIPELINE
    use_gpu(gpu_id)
    if gpu_id < 0:
        use_free_cores()
    try:
        exclude = roles_components(model) if parses_only else []
        nlp = (_load_light if parses_only and gpu_id < 0 else spacy.load)(model, exclude=exclude)
    except Exception as err:  # a damaged file may raise any error of its reader
        folder = pipeline_folder(model)
        damage = damaged_file(folder) if folder and not isinstance(err, FormatError) else None
        if folder and not damage and not isinstance(err, FormatError):
            damage = _unusable_config(folder, err)
        expected = isinstance(err, (OSError, ValueError, ImportError, KeyError))
        reason = damage or (_first_line(err) if expected else f"{type(err).__name__}: {_first_line(err)}")
        if model in DEFAULT_PACKAGES.values() and folder is None:
            reason += f" {NOT_INSTALLED.format(model)}"
        fail(f"can't load the pipeline {model!r}: {reason}")
    check_finite_pipeline(nlp, model)
    others = [name for name in nlp.pipe_names if or_roles and nlp.get_pipe_meta(name).factory == ROLES_FACTORY]
    if needs_parser and not parser_names(nlp) and not others:
        fail(f"the pipeline {model!r} has no {FACTORY}, only: {', '.join(nlp.pipe_names) or 'nothing'}")
    return nlp


def roles_components(model: str) -> List[str]:
    """The names of the components of a saved pipeline that find semantic roles: no parse depends on them.

    model (str): A path, or the name of an installed package.
    """
    from thinc.api import Config

    path = (pipeline_folder(model) or Path(model)) / "config.cfg"
    if not path.is_file():
        return []
    components = Config().from_disk(path, interpolate=False).get("components", {})
    return [name for name, block in components.items() if block.get("factory") == ROLES_FACTORY]


def _load_light(model: str, exclude: List[str]) -> Language:
    import spacy

    from spacy_lal.cli.light_imports import import_transformers, import_trees

    import_trees()
    import_transformers()
    from spacy_lal.models.light_bert import parsing_only

    with parsing_only():
        return spacy.load(model, exclude=exclude)


def _unusable_config(folder: Path, err: Exception) -> Optional[str]:
    """The problem of a pipeline whose files can all be read: is it the config, even without the weights?

    err (Exception): The error of loading the pipeline.
    """
    from spacy.util import load_config, load_model_from_config

    path = folder / "config.cfg"
    if MISMATCH in str(err):
        return f"{path} does not fit the weights beside it ({_first_line(err)}). {REINSTALL}"
    try:
        load_model_from_config(load_config(path))
    except Exception as config_err:  # as any layer raises it
        return f"{path} cannot be used ({_first_line(config_err)[:400]}). {REINSTALL}"
    return None


def check_finite_pipeline(nlp: Language, model: str) -> None:
    """Ends the command if a weight of any component is NaN or infinite.

    model (str): The pipeline's name, for the message.
    """
    from spacy_lal.training.average import named_weights

    for place, weight in named_weights(nlp):
        # an array of torch, numpy or cupy: their minima and maxima propagate NaN
        if 0 not in weight.shape and not (isfinite(float(weight.min())) and isfinite(float(weight.max()))):
            fail(f"can't use the pipeline {model!r}: weights of {place} are NaN or infinite. {REINSTALL}")


def _first_line(err: Any) -> str:
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    return lines[0] if lines else type(err).__name__
