"""`lal roles TEXT` and `lal relations TEXT`: who did what to whom. A format is one
function."""

from dataclasses import replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Callable,
    Container,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
)

import typer

from spacy_lal.cli import io, workers
from spacy_lal.cli.parse import parse_texts
from spacy_lal.cli.texts import (
    ParagraphsOption,
    Reading,
    Source,
    TextOption,
    WordsArgument,
    find_sources,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

    from spacy_lal.annotations import Relation, Triple
    from spacy_lal.trees import Parse

SUFFIX = ".spacy"
OPENIE = "openie"
ASSERTED = "asserted"
FROM_HEADS = "their relations are made of heads alone"


def roles_cli(
    words: WordsArgument = None,
    model: io.ModelOption = None,
    text: TextOption = None,
    output_format: Annotated[
        Optional[str], typer.Option("--format", "-f", help="table, json, props, conll")
    ] = None,
    output: io.OutputOption = None,
    paragraphs: ParagraphsOption = None,
    auxiliaries: Annotated[
        bool, typer.Option(help="Show auxiliaries and modals")
    ] = True,
    frames: Annotated[
        Optional[Path],
        typer.Option(help="PropBank's frames (.jsonl), for descriptions"),
    ] = None,
    batch_size: io.BatchOption = 32,
    n_process: io.ProcessesOption = 1,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Show the semantic roles of a text.

    Each predicate has its roleset and its arguments. The pipeline needs a lal_srl.
    Instead of a text, FILE may be Docs with roles (.spacy). The default format is by
    the ending of -o, or else a table."""
    from spacy_lal.treebanks.columns import document_lines

    output_format = io.output_format(output_format, output, list(FORMATS))
    workers.count_workers(n_process)
    sources = find_sources(words, text, output)
    docs = _docs(sources, paragraphs, model, gpu_id, batch_size, n_process, frames)
    number = -1
    with io.text_output(output) as write:
        for number, doc in enumerate(docs):
            sentences = role_sentences(doc, auxiliaries=auxiliaries)
            lines = "".join(FORMATS[output_format](one, number) for one in sentences)
            if output_format == "conll":
                begin, end = document_lines(f"text/{number + 1}")
                lines = f"{begin}{lines}{end}"
            write(lines)
    io.wrote(output, f"the roles of {io.counted(number + 1, 'text')}")


def relations_cli(
    words: WordsArgument = None,
    model: io.ModelOption = None,
    text: TextOption = None,
    output_format: Annotated[
        Optional[str], typer.Option("--format", "-f", help="table, json, tsv, openie")
    ] = None,
    output: io.OutputOption = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="tsv, openie: also what is denied, conditional or reported"
        ),
    ] = False,
    nested: Annotated[
        bool,
        typer.Option("--nested", help="openie: also phrases within an argument"),
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="openie: a column of confidences")
    ] = False,
    factuality: Annotated[
        bool,
        typer.Option("--factuality", help="openie: a column of factuality"),
    ] = False,
    arguments: Annotated[
        bool, typer.Option("--arguments", help="openie: columns of further arguments")
    ] = False,
    paragraphs: ParagraphsOption = None,
    batch_size: io.BatchOption = 32,
    n_process: io.ProcessesOption = 1,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Show the relations of a text: subject, predicate, object.

    A relation may have a time, a place, a negation and a source. They are made from
    roles, where the pipeline has a lal_srl, else from heads, which the command then
    says. Instead of a text, FILE may be Docs with heads (.spacy). json has a relation
    on each line with its factuality, tsv the edges of a graph: subject, label, object.
    openie has triples in the text's own words: sentence, subject, relation, object,
    and columns that you ask for, in this order: confidence, factuality, further
    arguments. tsv and openie leave out what the text does not assert. The default
    format is by the ending of -o, or else a table."""
    formats = [*RELATION_FORMATS, OPENIE]
    output_format = io.output_format(output_format, output, formats)
    columns = {
        "confidence": confidence,
        "factuality": factuality,
        "arguments": arguments,
    }
    given = [f"--{name}" for name, is_given in columns.items() if is_given]
    given += ["--nested"] if nested else []
    if output_format != OPENIE and given:
        io.fail(f"{', '.join(given)}: for --format openie alone")
    from spacy_lal.annotations import get_triples

    show = RELATION_FORMATS.get(output_format)
    only_asserted = output_format in ("tsv", OPENIE) and not every
    workers.count_workers(n_process)
    sources = find_sources(words, text, output)
    docs = _docs(
        sources, paragraphs, model, gpu_id, batch_size, n_process, needs_roles=False
    )
    number = -1
    with io.text_output(output) as write:
        for number, doc in enumerate(docs):
            if len(doc) and not doc.has_annotation("DEP"):
                io.fail(f"expected a Doc with heads, got none for {doc.text[:40]!r}")
            for sentence in doc.sents if len(doc) else ():
                if sentence.text.isspace():
                    continue
                if show is None:
                    found = get_triples(sentence, nested=nested)
                    write(triple_lines(_said(found, only_asserted), **columns))
                else:
                    relations = _said(sentence._.relations, only_asserted)
                    write(show(sentence, relations, number))
    io.wrote(output, f"the relations of {io.counted(number + 1, 'text')}")


def _docs(
    sources: List[Source],
    paragraphs: Optional[bool],
    model: Optional[str],
    gpu_id: int,
    batch_size: int,
    n_process: int,
    frames: Optional[Path] = None,
    *,
    needs_roles: bool = True,
) -> "Iterator[Doc]":
    """The Docs of `.spacy` files, or of texts that the pipeline parses."""
    import spacy

    from spacy_lal.annotations import (
        has_propositions,
        install_extensions,
        install_frames,
    )
    from spacy_lal.pipeline.lal_srl import HOW_TO_GET
    from spacy_lal.trees.frames import read_frames

    are_stored = all(source.suffix == SUFFIX for source in sources)
    if are_stored:
        nlp = spacy.blank("xx")  # it knows spaces
    else:
        reading = Reading(sources, None, paragraphs)
        needs = () if needs_roles else (io.FACTORY,)
        nlp = io.load_pipeline(model, gpu_id, needs=needs)
    install_extensions()
    if frames is not None:
        install_frames(nlp.vocab, read_frames(frames).values())
    if are_stored:
        for source in sources:
            docs = io.read_docs(Path(source.name), nlp.vocab)
            if not any(map(has_propositions, docs)):
                missing = f"the Docs of {source.name} have no roles"
                if needs_roles:
                    io.fail(missing)
                io.say(f"{missing}: {FROM_HEADS}", err=True)
            yield from docs
        return
    if not needs_roles and not _has_factory(nlp, io.ROLES_FACTORY):
        names = ", ".join(nlp.pipe_names)
        io.say(f"the pipeline sets no roles, only {names}: {FROM_HEADS}", err=True)
    texts = reading.texts(nlp.max_length)
    parsed = parse_texts(nlp, texts, batch_size=batch_size, n_process=n_process)
    for doc, _ in parsed:
        if needs_roles and not has_propositions(doc):
            names = ", ".join(nlp.pipe_names)
            io.fail(
                f"the pipeline sets no roles, only {names}: expected a trained "
                f"{io.ROLES_FACTORY}. {HOW_TO_GET}"
            )
        yield doc


def _has_factory(nlp: "Language", factory: str) -> bool:
    return factory in {nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}


def role_sentences(doc: "Doc", *, auxiliaries: bool = True) -> "Iterator[Parse]":
    """The sentences of a Doc that have words, with roles and, from a treebank, a
    `sent_id`.

    auxiliaries (bool): Whether auxiliaries and modals are given.
    """
    from spacy_lal.annotations import SENT_IDS, get_sentence_propositions
    from spacy_lal.export import read_parses
    from spacy_lal.lang import conventions

    left_out: Container[str] = ()
    if not auxiliaries:
        left_out = conventions(doc.vocab.lang).auxiliary_rolesets
    ids = dict(enumerate(doc.user_data.get(SENT_IDS) or []))
    roles = get_sentence_propositions(doc)
    for parse in read_parses(doc):
        kept = [one for one in roles[parse.number] if one.roleset not in left_out]
        metadata = {"sent_id": ids.get(parse.number, "")}
        yield replace(parse, roles=tuple(kept), metadata=metadata)


def format_table(parse: "Parse", doc_number: int) -> str:
    """The sentence, and below it each predicate with its arguments and their
    descriptions."""
    from spacy_lal.annotations import get_frame
    from spacy_lal.pictures.markup import printable, visible
    from spacy_lal.trees.frames import describe_role
    from spacy_lal.trees.roles import PREDICATE_ROLE, join_parts

    texts = [visible(word) for word in parse.words]
    vocab = parse.doc.vocab
    lines = [" ".join(texts), ""]
    for proposition in parse.roles or ():
        frame = get_frame(vocab, proposition.roleset)
        head: List[Tuple[str, ...]] = []
        rows: List[Tuple[str, ...]] = []
        for argument in join_parts(proposition.args):
            parts = [" ".join(texts[start:end]) for start, end in argument.parts]
            text = " ... ".join(parts)
            if argument.role == PREDICATE_ROLE:
                head = [(text, proposition.roleset, frame.name if frame else "")]
            else:
                description = describe_role(argument.role, frame) or ""
                rows.append((f"  {argument.role}", text, description))
        lines += [*io.aligned(head), *io.aligned(rows), ""]
    if not parse.roles or ():
        lines += ["(no predicate)", ""]
    return printable("\n".join(lines)) + "\n"


def format_json(parse: "Parse", doc_number: int) -> str:
    """A line of `.srl.jsonl`. Without an id from a treebank, the `sent_id` is as in
    `lal parse --format conllu`."""
    from spacy_lal.pictures.markup import printable_json
    from spacy_lal.treebanks.roles import SentenceRoles, to_role_dict

    sent_id = parse.sent_id or f"{doc_number + 1}-{parse.number + 1}"
    roles = SentenceRoles(sent_id, len(parse.words), parse.roles or ())
    return printable_json(to_role_dict(roles)) + "\n"


def format_props_of(parse: "Parse", doc_number: int) -> str:
    """Columns of CoNLL-2005: lemma, then one for each predicate."""
    from spacy_lal.trees.props import format_props

    return format_props(parse.roles or (), len(parse.words))


def format_conll(parse: "Parse", doc_number: int) -> str:
    """Columns of CoNLL-2012, with words, tags and, where the Doc has one, the tree."""
    from spacy_lal.treebanks.columns import format_columns

    tags = [parse.doc[i].tag_ for i in parse.tokens]
    return format_columns(replace(parse, tags=tags), f"text/{doc_number + 1}")


FORMATS: Dict[str, "Callable[[Parse, int], str]"] = {
    "table": format_table,
    "json": format_json,
    "props": format_props_of,
    "conll": format_conll,
}


def relation_table(
    sentence: "Span", relations: "Sequence[Relation]", doc_number: int
) -> str:
    """The sentence, and below it its relations with what else they say. Control
    characters are escaped."""
    from spacy_lal.pictures.markup import printable, visible

    rows = []
    for one in relations:
        said = {
            "place": one.place,
            "time": one.time,
            "modality": one.modality,
            "said by": one.attribution,
            "factuality": one.factuality if one.factuality != ASSERTED else None,
        }
        extra = ", ".join(f"{name}: {_shown(x)}" for name, x in said.items() if x)
        predicate = _shown(one.predicate or one.label)
        if one.negation:
            predicate = f"not {predicate}"
        cells = (_shown(one.subject), predicate, _shown(one.object))
        rows.append((*(f"  {cell}" for cell in cells), extra))
    lines = io.aligned(rows) or ["  (no relation)"]
    text = " ".join(sentence.text.split())
    return printable("\n".join([visible(text), "", *map(visible, lines), "", ""]))


def relation_json(
    sentence: "Span", relations: "Sequence[Relation]", doc_number: int
) -> str:
    """A line for each relation: the number of its text, its sentence,
    `Relation.to_dict`."""
    from spacy_lal.pictures.markup import printable_json

    lines = []
    for one in relations:
        row = {"doc": doc_number, "text": sentence.text, **one.to_dict()}
        lines.append(f"{printable_json(row)}\n")
    return "".join(lines)


def relation_edges(
    sentence: "Span", relations: "Sequence[Relation]", doc_number: int
) -> str:
    """Subject, label and object, of relations that have all."""
    lines = []
    for one in relations:
        if one.subject and one.object:
            edge = (one.subject, one.label, one.object)
            lines.append("\t".join(map(_shown, edge)) + "\n")
    return "".join(lines)


def triple_lines(
    triples: "Sequence[Triple]", *, confidence: bool, factuality: bool, arguments: bool
) -> str:
    """A line for each triple: its sentence, subject, relation, object; if that is asked
    for, its confidence, factuality, and each further argument."""
    lines = []
    for one in triples:
        text = _shown(one.source.sent.text)
        cells = [text, one.subject, one.relation, one.object]
        if confidence:
            cells.append(f"{one.confidence:.4f}")
        if factuality:
            cells.append(one.factuality)
        if arguments:
            cells += one.arguments
        lines.append("\t".join(cells) + "\n")
    return "".join(lines)


def _said(found: "Sequence[Any]", only_asserted: bool) -> "List[Any]":
    """Relations or triples, or those of them that the text asserts."""
    return [one for one in found if not only_asserted or one.factuality == ASSERTED]


def _shown(value: object) -> str:
    """A text on one line; a dash for None."""
    return "-" if value is None else " ".join(str(value).split())


RELATION_FORMATS: "Dict[str, Callable[[Span, Sequence[Relation], int], str]]" = {
    "table": relation_table,
    "json": relation_json,
    "tsv": relation_edges,
}
