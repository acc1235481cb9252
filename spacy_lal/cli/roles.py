"""`lal roles TEXT` and `lal relations TEXT`: who did what to whom. A format is one
function."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from spacy_lal.cli import io, tables
from spacy_lal.cli.inputs import DOCBIN, ManyInputs, with_inputs
from spacy_lal.cli.texts import Origin

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.annotations import Relation, Triple
    from spacy_lal.trees import Parse

TABLE = "table"
OPENIE = "openie"
EDGES = "edges"
ASSERTED = "asserted"
RELATION_KINDS = ("verb", "copula", "nominal", "apposition", "possessive")
FROM_HEADS = "their relations are made of heads alone"


@with_inputs(ManyInputs, stored=(DOCBIN,))
def roles_cli(
    inputs: ManyInputs,
    auxiliaries: Annotated[
        bool, typer.Option(help="Show auxiliaries and modals")
    ] = True,
) -> None:
    """Show the semantic roles of a text.

    Each predicate has its roleset and its arguments. The pipeline needs a lal_srl.
    Instead of a text, FILE may be Docs with roles (.spacy). The formats are table,
    json, props and conll, and tables. In csv, tsv, jsonl and parquet, a row is an
    argument; json has a sentence on each line, with its words. The default format is by
    the ending of -o, or else a table to read."""
    from spacy_lal.annotations import has_propositions
    from spacy_lal.pipeline.lal_srl import HOW_TO_GET

    output_format = tables.find_format(inputs, [TABLE, *ROLE_FORMATS])
    nlp, docs = read_docs(inputs, needs=())

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
        if output_format == TABLE:
            return role_table(doc, auxiliaries)
        return ROLE_FORMATS[output_format](role_sentences(doc, auxiliaries), origin)

    tables.write_docs(with_roles(), inputs, output_format, "roles", lines)


@with_inputs(ManyInputs, stored=(DOCBIN,))
def relations_cli(
    inputs: ManyInputs,
    kinds: Annotated[
        Optional[str],
        typer.Option(
            help=f"Only relations of these kinds: {','.join(RELATION_KINDS)}",
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
            help="Only what has happened or is happening so probably (0 to 1)",
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
    says. Instead of a text, FILE may be Docs with heads (.spacy). The formats are
    table, json, edges and openie, and tables. In csv, tsv, jsonl and parquet, a row is
    a relation with its factuality; json has the tokens and characters of its parts,
    too. edges are those of a graph: subject, label, object, tabs between. openie has
    triples in the text's own words: sentence, subject, relation, object, and columns
    that you ask for, in this order: confidence, factuality, further arguments. edges
    and openie leave out what the text does not assert. The default format is by the
    ending of -o, or else a table to read."""
    output_format = tables.find_format(inputs, [*RELATION_FORMATS, OPENIE])
    named = kinds.split(",") if kinds else RELATION_KINDS
    if not set(named) <= set(RELATION_KINDS):
        io.fail(f"--kinds: expected some of {','.join(RELATION_KINDS)}, got {kinds!r}")
    from spacy_lal.annotations import get_triples, has_propositions
    from spacy_lal.lang import LANGUAGES, conventions
    from spacy_lal.tables import find_kind

    nlp, docs = read_docs(inputs, needs=(io.FACTORY,))
    if nlp.pipe_names and conventions(nlp.lang or "").clauses is None:
        known = ", ".join(code for code, x in LANGUAGES.items() if x.clauses)
        io.fail(
            f"relations are read in texts of {known}, and {inputs.model!r} parses "
            f"texts of {nlp.lang}"
        )

    def with_heads() -> "Iterator[tuple[Doc, Origin]]":
        said = False
        for doc, origin in docs:
            if not doc.has_annotation("DEP"):
                io.fail(f"expected a Doc with heads, got none for {doc.text[:40]!r}")
            if not said and not has_propositions(doc):
                io.say(f"the Docs have no roles: {FROM_HEADS}")
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

    def is_said(item: "Relation | Triple") -> bool:
        is_graph = output_format in (EDGES, OPENIE)
        return every or not is_graph or item.factuality == ASSERTED

    def cells(triple: "Triple") -> "Iterator[str]":
        yield from (triple.subject, triple.relation, triple.object)
        if confidence:
            yield f"{triple.confidence:.4f}"
        if factuality:
            yield triple.factuality
        if arguments:
            yield from triple.arguments

    def lines(doc: "Doc", origin: Origin) -> str:
        parts = []
        for number, sentence in enumerate(doc.sents, start=1):
            place = {"id": origin.name, "sentence": number, "text": sentence.text}
            if sentence.text.isspace():
                continue
            if output_format == OPENIE:
                for triple in get_triples(sentence, nested=nested):
                    if is_wanted(triple.source) and is_said(triple):
                        parts.append(_row([sentence.text, *cells(triple)]))
            else:
                relations = filter(is_said, filter(is_wanted, sentence._.relations))
                parts.append(RELATION_FORMATS[output_format](place, list(relations)))
        return "".join(parts)

    def rows(doc: "Doc", origin: Origin) -> "Iterator[tables.Row]":
        of_kind = find_kind("relations").rows(doc, origin.name)
        for row, relation in zip(of_kind, doc._.relations, strict=True):
            if is_wanted(relation):
                yield row

    tables.write_docs(with_heads(), inputs, output_format, "relations", lines, rows)


