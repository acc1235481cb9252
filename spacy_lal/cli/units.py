"""`lal units FILE...`: the discourse units of texts."""

from typing import TYPE_CHECKING

from spacy_lal.cli import tables
from spacy_lal.cli.inputs import DOCBIN, ManyInputs, with_inputs
from spacy_lal.cli.roles import TABLE, read_docs
from spacy_lal.cli.texts import Origin

if TYPE_CHECKING:
    from spacy.tokens import Doc


@with_inputs(ManyInputs, stored=(DOCBIN,))
def units_cli(
    inputs: ManyInputs,
) -> None:
    """Show the discourse units of a text, its clauses.

    The parts of a unit that others interrupt have its number. The pipeline needs a
    lal_units. Instead of a text, FILE may be Docs with units (.spacy). In csv, tsv,
    jsonl and parquet, a row is a unit, or a part of one, with its sentence. The default
    format is by the ending of -o, or else a table to read."""
    from spacy_lal.pictures.markup import printable

    output_format = tables.find_format(inputs, [TABLE])
    _, docs = read_docs(inputs, needs=())

    def lines(doc: "Doc", origin: Origin) -> str:
        rows = [f"{unit.id_}\t{printable(unit.text.strip())}\n" for unit in doc._.units]
        return "".join(rows)

    tables.write_docs(docs, inputs, output_format, "units", lines)
