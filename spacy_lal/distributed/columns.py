"""A parsed Doc as one row of an Arrow table, and back. The schema: docs/reference/formats.md.

Either as columns, which any program reads, or as the bytes of a spaCy DocBin, which keeps all annotation of a pipeline.
A row without text is null in all of them.
"""

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional

from spacy.tokens import Doc, DocBin, Span, SpanGroup, Token
from spacy.vocab import Vocab

from ..annotations import SPANS_KEY, constituent_tokens, install_extensions, sentence_bounds, set_sentence_starts
from ..export import annotation_lists, constituent
from .extras import import_extra

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS, DOCBIN = "columns", "docbin"
OUTPUTS = (COLUMNS, DOCBIN)


def doc_fields(output: str = COLUMNS) -> List["pa.Field"]:
    """The fields of a parsed Doc of n tokens, whitespace tokens included.

    With `columns`:
    tokens (list<string>): Length n. The text of each token.
    spaces (list<bool>): Length n. Whether a space follows: `tokens` and `spaces` give the exact text.
    sent_starts (list<bool>): Length n. Whether a sentence begins here.
    start_chars, end_chars (list<int32>): Length n. The half-open range of each token in the text, in characters.
    tags, pos, morphs, lemmas (list<string>): Length n. `token.tag_`, `pos_`, `morph`, `lemma_`, empty if the token has
        none. Null where the pipeline sets none at all.
    heads (list<int32>): Length n. The index of the head in the Doc, from 0; a root is its own head, as in spaCy; an
        unknown head is null. Null where the pipeline sets no heads.
    deprels (list<string>): Length n. Null together with `heads`.
    constituents (list<struct<start, end, start_char, end_char: int32, label: string>>): Half-open spans of tokens of
        the Doc, and of characters of its text, outer before inner, a unary chain as several. Null where the pipeline
        sets no constituents.

    With `docbin`:
    docbin (binary): A DocBin that holds this one Doc, without `user_data`.

    output (str): `columns` or `docbin`.
    RETURNS (List[pyarrow.Field]): The fields.
    RAISES (ImportError): pyarrow is not installed.
    """
    pa = import_extra("pyarrow", "arrow")
    if output == DOCBIN:
        return [pa.field("docbin", pa.binary())]
    bounds = [(name, pa.int32()) for name in ("start", "end", "start_char", "end_char")]
    span = pa.struct([*bounds, ("label", pa.string())])
    strings = ("tags", "pos", "morphs", "lemmas")
    return [
        pa.field("tokens", pa.list_(pa.string())),
        pa.field("spaces", pa.list_(pa.bool_())),
        pa.field("sent_starts", pa.list_(pa.bool_())),
        pa.field("start_chars", pa.list_(pa.int32())),
        pa.field("end_chars", pa.list_(pa.int32())),
        *(pa.field(name, pa.list_(pa.string())) for name in strings),
        pa.field("heads", pa.list_(pa.int32())),
        pa.field("deprels", pa.list_(pa.string())),
        pa.field("constituents", pa.list_(span)),
    ]


def doc_row(doc: Doc, output: str = COLUMNS) -> Dict[str, Any]:
    """The values of the fields above for one Doc, as plain Python objects.

    RAISES (ValueError): The Doc has no sentence boundaries.
    """
    if output == DOCBIN:
        return {"docbin": DocBin(docs=[doc], store_user_data=False).to_bytes()}
    starts = {start for start, _ in sentence_bounds(doc)}
    tokens = list(doc)
    spans = constituent_tokens(doc) if SPANS_KEY in doc.spans else None
    lists = annotation_lists(doc, tokens)
    return {
        **lists,
        "spaces": [bool(token.whitespace_) for token in tokens],
        "sent_starts": [i in starts for i in range(len(tokens))],
        "heads": None if lists["deprels"] is None else [_head(token) for token in tokens],
        "constituents": None if spans is None else [constituent(tokens, *span) for span in spans],
    }


def _head(token: Token) -> Optional[int]:
    return token.head.i if token.has_head() else None


def doc_arrays(rows: Iterable[Mapping[str, Any]], output: str = COLUMNS) -> List["pa.Array"]:
    """Rows as one Arrow array per field; an empty row is null in each array."""
    pa = import_extra("pyarrow", "arrow")
    rows = list(rows)
    return [pa.array([row.get(field.name) for row in rows], type=field.type) for field in doc_fields(output)]


def to_doc(row: Mapping[str, Any], vocab: Vocab) -> Optional[Doc]:
    """The Doc of a row of `table.to_pylist()`. From columns, it has tokens, tags, parts of speech, morphology, lemmas,
    sentences and parse; from a DocBin, all annotation of the pipeline. Rows of schema 1 have fewer columns.

    row (Mapping[str, Any]): Values by column, of either output; other columns are ignored.
    vocab (Vocab): The vocabulary of the new Doc, such as `nlp.vocab`.
    RETURNS (Optional[Doc]): None if the row had no text.
    RAISES (KeyError): The row has the columns of neither output.
    """
    install_extensions()  # this process may not have created a parser
    if "docbin" in row:
        data = row["docbin"]
        return None if data is None else next(DocBin().from_bytes(data).get_docs(vocab))
    if row["tokens"] is None:
        return None
    words = {name: row.get(name) for name in ("tags", "pos", "morphs", "lemmas")}  # schema 1 has tags alone
    heads = None if row["heads"] is None else [i if head is None else head for i, head in enumerate(row["heads"])]
    doc = Doc(vocab, words=row["tokens"], spaces=row["spaces"], heads=heads, deps=row["deprels"], **words)
    # After the heads: spaCy derives sentences from them, which differ on some non-projective trees.
    set_sentence_starts(doc, [i for i, is_start in enumerate(row["sent_starts"]) if is_start])
    if row["constituents"] is not None:
        spans = [Span(doc, span["start"], span["end"], label=span["label"]) for span in row["constituents"]]
        doc.spans[SPANS_KEY] = SpanGroup(doc, name=SPANS_KEY, spans=spans)
    return doc
