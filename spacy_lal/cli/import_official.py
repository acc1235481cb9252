"""`python -m spacy lal import-official CHECKPOINT OUT`: the authors' `best_parser.pt` as a spaCy pipeline."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from spacy_lal.cli.outputs import check_output
from spacy_lal.cli.streams import fail, wrote

if TYPE_CHECKING:
    from spacy_lal.checkpoint.official import ImportedPipeline


def import_official_cli(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="A checkpoint of the authors' code (.pt)")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write the pipeline to")],
    tokenizer: Annotated[
        Optional[str],
        typer.Option(
            "--tokenizer",
            "-t",
            help="Its tokenizer: a name on the Hugging Face hub, or a folder  [default: as it says]",
        ),
    ] = None,
    lang: Annotated[str, typer.Option("--lang", "-l", help="Language of the pipeline's own tokenisation")] = "en",
    scrambled_queries: Annotated[
        bool,
        typer.Option(
            "--scrambled-queries",
            help="Reproduce a fault of the authors' code, for their published scores: the parse of a sentence then "
            "depends on which others are parsed in the same batch, and on the batch size",
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the pipeline that is in OUT")] = False,
) -> None:
    """Turn a checkpoint of the LAL parser (best_parser.pt), of the HPSG parser, or of Kitaev and Klein's parser of
    constituents (2018) into a pipeline for spacy.load.

    No code in the file is run: anything but tensors, plain containers and a vocabulary class is refused.
    Networks that read XLNet vectors, tags or characters can be imported; of Kitaev and Klein also words, but not ELMo.
    OUT is written at the very end, or not at all.
    """
    check_output(output, overwrite, checkpoint)
    if not checkpoint.exists():
        fail(f"can't find the checkpoint {checkpoint}")

    from spacy_lal.checkpoint.official import import_pipeline
    from spacy_lal.checkpoint.reader import CheckpointError, read_checkpoint
    from spacy_lal.files import written_folder

    try:
        imported = import_pipeline(
            read_checkpoint(checkpoint), tokenizer=tokenizer, lang=lang, scrambled_queries=scrambled_queries
        )
        imported.nlp.meta["description"] = f"Imported from a checkpoint of the authors' parser, {checkpoint.name}"
        with written_folder(output) as folder:
            imported.nlp.to_disk(folder)
    except CheckpointError as err:
        prefix = "" if str(err).startswith(str(checkpoint)) else f"{checkpoint}: "
        fail(f"{prefix}{err}")
    except ImportError as err:
        fail(f"can't make a pipeline for --lang {lang}: {err}")
    except OSError as err:
        fail(f"can't read {checkpoint} or write {output}: {err}")
    except (ValueError, TypeError) as err:
        fail(f"{checkpoint}: no sound checkpoint: {err}")
    wrote(output, summary(imported, scrambled_queries=scrambled_queries))


def summary(imported: "ImportedPipeline", *, scrambled_queries: bool = False) -> str:
    """A description of the imported pipeline and its requirements.

    imported (ImportedPipeline): The pipeline.
    scrambled_queries (bool): Whether the authors' batch effect is on.
    RETURNS (str): A few lines.
    """
    reads = [f"XLNet ({imported.transformer})"] if imported.transformer else []
    lines = [
        f"{', '.join(imported.nlp.pipe_names)}; {imported.n_constituents} constituents, "
        f"{imported.n_deprels} deprels{', ' + reads[0] if reads else ''}"
    ]
    if imported.reads_tags:
        shown = " ".join(imported.tags[:8])
        lines.append(
            f"It reads {len(imported.tags)} part-of-speech tags ({shown} ...): add a tagger for Penn Treebank tags "
            "before the parser, or give Docs that have token.tag_. Without, every word has the unknown tag."
        )
    if scrambled_queries:
        lines.append(
            f"Scrambled queries: parses depend on the batch. nlp.batch_size is {imported.nlp.batch_size}, as in the "
            "authors' script for their scores."
        )
    return "\n".join(lines)
