"""`lal evaluate`: all scores, with signatures that make them comparable; `lal evalb`
and `lal srl-eval`."""

import json
import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from itertools import chain, starmap
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Optional,
)

import typer

from spacy_lal.cli import io
from spacy_lal.cli.inputs import read_docs
from spacy_lal.cli.texts import Source
from spacy_lal.files import refuse_binary

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.evaluation.evalb_params import EvalbParams

OTHER_SCORES = {
    "own_sents": "own sentence breaks",
    "raw": "raw text",
    "raw_documents": "raw text of documents",
}
_SPEED = (
    "speed: {sents_per_second} sentences/s, {words_per_second} words/s "
    "({n_sents} sentences, {n_words} words, {seconds} s)"
)
SHOWN_LABELS = 15
SHOWN_CONFUSIONS = 10
ParamOption = Annotated[
    Optional[str],
    typer.Option(
        "--param",
        "-p",
        help=(
            "EVALB's parameters: a .prm file, COLLINS, nk or is  [default: by language]"
        ),
    ),
]


def evaluate_cli(
    data_path: Annotated[
        Path,
        typer.Argument(
            metavar="DEV.spacy", help="Gold Docs, as `lal convert` writes them"
        ),
    ],
    model: io.ModelOption = None,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="Write the scores as JSON, too"),
    ] = None,
    trees: Annotated[
        Optional[Path],
        typer.Option(help="Write the trees found, for `evalb`"),
    ] = None,
    gold_trees: Annotated[
        Optional[Path], typer.Option(help="Write the gold trees, for `evalb`")
    ] = None,
    gold_sents: Annotated[
        bool, typer.Option(help="Gold sentence breaks, or the pipeline's own")
    ] = True,
    by_genre: Annotated[
        Optional[str],
        typer.Option(help="Score genres, too: a regex's group in the sent_id"),
    ] = None,
    confusion: Annotated[
        bool,
        typer.Option("--confusion", help="Count which label is taken for which, too"),
    ] = False,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Score with own sentence breaks and from raw text, too"
        ),
    ] = False,
    param: ParamOption = None,
    gpu_id: io.GpuOption = -1,
) -> None:
    """Score a pipeline on a treebank, on gold tokens.

    Prints brackets as EVALB counts them, attachment under each rule for punctuation,
    tags, sentences a second. The first line of each score is its signature. Two numbers
    are comparable only if their signatures are equal."""
    written = [path for path in (output, trees, gold_trees) if path is not None]
    for file in written:
        io.check_apart(file, data_path)
    if len(set(written)) < len(written):
        io.fail("expected different files as --output, --trees and --gold-trees")
    if not gold_sents and (confusion or trees or gold_trees):
        io.fail(
            "--confusion, --trees and --gold-trees go sentence by sentence: expected "
            "them without --no-gold-sents"
        )
    from spacy_lal.evaluation.evalb_params import language_params
    from spacy_lal.evaluation.scorers import paired_trees

    params = None if param is None else read_params(param)
    genre = io.compiled(by_genre, "--by-genre")
    nlp = io.load_pipeline(model, gpu_id, needs=(io.FACTORY, io.ROLES_FACTORY))
    io.check_one_stdin([data_path])
    golds = read_docs(Source(str(data_path)), nlp.vocab)
    docs, metrics = score(
        nlp,
        golds,
        params or language_params(nlp.lang or ""),
        gold_sents=gold_sents,
        genre=genre,
        confusion=confusion,
        raw=raw,
    )
    io.say("\n".join(report_lines(metrics)), err=any(map(io.is_stdout, written)))
    if output is not None:
        content = f"scores of {io.counted(metrics['n_sents'], 'sentence')}"
        io.write_lines(output, [json.dumps(metrics, indent=2)], content)
    for path, side in ((gold_trees, 0), (trees, 1)):
        if path is not None:
            # With the gold tags: EVALB deletes punctuation by its tag.
            pairs = chain.from_iterable(map(paired_trees, golds, docs))
            lines = [pair[side].to_brackets() for pair in pairs]
            io.write_lines(path, lines, io.counted(len(lines), "tree"))


