"""`python -m spacy lal evaluate DEV.spacy`: all scores of both trees, with signatures that make them comparable."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Dict, List, Optional

import typer

from spacy_lal.cli.evaluate_report import report_lines
from spacy_lal.cli.inputs import existing_file
from spacy_lal.cli.options import GpuOption, ModelOption, model_and_words
from spacy_lal.cli.outputs import check_apart, check_parent, is_stdin, is_stdout, path_or_stdout, write_json
from spacy_lal.cli.progress import pipe_progress
from spacy_lal.cli.streams import closed_pipe_is_no_error, counted, fail, say, wrote

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def evaluate_cli(
    words: Annotated[
        List[str],
        typer.Argument(metavar="DEV.spacy", help="Gold Docs, as `lal convert` writes them", show_default=False),
    ],
    model: ModelOption = None,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", help="Write the scores as JSON, too")] = None,
    trees: Annotated[
        Optional[Path], typer.Option("--trees", "-t", help="Write the trees found (gold tags), for `evalb`")
    ] = None,
    gold_trees: Annotated[
        Optional[Path], typer.Option("--gold-trees", help="Write the gold trees, for `evalb`")
    ] = None,
    gold_sents: Annotated[
        bool, typer.Option("--gold-sents/--no-gold-sents", help="Gold sentence breaks, or the pipeline's own")
    ] = True,
    by_genre: Annotated[
        Optional[str],
        typer.Option("--by-genre", help="Scores of each genre: what this regex's first group matches in the sent_id"),
    ] = None,
    confusion: Annotated[bool, typer.Option("--confusion", help="What is taken for what: counts by label")] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Besides: scores with own sentence breaks, and of raw text with own tokens")
    ] = False,
    param: Annotated[
        Optional[str],
        typer.Option(
            "--param", "-p", help="EVALB parameters: a .prm file, COLLINS, nk or is  [default: the language's]"
        ),
    ] = None,
    batch_size: Annotated[int, typer.Option("--batch-size", "-b", min=1, help="Docs parsed together")] = 256,
    gpu_id: GpuOption = -1,
) -> None:
    """Score a pipeline on a treebank, on gold tokens: brackets as EVALB counts, attachment under each rule for
    punctuation, tags, sentences a second.

    The first line of each score is its signature. Two numbers are comparable only if their signatures are equal.
    """
    model, (data,) = model_and_words(model, words, "DEV.spacy")
    data_path = existing_file(data)
    _check_written(data_path, output, trees, gold_trees)
    if not gold_sents:
        _check_sentences_unneeded(confusion, trees, gold_trees)

    from spacy_lal.cli.pipelines import load_pipeline

    scoring = Scoring(param, batch_size=batch_size, by_genre=by_genre, confusion=confusion, raw=raw)
    nlp = load_pipeline(model, gpu_id, or_roles=True)
    golds = read_docs(data_path, nlp)
    try:
        with pipe_progress(nlp, len(golds) * (3 if raw else 1)):
            docs, metrics = scoring.score(nlp, golds, gold_sents=gold_sents)
    except ValueError as err:
        fail(f"{data_path}: {err}")
    try:
        with closed_pipe_is_no_error():
            to_stdout = any(path is not None and is_stdout(path) for path in (output, trees, gold_trees))
            say("\n".join(report_lines(metrics)), err=to_stdout)
    finally:  # a file that cannot be written loses no scores, and a closed pipe loses no file
        _write(metrics, docs, golds, output=output, trees=trees, gold_trees=gold_trees)


def _write(
    metrics: "Dict[str, Any]",
    docs: "List[Doc]",
    golds: "List[Doc]",
    *,
    output: Optional[Path],
    trees: Optional[Path],
    gold_trees: Optional[Path],
) -> None:
    """Write the files that are wanted, and say so."""
    written = {}
    if output is not None:
        write_json(output, metrics)
        written[output] = f"scores of {counted(metrics['n_sents'], 'sentence')}"
    for path, parsed, others in ((trees, docs, golds), (gold_trees, golds, docs)):
        if path is not None:
            with path_or_stdout(path) as file:
                n_trees = write_trees(parsed, golds, file, others if trees and gold_trees else None)
            written[path] = counted(n_trees, "gold tree" if parsed is golds else "tree")
    for path, content in written.items():
        if not is_stdout(path):
            wrote(path, content)


def _check_written(data_path: Path, *written: Optional[Path]) -> None:
    for i, path in enumerate(written):
        check_apart(path, data_path)
        check_apart(path, *written[:i], problem="written twice")
        check_parent(path)
    if sum(path is not None and is_stdout(path) for path in written) > 1:
        fail("expected at most one of --output, --trees and --gold-trees to be - (stdout)")


def _check_sentences_unneeded(confusion: bool, trees: Optional[Path], gold_trees: Optional[Path]) -> None:
    if confusion:
        fail("--confusion compares sentence by sentence, so it does not go with --no-gold-sents")
    if trees is not None and gold_trees is not None:
        fail("--trees and --gold-trees go sentence by sentence, so they do not go with --no-gold-sents together")


class Scoring:
    """The scores to compute. Takes the arguments of the command; wrong parameters or a wrong regex end the command."""

    def __init__(
        self, param: Optional[str], *, batch_size: int, by_genre: Optional[str], confusion: bool, raw: bool
    ) -> None:
        from spacy_lal.cli.evalb import read_params
        from spacy_lal.metrics.evalb_params import EvalbParamsError

        try:
            self.params = None if param is None else read_params(param)
            self.genre = None if by_genre is None else re.compile(by_genre)
        except EvalbParamsError as err:
            fail(str(err))
        except re.error as err:
            fail(f"--by-genre: {by_genre!r} is no regular expression: {err}")
        self.batch_size, self.confusion, self.raw = batch_size, confusion, raw

    def score(self, nlp: "Language", golds: "List[Doc]", *, gold_sents: bool) -> "tuple[List[Doc], Dict[str, Any]]":
        """Parse and compare.

        RETURNS (Tuple[List[Doc], Dict[str, Any]]): The Docs with the gold tokens, parsed; and the scores, with
            `genres`, `confusion`, `own_sents` and `raw` if requested.
        RAISES (ValueError): The gold Docs lack required annotation, or are of several genres; with `raw`, the pipeline
            sets no sentence breaks. Raised before the parsing.
        """
        from spacy_lal import evaluation
        from spacy_lal.metrics.evalb_params import language_params

        params = self.params or language_params(nlp.lang or "")
        size = self.batch_size
        if self.genre is not None:
            evaluation.check_genres(golds, self.genre)
        if self.raw:
            evaluation.check_texts(golds)
            evaluation.check_breaks(nlp, golds)
        docs, seconds = evaluation.parse_golds(nlp, golds, gold_sents=gold_sents, batch_size=size)
        metrics = evaluation.score_docs(docs, golds, params, seconds=seconds, gold_sents=gold_sents)
        if self.genre is not None:
            metrics["genres"] = evaluation.score_genres(docs, golds, params, self.genre)
        if self.confusion:
            metrics["confusion"] = evaluation.score_confusion(docs, golds, params)
        if self.raw:
            own, _ = evaluation.parse_golds(nlp, golds, gold_sents=False, batch_size=size)
            metrics["own_sents"] = evaluation.score_sentence_breaks(own, golds, params)
            texts = evaluation.parse_texts(nlp, golds, batch_size=size)
            metrics["raw"] = evaluation.score_texts(texts, golds, params)
        return docs, metrics


def read_docs(path: Path, nlp: "Language") -> "List[Doc]":
    """The Docs of a `.spacy` file, or of stdin for `-`; ends the command if it has none."""
    from spacy.tokens import DocBin

    try:
        data = sys.stdin.buffer.read() if is_stdin(path) else path.read_bytes()
        docs = list(DocBin().from_bytes(data).get_docs(nlp.vocab))
    except Exception as err:  # errors of zlib, msgpack and spaCy have no common base
        fail(f"{path} is no .spacy file ({type(err).__name__}: {err}); `python -m spacy lal convert` writes them")
    if not any(len(doc) for doc in docs):
        fail(f"{path} holds no words")
    return docs


def write_trees(docs: "List[Doc]", golds: "List[Doc]", path: Path, others: "Optional[List[Doc]]" = None) -> int:
    """Write the trees of Docs as brackets, one per line, without a root label: EVALB counts any root label but TOP. A
    sentence of whitespace tokens only has no tree.

    golds (List[Doc]): Docs of the same tokens, whose tags the trees get: EVALB deletes punctuation by its tag, and
        rejects a pair of trees if it would delete different words in them.
    others (Optional[List[Doc]]): Docs of the same sentences: those that have no tree there are left out.
    RETURNS (int): The number of trees.
    """
    from spacy_lal.export import read_sentences
    from spacy_lal.files import written_file
    from spacy_lal.trees import write_brackets

    n_trees = 0
    with written_file(path) as file:
        for doc, gold, other in zip(docs, golds, others or docs, strict=True):
            if gold.has_annotation("TAG"):
                doc = doc.copy().from_array(["TAG"], gold.to_array(["TAG"]))  # type: ignore[arg-type]
            for sentence, counterpart in zip(read_sentences(doc), read_sentences(other), strict=True):
                if sentence.constituents is not None and counterpart.constituents is not None:
                    file.write(f"{write_brackets(sentence.tree())}\n".encode())
                    n_trees += 1
    return n_trees
