"""`python -m spacy lal explain-label LABEL...`: the meaning of labels."""

import warnings
from typing import Annotated, List

import typer

from spacy_lal.cli.streams import closed_pipe_is_no_error, fail, say


def explain_label_cli(
    labels: Annotated[List[str], typer.Argument(metavar="LABEL...", help="For instance NP, S::VP, nsubj:pass or VBZ")],
) -> None:
    """Describe labels of constituents, deprels, tags and parts of speech, one a line.

    Exits with code 1 if a label is unknown.
    """
    from spacy_lal.lang.glossary import explain

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        described = [(label, explain(label)) for label in labels]
    with closed_pipe_is_no_error():
        for label, text in described:
            if text is not None:
                say(f"{label}\t{text}")
    unknown = [label for label, text in described if text is None]
    if unknown:
        fail(f"no explanation for: {', '.join(unknown)}")