def score(
    nlp: "Language",
    golds: "list[Doc]",
    params: "EvalbParams",
    *,
    gold_sents: bool,
    genre: "Optional[re.Pattern[str]]",
    confusion: bool,
    raw: bool,
) -> "tuple[list[Doc], dict[str, Any]]":
    """Parse and compare. The arguments are the command's; what the gold Docs lack is
    known before the parsing.

    RETURNS (Tuple[List[Doc], Dict[str, Any]]): The Docs with the gold tokens, parsed;
        and the scores, with `genres`, `confusion`, `own_sents`, `raw` and
        `raw_documents` if requested.
    """
    from spacy_lal.evaluation import docs as scoring

    if genre is not None:
        scoring.genres(golds, genre)
    if raw and any(gold.has_unknown_spaces for gold in golds):
        raise ValueError("a Doc has words but no text, its spaces are not known")
    parse = partial(scoring.parse_golds, nlp, golds)
    docs, seconds = parse(gold_sents=gold_sents)
    metrics = scoring.score_docs(docs, golds, params)
    n_sents = metrics["n_sents"]
    metrics["signature"] = (
        f"tokens:gold|sents:{'gold' if gold_sents else 'own'}|n_sents:{n_sents}|"
        f"v:{version('spacy-lal')}"
    )
    metrics["params"] = params.signature
    metrics["seconds"] = round(seconds, 3)
    metrics["sents_per_second"] = round(n_sents / seconds, 1)
    metrics["words_per_second"] = round(metrics["n_words"] / seconds, 1)
    if genre is not None:
        metrics["genres"] = scoring.score_genres(docs, golds, params, genre)
    if confusion:
        metrics["confusion"] = scoring.score_confusion(docs, golds, params)
    if raw:
        own, _ = parse(gold_sents=False)
        metrics["own_sents"] = scoring.score_docs(own, golds, params)
        raw_texts = {
            "raw": (golds, [gold.text for gold in golds]),
            "raw_documents": scoring.join_documents(golds),
        }
        for name, (whole, texts) in raw_texts.items():
            if whole:
                parsed = list(nlp.pipe(texts, batch_size=scoring.BATCH_SIZE))
                metrics[name] = scoring.score_docs(parsed, whole, params)
    return docs, metrics


def report_lines(metrics: dict[str, Any]) -> Iterator[str]:
    """The scores as lines of text.

    metrics (Dict[str, Any]): The scores that `lal evaluate` writes as JSON.
    """
    from spacy_lal.evaluation.docs import WORDS
    from spacy_lal.evaluation.scorers import CONST_KEYS, REFERENCE_KEYS, ROLE_KEYS

    arcs = ("dep_uas", "dep_las")
    scores = [
        (f"evalb|{metrics['params']}", metrics, CONST_KEYS),
        ("attachment|punct:spacy", metrics, arcs),
        ("attachment|punct:reference", metrics, REFERENCE_KEYS),
        ("words", metrics, WORDS),
    ]
    if "roles" in metrics:
        scores.append(("roles", metrics["roles"], ROLE_KEYS))
    for name, title in OTHER_SCORES.items():
        if name in metrics:
            keys = ("token_f", "sents_f", "const_f", *arcs, *WORDS)
            scores.append((title, metrics[name], keys))
    for title, values, names in scores:
        yield f"{title}|{metrics['signature']}"
        for name in names:
            value = values[name]
            if name == "const_cb" and value is not None:
                value /= 100  # a number of brackets, not a share
            yield f"  {name:<18}{_percent(value):>6}"
    if "roles" in metrics:
        yield from _score_table("role", metrics["roles"]["srl_per_role"])
    yield from _score_table("genre", metrics.get("genres", {}))
    confusion = metrics.get("confusion", {})
    for title in ("constituent", "deprel") if confusion else ():
        rows = list(confusion[f"{title}s"].items())[:SHOWN_LABELS]
        yield from _score_table(title, dict(rows))
        taken = confusion[f"{title}_confusions"][:SHOWN_CONFUSIONS]
        if taken:
            yield "  taken for: " + ", ".join(starmap("{} -> {} {}".format, taken))
    yield _SPEED.format_map(metrics)


