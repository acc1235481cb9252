"""`python -m spacy lal complete IN.spacy OUT`: adds heads to a constituency treebank, constituents to a dependency
treebank."""

from collections import Counter
from pathlib import Path
from typing import Annotated, List

import typer

from spacy_lal.cli.inputs import existing_file
from spacy_lal.cli.options import GpuOption, ModelOption, model_and_words
from spacy_lal.cli.outputs import check_apart, is_stdout, path_or_stdout
from spacy_lal.cli.progress import progress
from spacy_lal.cli.streams import counted, fail, wrote


def complete_cli(
    words: Annotated[
        List[str],
        typer.Argument(
            metavar="IN.spacy OUT",
            help="Gold Docs, as `lal convert` writes them; a .spacy file to write, or a folder for several",
            show_default=False,
        ),
    ],
    model: ModelOption = None,
    batch_size: Annotated[int, typer.Option("--batch-size", "-b", min=1, help="Docs read together")] = 64,
    gpu_id: GpuOption = -1,
) -> None:
    """Add heads to Docs that only have constituents, and constituents to Docs that only have heads. The joint decoder
    finds the best additions that agree with the given tree.

    Docs with both or neither, or with a sentence that is too long for the decoder, are written unchanged.
    """
    from spacy_lal.treebanks.docs import is_written_name, write_docs

    model, (data, out) = model_and_words(model, words, "IN.spacy", "OUT")
    data_path, output = existing_file(data), Path(out)
    check_apart(output, data_path)
    if output.is_dir() and data_path.resolve().parent == output.resolve() and is_written_name(data_path.name):
        fail(f"{data_path} lies in {output}, whose files are replaced: name another folder")

    from spacy_lal.cli.evaluate import read_docs
    from spacy_lal.cli.pipelines import load_pipeline
    from spacy_lal.interpret.sentences import find_parser
    from spacy_lal.training.completion import complete, lacks

    nlp = load_pipeline(model, gpu_id)
    golds = read_docs(data_path, nlp)
    try:
        found = complete(nlp, find_parser(nlp), golds, batch_size=batch_size)
        completed = list(progress(found, total=len(golds), unit="Docs"))
        with path_or_stdout(output, binary=True) as path:
            write_docs(completed, path)
    except (ValueError, OSError) as err:
        fail(f"{model} on {data_path}: {err}")
    before, after = Counter(map(lacks, golds)), Counter(map(lacks, completed))
    given = ", ".join(f"{before[kind] - after[kind]} Docs got {kind}" for kind in ("heads", "constituents"))
    too_long = after["heads"] + after["constituents"]
    long_note = f", {too_long} have a sentence too long for the joint decoder" if too_long else ""
    content = f"{counted(len(golds), 'Doc')}; {given}, {before[None]} had both or neither{long_note}"
    wrote("to stdout" if is_stdout(output) else output, content)
