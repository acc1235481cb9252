"""`python -m spacy lal srl-eval GOLD PRED`: the table of srl-eval.pl for two files of props."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_lal.cli.streams import closed_pipe_is_no_error, fail


def srl_eval_cli(
    gold_path: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold props: lemma, then a column per predicate")],
    predicted_path: Annotated[Path, typer.Argument(metavar="PRED", help="Props to score, of the same sentences")],
    confusion: Annotated[
        bool, typer.Option("-C", "--confusion", help="Add the unlabelled row and the confusion matrix")
    ] = False,
) -> None:
    """Score semantic roles as the program srl-eval.pl of CoNLL-2005 does: the same table, to the character.

    Spurious predicates cost nothing, as in the original; `lal evaluate` has strict scores. Malformed files end the
    command with file and line.
    """
    import sys

    from spacy_lal.metrics.srl_report import report_lines, score_props
    from spacy_lal.trees.props import PropsError

    for side, path in (("gold", gold_path), ("predicted", predicted_path)):
        if not path.exists() or path.is_dir():
            fail(f"can't open the {side} file {path}")
    try:
        counts = score_props(gold_path, predicted_path)
    except PropsError as err:
        fail(str(err))
    with closed_pipe_is_no_error():
        for line in report_lines(counts, confusion=confusion):
            sys.stdout.write(line + "\n")