def read_docs(
    inputs: ManyInputs, needs: Sequence[str]
) -> "tuple[Language, Iterator[tuple[Doc, Origin]]]":
    """A pipeline, and the Docs of `.spacy` files and of texts that it parses."""
    import spacy

    from spacy_lal.annotations import install_extensions

    readable = inputs.find()
    if all(form.kind == DOCBIN for _, form in readable):
        nlp = spacy.blank("xx")  # it knows spaces
    else:
        nlp = io.load_pipeline(inputs.model, inputs.gpu_id, needs=needs)
    install_extensions()
    return nlp, inputs.docs(nlp, readable)


def role_sentences(doc: "Doc", auxiliaries: bool) -> "Iterator[Parse]":
    """The sentences of a Doc that have words, with roles and, from a treebank, a
    `sent_id`.

    auxiliaries (bool): Whether auxiliaries and modals are given.
    """
    from spacy_lal.annotations import SENT_IDS, get_sentence_propositions, read_parses
    from spacy_lal.lang import conventions

    left_out = () if auxiliaries else conventions(doc.vocab.lang).auxiliary_rolesets
    ids = dict(enumerate(doc.user_data.get(SENT_IDS) or []))
    roles = get_sentence_propositions(doc)
    for parse in read_parses(doc):
        kept = [x for x in roles[parse.number] if x.roleset not in left_out]
        metadata = {"sent_id": ids.get(parse.number, "")}
        yield replace(parse, roles=tuple(kept), metadata=metadata)


def role_table(doc: "Doc", auxiliaries: bool) -> str:
    """Each sentence, and below it each predicate with its arguments and their
    descriptions."""
    lines = []
    for sentence in doc.sents:
        if sentence.text.isspace():
            continue
        lines += [_shown(sentence.text), ""]
        predicates = [
            x for x in sentence._.predicates if auxiliaries or not x.is_auxiliary
        ]
        for predicate in predicates:
            head = (str(predicate), predicate.roleset, predicate.description or "")
            rows = [
                (f"  {x.role}", str(x), x.description or "")
                for x in predicate.arguments
            ]
            lines += [*io.aligned([head]), *io.aligned(rows), ""]
        if not predicates:
            lines += ["(no predicate)", ""]
    return _visible(lines)


