"""`python -m spacy lal label-heads DEV.spacy`: which label head serves which label, over a treebank."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterator, List, Optional

import typer

from spacy_lal.cli.inputs import existing_file
from spacy_lal.cli.options import GpuOption, ModelOption, model_and_words
from spacy_lal.cli.outputs import check_apart, check_parent, is_stdout, write_json
from spacy_lal.cli.progress import pipe_progress
from spacy_lal.cli.streams import closed_pipe_is_no_error, counted, fail, say, wrote

if TYPE_CHECKING:
    from spacy_lal.interpret import HeadReport

SHOWN_LABELS = 20
SHOWN_HEADS = 3  # heads shown for each label; each gets a line in the table of heads
SHOWN_WORDS = 5


def heads_cli(
    words: Annotated[
        List[str],
        typer.Argument(metavar="DEV.spacy", help="Gold Docs, as `lal convert` writes them", show_default=False),
    ],
    model: ModelOption = None,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", help="Write the whole report as JSON")] = None,
    top: Annotated[
        int, typer.Option("--top", "-k", min=1, help="Heads of a label, and labels and words of a head, in the JSON")
    ] = 10,
    batch_size: Annotated[int, typer.Option("--batch-size", "-b", min=1, help="Docs read together")] = 64,
    gpu_id: GpuOption = -1,
) -> None:
    """Show which label heads contribute to which labels, and which words they attend to.

    A head's part is its contribution to the margin of a label over the next best label: a mean over the constituents
    that the parser gets right on gold tokens and sentence breaks.
    """
    model, (data,) = model_and_words(model, words, "DEV.spacy")
    data_path = existing_file(data)
    check_parent(output)
    check_apart(output, data_path)

    from spacy_lal.cli.evaluate import read_docs
    from spacy_lal.cli.pipelines import load_pipeline
    from spacy_lal.interpret import head_report

    nlp = load_pipeline(model, gpu_id)
    golds = read_docs(data_path, nlp)
    try:
        with pipe_progress(nlp, len(golds)):
            report = head_report(nlp, golds, k=top, batch_size=batch_size)
    except ValueError as err:
        fail(f"{model} on {data_path}: {err}")
    if output is not None:
        write_json(output, report.records(top))
    with closed_pipe_is_no_error():
        say("\n".join(heads_lines(report)), err=output is not None and is_stdout(output))
    if output is not None and not is_stdout(output):
        wrote(output, f"{counted(len(report.labels), 'label')}, {counted(len(report.heads), 'label head')}")


def heads_lines(report: "HeadReport") -> List[str]:
    """The report as lines of text: the most frequent labels, the heads that rank first in them, and the number of
    labels whose own head ranks first."""
    lines = [f"{report.n_sentences} sentences, {len(report.labels)} labels, {len(report.heads)} label heads"]
    if report.n_left_out:
        lines.append(f"left out, for the parser reads them in pieces: {report.n_left_out} sentences")
    lines += _label_lines(report)
    lines += _head_lines(report)
    named = [one for one in report.labels if one.own is not None]
    shares = ", ".join(
        f"first {k}: {100 * share:.1f} (chance {100 * report.chance(k):.1f})"
        for k in (1, 3, 10)
        if (share := report.own_head_share(k)) is not None
    )
    if shares:
        lines.append(f"% of labels with the head of their name among their {shares}")
    else:
        lines.append("no label is ever right" if named else "no head has the name of a label")
    return lines


def _label_lines(report: "HeadReport") -> Iterator[str]:
    """For each label: its count, the margin and its parts, the rank of the head of the same name, the first heads."""
    numbers = "".join(f"{name:>9}" for name in ("correct", "margin", "bias", "tokens", "heads"))
    yield f"{'label':<20}{'gold':>7}{numbers}{'own':>6}  first heads"
    for one in report.labels[:SHOWN_LABELS]:
        parts = "".join(f"{part:>9.3f}" for part in (one.margin, one.bias, one.tokens, float(one.heads.sum())))
        first = ", ".join(f"{report.heads[i].name} {one.heads[i]:+.3f}" for i in one.ranking[:SHOWN_HEADS])
        own = one.own_rank or "-"
        yield f"  {one.label:<18}{one.counts.gold:>7}{one.counts.correct:>9}{parts}{own:>6}  {first or '-'}"
    if len(report.labels) > SHOWN_LABELS:
        yield f"  and {len(report.labels) - SHOWN_LABELS} labels more"


def _head_lines(report: "HeadReport") -> Iterator[str]:
    """For each head in the table of labels: the labels in which it ranks highest, and the words that it attends to."""
    shown = {i for one in report.labels[:SHOWN_LABELS] for i in one.ranking[:SHOWN_HEADS]}
    if not shown:
        return
    yield f"{'head':<20}{'labels (place)':<40} words (% of attention, % if even)"
    for i in sorted(shown):
        head = report.heads[i]
        labels = ", ".join(f"{place.label} ({place.rank})" for place in head.labels[:SHOWN_HEADS])
        words = ", ".join(f"{one.word} {100 * one.share:.1f}/{100 * one.even:.1f}" for one in head.words[:SHOWN_WORDS])
        yield f"  {head.name:<18}{labels:<40} {words}"
    if len(report.heads) > len(shown):
        yield f"  and {len(report.heads) - len(shown)} heads more"
