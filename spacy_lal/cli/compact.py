"""`python -m spacy lal compact -m MODEL -o OUT`: a trained pipeline in the form of a package.

Its transformer becomes a component that parses without torch, and all weights are stored in half precision, which spaCy
computes with in single precision. Making a compact pipeline compact again changes nothing.
"""

from pathlib import Path
from typing import Annotated

import typer

from spacy_lal.cli.io import check_pipeline_output, fail, folder_size, load_pipeline, say, wrote


def compact_cli(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write the pipeline to")],
    model: Annotated[str, typer.Option("--model", "-m", help="The pipeline: path or package")],
    bits: Annotated[int, typer.Option("--bits", help="Of the transformer's weights: 16, or 8 for half the size")] = 16,
    runtime: Annotated[
        str, typer.Option("--runtime", help="What computes the transformer on a CPU: onnx, onnx-int8 or torch")
    ] = "onnx",
    lean: Annotated[bool, typer.Option("--lean", help="Leave out the words of the training text")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the pipeline that is in OUT")] = False,
) -> None:
    """Write a trained pipeline in the form of a package: its transformer runs in ONNX Runtime, without torch.

    The `transformer` becomes a component `encoder` of spaCy's factory `tok2vec`, and all that listened to it listens to
    the encoder. A transformer that ONNX Runtime cannot take stays in torch; the output says why. Weights are stored in
    half precision. The config loses the paths of its training.
    """
    if bits not in (8, 16):
        raise typer.BadParameter(f"expected --bits 8 or 16, got {bits}")
    check_pipeline_output(output, overwrite)

    from spacy_lal.files import written_folder
    from spacy_lal.training.packaging import write_package

    nlp = load_pipeline(model)
    before = folder_size(nlp.path)
    with written_folder(output) as folder:
        try:
            done = write_package(nlp, folder, bits=bits, runtime=runtime, lean=lean)
        except ValueError as err:
            fail(f"{model}: {err}")
    for line in done:
        say(line, err=True)
    wrote(output, f"{', '.join(nlp.pipe_names)}; {folder_size(output)}, from {before}")