def format_json(parses: "Iterator[Parse]", origin: Origin) -> str:
    """Lines of `.srl.jsonl`, with the place and the words of the sentence. Without an
    id from a treebank, the `sent_id` is as in `lal parse --format conllu`."""
    from spacy_lal.pictures.markup import printable_json
    from spacy_lal.treebanks.roles import SentenceRoles, to_role_dict

    lines = []
    for parse in parses:
        number = parse.number + 1
        sent_id = parse.sent_id or f"{origin.id or origin.number + 1}-{number}"
        roles = SentenceRoles(sent_id, len(parse.words), parse.roles or ())
        place = {"id": origin.name, "sentence": number, "text": parse.text}
        record = {**to_role_dict(roles), **place, "tokens": parse.words}
        lines.append(printable_json(record) + "\n")
    return "".join(lines)


def format_props_of(parses: "Iterator[Parse]", origin: Origin) -> str:
    """Columns of CoNLL-2005: lemma, then one for each predicate."""
    from spacy_lal.trees.props import format_props

    return "".join(format_props(x.roles or (), len(x.words)) for x in parses)


def format_conll(parses: "Iterator[Parse]", origin: Origin) -> str:
    """A document in columns of CoNLL-2012, with words, tags and, where the Doc has one,
    the tree."""
    from spacy_lal.treebanks.columns import document_lines, format_columns

    name = f"text/{origin.number + 1}"
    begin, end = document_lines(name)
    tagged = (replace(x, tags=[x.doc[i].tag_ for i in x.tokens]) for x in parses)
    return "".join([begin, *(format_columns(x, name) for x in tagged), end])


ROLE_FORMATS: dict[str, "Callable[[Iterator[Parse], Origin], str]"] = {
    "json": format_json,
    "props": format_props_of,
    "conll": format_conll,
}


def relation_table(place: tables.Row, relations: "Sequence[Relation]") -> str:
    """The sentence, and below it its relations with what else they say."""
    rows = []
    for relation in relations:
        said = {
            "place": relation.place,
            "time": relation.time,
            "modality": relation.modality,
            "said by": relation.attribution,
            "factuality": relation.factuality,
        }
        if relation.factuality == ASSERTED:
            del said["factuality"]
        extra = ", ".join(f"{name}: {_shown(x)}" for name, x in said.items() if x)
        words = (relation.predicate or relation.label, *relation.preposition)
        predicate = " ".join(map(_shown, words))
        if relation.negation:
            predicate = f"not {predicate}"
        cells = (_shown(relation.subject), predicate, _shown(relation.object))
        rows.append((*(f"  {cell}" for cell in cells), extra))
    lines = io.aligned(rows) or ["  (no relation)"]
    return _visible([_shown(place["text"]), "", *lines, ""])


def relation_json(place: tables.Row, relations: "Sequence[Relation]") -> str:
    """A line for each relation: its sentence, and `Relation.to_dict`."""
    from spacy_lal.pictures.markup import printable_json

    return "".join(f"{printable_json({**place, **x.to_dict()})}\n" for x in relations)


def relation_edges(place: tables.Row, relations: "Sequence[Relation]") -> str:
    """Subject, label and object, of relations that have all."""
    edges = [(x.subject, x.label, x.object) for x in relations if x.joins_things]
    return "".join(map(_row, edges))


def _row(cells: Sequence[Any]) -> str:
    return "\t".join(map(_shown, cells)) + "\n"


def _shown(value: object) -> str:
    """A text on one line; a dash for None."""
    return "-" if value is None else " ".join(str(value).split())


def _visible(lines: Sequence[str]) -> str:
    """Lines without control characters."""
    from spacy_lal.pictures.markup import printable, visible

    return "".join(f"{printable(visible(line))}\n" for line in lines)


RELATION_FORMATS: "dict[str, Callable[[tables.Row, Sequence[Relation]], str]]" = {
    TABLE: relation_table,
    "json": relation_json,
    EDGES: relation_edges,
}
