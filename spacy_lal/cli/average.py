"""`python -m spacy lal average MODEL MODEL ... -o OUT`: one pipeline with the mean weights of several trainings."""

from pathlib import Path
from typing import Annotated, List

import typer

from spacy_lal.cli.outputs import check_output
from spacy_lal.cli.streams import fail, wrote


def average_cli(
    models: Annotated[
        List[str], typer.Argument(metavar="MODEL...", help="Two pipelines or more, trained on from the same weights")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write the pipeline to")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the pipeline that is in the folder")] = False,
) -> None:
    """Write the first pipeline with the mean weights of all.

    Use it for several trainings that continued from the same weights (sourced components) with different seeds: the
        mean is better than each of them, at no cost. The mean of pipelines trained independently is useless.
    """
    check_output(output, overwrite, *models)

    from spacy_lal.cli.pipelines import load_pipeline
    from spacy_lal.files import written_folder
    from spacy_lal.training.average import average_pipelines

    try:
        nlp = average_pipelines([load_pipeline(model) for model in models])
    except ValueError as err:
        fail(str(err))
    with written_folder(output) as folder:
        nlp.to_disk(folder)
    wrote(output, f"the mean of {len(models)} pipelines: {', '.join(nlp.pipe_names)}")
