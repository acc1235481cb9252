"""Loading a pipeline for a command, with errors that say what to do."""

from typing import Any

from spacy.language import Language

from spacy_lal.cli.streams import fail
from spacy_lal.pipeline.parser_names import FACTORY, parser_names


def load_pipeline(model: str, gpu_id: int = -1) -> Language:
    """Load a pipeline that holds a parser of ours; ends the command where that cannot be.

    model (str): A path, or the name of an installed package.
    gpu_id (int): The GPU, or -1 for the CPU.
    RETURNS (Language): The pipeline.
    """
    import spacy

    try:
        if gpu_id >= 0:
            spacy.require_gpu(gpu_id)
        nlp = spacy.load(model)
    except (OSError, ValueError, ImportError, KeyError) as err:
        fail(f"can't load the pipeline {model!r}: {_first_line(err)}")
    if not parser_names(nlp):
        fail(f"the pipeline {model!r} has no {FACTORY}, only: {', '.join(nlp.pipe_names) or 'nothing'}")
    return nlp


def _first_line(err: Any) -> str:
    lines = [line.strip() for line in str(err).splitlines() if line.strip()]
    return lines[0] if lines else type(err).__name__
