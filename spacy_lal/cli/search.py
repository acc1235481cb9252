"""`lal search PATTERN FILE...`: constituents by patterns of tgrep, with the exit codes
of grep."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import (
    TYPE_CHECKING,
    Annotated,
)

import typer

from spacy_lal.cli import io
from spacy_lal.cli.inputs import (
    DOCBIN,
    Inputs,
    Readable,
    read_docs,
    read_trees,
    with_inputs,
)

if TYPE_CHECKING:
    from nltk.tree import Tree
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.trees.tgrep import Pattern

NOT_FOUND = 1  # exit code, as of grep
BATCH_SIZE = 32
TREES = "brackets"


@with_inputs(Inputs, stored=(TREES, DOCBIN))
def search_cli(
    inputs: Inputs,
    pattern: Annotated[
        str,
        typer.Argument(metavar="PATTERN", help="tgrep's, such as 'NP < (NN $. PP)'"),
    ],
    count: Annotated[
        bool,
        typer.Option("--count", help="Print the number of matches for each file"),
    ] = False,
) -> None:
    """Print the constituents that match a pattern of tgrep.

    A match is a line, FILE:LINE: (NP (DT the) (NN cat)). FILE has trees (.ptb, .mrg),
    Docs (.spacy), or texts to parse. In a .spacy file the place is the number of the
    Doc and of its sentence, from 1: FILE:3.1. Exits with code 0 if something was found,
    1 if nothing was, 2 after an error."""
    from spacy_lal.trees.tgrep import Pattern

    try:
        compiled = Pattern(pattern)
    except ValueError as error:
        io.fail(f"PATTERN: {error}")
    io.text_file(inputs.output)
    load = lru_cache(lambda: io.load_pipeline(inputs.model, inputs.gpu_id))
    readable = inputs.find()
    total = 0
    with io.text_output(inputs.output) as write:
        for pair in readable:
            source, form = pair
            if form.kind == TREES:
                trees = _of_brackets(pair)
            elif form.kind == DOCBIN:
                trees = _of_docs(pair)
            else:
                trees = _of_texts(inputs, pair, load())
            n_matches = 0
            for line in _matches(compiled, trees):
                n_matches += 1
                if not count:
                    write(f"{source.shown}:{line}\n")
            if count:
                name = f"{source.shown}:" if len(readable) > 1 else ""
                write(f"{name}{n_matches}\n")
            total += n_matches
    io.wrote(inputs.output, io.counted(total, "constituent"))
    inputs.report()
    if not total:
        raise typer.Exit(NOT_FOUND)


def _matches(pattern: "Pattern", trees: "Iterable[tuple[str, Tree]]") -> Iterator[str]:
    """Place and brackets of each node that matches."""
    from nltk.tree import Tree

    from spacy_lal.trees import escape_word, write_brackets

    for place, tree in trees:
        for match in pattern.search(tree):
            if isinstance(match.node, Tree):
                yield f"{place}: {write_brackets(match.node)}"
            else:
                yield f"{place}: {escape_word(str(match.node))}"


def _of_brackets(readable: Readable) -> "Iterator[tuple[str, Tree]]":
    """The place of each tree, such as a line, and the tree."""
    for tree, line in read_trees(*readable, strip_functions=False, strip_traces=False):
        yield str(line), tree


def _of_docs(readable: Readable) -> "Iterator[tuple[str, Tree]]":
    for number, doc in enumerate(read_docs(*readable), start=1):
        for sentence, tree in _of_doc(doc, f"{readable[0].shown}: Doc {number}"):
            yield f"{number}.{sentence}", tree


def _of_texts(
    inputs: Inputs, readable: Readable, nlp: "Language"
) -> "Iterator[tuple[str, Tree]]":
    """The lines of texts, and their trees; a text of the command line is line 1."""
    read = inputs.texts([readable], nlp.max_length)
    for doc, origin in nlp.pipe(read, as_tuples=True, batch_size=BATCH_SIZE):
        place = str(origin.line or 1)
        for _, tree in _of_doc(doc, f"{readable[0].shown}:{place}"):
            yield place, tree


def _of_doc(doc: "Doc", where: str) -> "Iterator[tuple[int, Tree]]":
    """The number of each sentence, from 1, and its tree."""
    from spacy_lal.annotations import read_parses
    from spacy_lal.trees.parse import MissingParseError

    try:
        for parse in read_parses(doc):
            yield parse.number + 1, parse.to_tree()
    except MissingParseError:
        io.fail(f"{where}: the Doc has no constituents")