def _score_table(title: str, rows: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A heading, and a line for each row: its name, and numbers or percentages."""
    if rows:
        columns = list(next(iter(rows.values())))
        yield f"{title:<20}" + "".join(f"{column:>11}" for column in columns)
    for name, row in rows.items():
        yield f"  {name:<18}" + "".join(f"{_percent(x):>11}" for x in row.values())


def _percent(value: Optional[float]) -> str:
    if isinstance(value, int):
        return str(value)
    return "-" if value is None else f"{100 * value:.2f}"


def evalb_cli(
    gold_path: Annotated[
        Path, typer.Argument(metavar="GOLD", help="Gold trees, one a line; - is stdin")
    ],
    test_path: Annotated[
        Path,
        typer.Argument(
            metavar="TEST", help="Trees to score, one a line, in the same order"
        ),
    ],
    output: io.OutputOption = None,
    param: ParamOption = None,
) -> None:
    """Score bracketing as the program EVALB does.

    Rows and summary are the same, line for line. Errors in sentences go to stderr, as
    in the original. Both files are read line by line, one tree per line."""
    from spacy_lal.evaluation.evalb_report import EvalbStopped, report

    params = read_params(param)
    names = gold_path, test_path
    io.check_one_stdin(names)
    io.check_apart(output, *names)
    rows = report(
        _lines(gold_path), _lines(test_path), params, names=names, on_error=io.say
    )
    try:
        io.write_lines(output, rows, "the scores")
    except EvalbStopped as err:
        io.fail(f"{test_path}: {err} (MAX_ERROR in the parameter file)")


def read_params(param: Optional[str]) -> "EvalbParams":
    """The parameters by name or file (None: COLLINS). Warnings of the file's reader go
    to stderr."""
    import warnings

    from spacy_lal.evaluation.evalb_params import COLLINS, NAMED, EvalbParams

    if param is None:
        return COLLINS
    if param in NAMED and not Path(param).exists():
        return NAMED[param]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        params = EvalbParams.from_file(param)
    for warning in caught:
        io.say(str(warning.message))
    return params


def _lines(path: Path) -> Iterator[str]:
    """Lines, split at `\\n` only. Bytes that are not UTF-8 are preserved, since the
    program compares bytes."""
    with sys.stdin.buffer if str(path) == io.STDIN else path.open("rb") as file:
        for number, line in enumerate(file):
            if not number:
                refuse_binary(line, str(path))
            yield line.decode("utf-8", "surrogateescape")


def srl_eval_cli(
    gold_path: Annotated[
        Path,
        typer.Argument(
            metavar="GOLD",
            help="Gold props: lemma, then a column per predicate; - is stdin",
        ),
    ],
    predicted_path: Annotated[
        Path,
        typer.Argument(metavar="PRED", help="Props to score, of the same sentences"),
    ],
    output: io.OutputOption = None,
    confusion: Annotated[
        bool, typer.Option("-C", "--confusion", help="Add the confusion matrix")
    ] = False,
) -> None:
    """Score semantic roles as srl-eval.pl of CoNLL-2005 does.

    The table is the same, to the character. Spurious predicates cost nothing, as in the
    original; `lal evaluate` has strict scores. Malformed files end the command with
    file and line."""
    from spacy_lal.evaluation.srl import report_lines as srl_lines
    from spacy_lal.evaluation.srl import score_props

    io.check_apart(output, gold_path, predicted_path)
    with io.input_paths([gold_path, predicted_path]) as (paths, _):
        counts = score_props(*paths)
    io.write_lines(output, srl_lines(counts, confusion=confusion), "the scores")
