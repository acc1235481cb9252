"""`lal roles TEXT` and `lal relations TEXT`: who did what to whom. A format is one
function."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Optional,
)

import typer

from spacy_lal.cli import io, tables
from spacy_lal.cli.inputs import DOCBIN, ManyInputs, with_inputs
from spacy_lal.cli.texts import Origin

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.annotations import Relation, Triple
    from spacy_lal.trees import Parse

OPENIE = "openie"
EDGES = "edges"
ASSERTED = "asserted"
RELATION_KINDS = ("verb", "copula", "nominal", "apposition", "possessive")
FROM_HEADS = "their relations are made of heads alone"


@with_inputs(ManyInputs, stored=(DOCBIN,))
def roles_cli(
    inputs: ManyInputs,
    output_format: Annotated[
        Optional[str],
        typer.Option(
            "--format",
            "-f",
            help="table, json, props, conll; tables: csv, tsv, jsonl, parquet",
        ),
    ] = None,
    auxiliaries: Annotated[
        bool, typer.Option(help="Show auxiliaries and modals")
    ] = True,
    frames: Annotated[
        Optional[Path],
        typer.Option(help="PropBank's frames (.jsonl), for descriptions"),
    ] = None,
) -> None:
    """Show the semantic roles of a text.

    Each predicate has its roleset and its arguments. The pipeline needs a lal_srl.
    Instead of a text, FILE may be Docs with roles (.spacy). In csv, tsv, jsonl and
    parquet, a row is an argument; json has a sentence on each line, with its words. The
    default format is by the ending of -o, or else a table to read."""
    from spacy_lal.annotations import has_propositions, install_frames
    from spacy_lal.pipeline.lal_srl import HOW_TO_GET
    from spacy_lal.treebanks.columns import document_lines
    from spacy_lal.trees.frames import read_frames

    output_format = tables.find_format(output_format, inputs, list(ROLE_FORMATS))
    nlp, docs = read_docs(inputs, needs=())
    if frames is not None:
        install_frames(nlp.vocab, read_frames(frames).values())

    def with_roles() -> "Iterator[tuple[Doc, Origin]]":
        for doc, origin in docs:
            if not has_propositions(doc):
                names = ", ".join(nlp.pipe_names) or "nothing"
                io.fail(
                    f"expected a Doc with roles, got none for {doc.text[:40]!r}: the "
                    f"pipeline sets no roles, only {names}: expected a trained "
                    f"{io.ROLES_FACTORY}. {HOW_TO_GET}"
                )
            yield doc, origin

    def lines(doc: "Doc", origin: Origin) -> str:
        sentences = role_sentences(doc, auxiliaries=auxiliaries)
        shown = (ROLE_FORMATS[output_format](x, origin) for x in sentences)
        text = "".join(shown)
        if output_format == "conll":
            begin, end = document_lines(f"text/{origin.number + 1}")
            return f"{begin}{text}{end}"
        return text

    shown = dict.fromkeys(ROLE_FORMATS, lines)
    tables.write_docs(with_roles(), inputs, output_format, "roles", shown)


@with_inputs(ManyInputs, stored=(DOCBIN,))
def relations_cli(
    inputs: ManyInputs,
    output_format: Annotated[
        Optional[str],
        typer.Option(
            "--format",
            "-f",
            help="table, json, edges, openie; tables: csv, tsv, jsonl, parquet",
        ),
    ] = None,
    kinds: Annotated[
        Optional[str],
        typer.Option(
            "--kinds",
            help=f"Only relations of these kinds: {','.join(RELATION_KINDS)}",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="edges, openie: also what is denied, conditional or reported",
        ),
    ] = False,
    threshold: Annotated[
        Optional[float],
        typer.Option(
            "--threshold",
            help="Only what has happened or is happening so probably (0 to 1)",
            show_default=False,
        ),
    ] = None,
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
) -> None:
    """Show the relations of a text: subject, predicate, object.

    A relation may have a time, a place, a negation and a source. They are made from
    roles, where the pipeline has a lal_srl, else from heads, which the command then
    says. Instead of a text, FILE may be Docs with heads (.spacy). In csv, tsv, jsonl
    and parquet, a row is a relation with its factuality; json has the tokens and
    characters of its parts, too. edges are those of a graph: subject, label, object,
    tabs between. openie has triples in the text's own words: sentence, subject,
    relation, object, and columns that you ask for, in this order: confidence,
    factuality, further arguments. edges and openie leave out what the text does not
    assert. The default format is by the ending of -o, or else a table to read."""
    formats = [*RELATION_FORMATS, OPENIE]
    output_format = tables.find_format(output_format, inputs, formats)
    columns = {
        "confidence": confidence,
        "factuality": factuality,
        "arguments": arguments,
    }
    asked = [f"--{name}" for name, is_asked in columns.items() if is_asked]
    asked += ["--nested"] if nested else []
    if output_format != OPENIE and asked:
        io.fail(f"{', '.join(asked)}: for --format openie alone")
    named = kinds.split(",") if kinds else RELATION_KINDS
    if not set(named) <= set(RELATION_KINDS):
        io.fail(f"--kinds: expected some of {','.join(RELATION_KINDS)}, got {kinds!r}")
    from spacy_lal.annotations import get_triples, has_propositions
    from spacy_lal.tables import find_kind

    _, docs = read_docs(inputs, needs=(io.FACTORY,), of_relations=True)
    only_asserted = output_format in (EDGES, OPENIE) and not every

    def with_heads() -> "Iterator[tuple[Doc, Origin]]":
        said = False
        for doc, origin in docs:
            if len(doc) and not doc.has_annotation("DEP"):
                io.fail(f"expected a Doc with heads, got none for {doc.text[:40]!r}")
            if not said and not has_propositions(doc):
                io.say(f"the Docs have no roles: {FROM_HEADS}", err=True)
                said = True
            yield doc, origin

    def is_wanted(relation: "Relation") -> bool:
        is_kept = relation.kind in named and bool(kinds or relation.is_kept)
        if threshold is None or not is_kept:
            return is_kept
        try:
            return relation.factuality_score >= threshold
        except ValueError as error:
            io.fail(f"--threshold: {error}")

    def lines(doc: "Doc", origin: Origin) -> str:
        parts = []
        for number, sentence in enumerate(doc.sents if len(doc) else (), start=1):
            if sentence.text.isspace():
                continue
            if output_format == OPENIE:
                triples = get_triples(sentence, nested=nested)
                kept = [x for x in triples if is_wanted(x.source)]
                parts.append(triple_lines(_said(kept, only_asserted), **columns))
            else:
                kept = [x for x in sentence._.relations if is_wanted(x)]
                relations = _said(kept, only_asserted)
                place = {"id": origin.name, "sentence": number, "text": sentence.text}
                parts.append(RELATION_FORMATS[output_format](place, relations))
        return "".join(parts)

    def rows(doc: "Doc", origin: Origin) -> "Iterator[tables.Row]":
        of_kind = find_kind("relations").rows(doc, origin.name)
        for row, relation in zip(of_kind, doc._.relations, strict=True):
            if is_wanted(relation):
                yield row

    shown = dict.fromkeys(formats, lines)
    tables.write_docs(with_heads(), inputs, output_format, "relations", shown, rows)


def read_docs(
    inputs: ManyInputs, needs: Sequence[str], *, of_relations: bool = False
) -> "tuple[Language, Iterator[tuple[Doc, Origin]]]":
    """A pipeline, and the Docs of `.spacy` files and of texts that it parses."""
    import spacy

    from spacy_lal.annotations import install_extensions
    from spacy_lal.lang import LANGUAGES, conventions

    readable = inputs.find()
    if all(form.kind == DOCBIN for _, form in readable):
        nlp = spacy.blank("xx")  # it knows spaces
    else:
        nlp = io.load_pipeline(inputs.model, inputs.gpu_id, needs=needs)
        if of_relations and conventions(nlp.lang or "").clauses is None:
            known = ", ".join(code for code, x in LANGUAGES.items() if x.clauses)
            io.fail(
                f"relations are read in texts of {known}, and "
                f"{inputs.model!r} parses texts of {nlp.lang}"
            )
    install_extensions()
    return nlp, inputs.docs(nlp, readable)


def role_sentences(doc: "Doc", *, auxiliaries: bool = True) -> "Iterator[Parse]":
    """The sentences of a Doc that have words, with roles and, from a treebank, a
    `sent_id`.

    auxiliaries (bool): Whether auxiliaries and modals are given.
    """
    from spacy_lal.annotations import SENT_IDS, get_sentence_propositions, read_parses
    from spacy_lal.lang import conventions

    left_out: Container[str] = ()
    if not auxiliaries:
        left_out = conventions(doc.vocab.lang).auxiliary_rolesets
    ids = dict(enumerate(doc.user_data.get(SENT_IDS) or []))
    roles = get_sentence_propositions(doc)
    for parse in read_parses(doc):
        kept = [x for x in roles[parse.number] if x.roleset not in left_out]
        metadata = {"sent_id": ids.get(parse.number, "")}
        yield replace(parse, roles=tuple(kept), metadata=metadata)


def format_table(parse: "Parse", origin: Origin) -> str:
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
        head: list[tuple[str, ...]] = []
        rows: list[tuple[str, ...]] = []
        for argument in join_parts(proposition.args):
            parts = [" ".join(texts[start:end]) for start, end in argument.parts]
            text = " ... ".join(parts)
            if argument.role == PREDICATE_ROLE:
                head = [(text, proposition.roleset, frame.name if frame else "")]
            else:
                description = describe_role(argument.role, frame) or ""
                rows.append((f"  {argument.role}", text, description))
        lines += [*io.aligned(head), *io.aligned(rows), ""]
    if not parse.roles:
        lines += ["(no predicate)", ""]
    return printable("\n".join(lines)) + "\n"


def format_json(parse: "Parse", origin: Origin) -> str:
    """A line of `.srl.jsonl`, with the place and the words of the sentence. Without an
    id from a treebank, the `sent_id` is as in `lal parse --format conllu`."""
    from spacy_lal.pictures.markup import printable_json
    from spacy_lal.treebanks.roles import SentenceRoles, to_role_dict

    number = parse.number + 1
    sent_id = parse.sent_id or f"{origin.id or origin.number + 1}-{number}"
    roles = SentenceRoles(sent_id, len(parse.words), parse.roles or ())
    place = {"id": origin.name, "sentence": number, "text": parse.text}
    record = {**to_role_dict(roles), **place, "tokens": parse.words}
    return printable_json(record) + "\n"


def format_props_of(parse: "Parse", origin: Origin) -> str:
    """Columns of CoNLL-2005: lemma, then one for each predicate."""
    from spacy_lal.trees.props import format_props

    return format_props(parse.roles or (), len(parse.words))


def format_conll(parse: "Parse", origin: Origin) -> str:
    """Columns of CoNLL-2012, with words, tags and, where the Doc has one, the tree."""
    from spacy_lal.treebanks.columns import format_columns

    tags = [parse.doc[i].tag_ for i in parse.tokens]
    return format_columns(replace(parse, tags=tags), f"text/{origin.number + 1}")


ROLE_FORMATS: dict[str, "Callable[[Parse, Origin], str]"] = {
    "table": format_table,
    "json": format_json,
    "props": format_props_of,
    "conll": format_conll,
}


def relation_table(place: tables.Row, relations: "Sequence[Relation]") -> str:
    """The sentence, and below it its relations with what else they say. Control
    characters are escaped."""
    from spacy_lal.pictures.markup import printable, visible

    rows = []
    for relation in relations:
        said = {
            "place": relation.place,
            "time": relation.time,
            "modality": relation.modality,
            "said by": relation.attribution,
            "factuality": relation.factuality,
        }
        extra = [f"{name}: {_shown(x)}" for name, x in said.items() if x]
        if relation.factuality == ASSERTED:
            extra.pop()
        predicate = _shown(relation.predicate or relation.label)
        if relation.negation:
            predicate = f"not {predicate}"
        cells = (_shown(relation.subject), predicate, _shown(relation.object))
        rows.append((*(f"  {cell}" for cell in cells), ", ".join(extra)))
    lines = io.aligned(rows) or ["  (no relation)"]
    text = _shown(place["text"])
    return printable("\n".join([visible(text), "", *map(visible, lines), "", ""]))


def relation_json(place: tables.Row, relations: "Sequence[Relation]") -> str:
    """A line for each relation: its sentence, and `Relation.to_dict`."""
    from spacy_lal.pictures.markup import printable_json

    return "".join(f"{printable_json({**place, **x.to_dict()})}\n" for x in relations)


def relation_edges(place: tables.Row, relations: "Sequence[Relation]") -> str:
    """Subject, label and object, of relations that have all."""
    return "".join(
        "\t".join(map(_shown, (x.subject, x.label, x.object))) + "\n"
        for x in relations
        if x.joins_things
    )


def triple_lines(
    triples: "Sequence[Triple]", *, confidence: bool, factuality: bool, arguments: bool
) -> str:
    """A line for each triple: its sentence, subject, relation, object; if that is asked
    for, its confidence, factuality, and each further argument."""
    lines = []
    for triple in triples:
        text = _shown(triple.source.sent.text)
        cells = [text, triple.subject, triple.relation, triple.object]
        if confidence:
            cells.append(f"{triple.confidence:.4f}")
        if factuality:
            cells.append(triple.factuality)
        if arguments:
            cells += triple.arguments
        lines.append("\t".join(cells) + "\n")
    return "".join(lines)


def _said(relations: "Sequence[Any]", only_asserted: bool) -> "list[Any]":
    """Relations or triples, or those of them that the text asserts."""
    return [x for x in relations if not only_asserted or x.factuality == ASSERTED]


def _shown(value: object) -> str:
    """A text on one line; a dash for None."""
    return "-" if value is None else " ".join(str(value).split())


RELATION_FORMATS: "dict[str, Callable[[tables.Row, Sequence[Relation]], str]]" = {
    "table": relation_table,
    "json": relation_json,
    EDGES: relation_edges,
}
