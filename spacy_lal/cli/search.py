"""`lal search PATTERN FILE...`: constituents by patterns of tgrep, with the exit codes
of grep."""

from collections.abc import Callable, Iterable, Iterator
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
    read_stored,
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
    load = lru_cache(lambda: io.load_pipeline(inputs.model, inputs.gpu_id))
    readable = inputs.find()
    total = 0
    with io.text_output(inputs.output) as write:
        for pair in readable:
            source, _ = pair
            n_matches = 0
            for line in _matches(compiled, _trees(inputs, pair, load)):
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


def _trees(
    inputs: Inputs, readable: Readable, load: "Callable[[], Language]"
) -> "Iterator[tuple[str, Tree]]":
    """The place of each tree, and the tree. A text of the command line is line 1."""
    from spacy_lal.annotations import read_parses
    from spacy_lal.trees.parse import MissingParseError

    source, form = readable
    if form.kind == TREES:
        options = {"strip_functions": False, "strip_traces": False}
        for tree, line in read_trees(source, form, **options):
            yield str(line), tree
        return
    docs: Iterable[tuple[int, Doc]]
    if form.kind == DOCBIN:
        docs = enumerate(read_stored(source, form), start=1)
    else:
        nlp = load()
        texts = inputs.texts([readable], nlp.max_length)
        read = nlp.pipe(texts, as_tuples=True, batch_size=BATCH_SIZE)
        docs = ((origin.line or 1, doc) for doc, origin in read)
    for place, doc in docs:
        try:
            for parse in read_parses(doc):
                sentence = f".{parse.number + 1}" if form.kind == DOCBIN else ""
                yield f"{place}{sentence}", parse.to_tree()
        except MissingParseError:
            io.fail(f"{source.shown}: Doc {place}: the Doc has no constituents")
