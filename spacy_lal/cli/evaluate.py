"""`python -m spacy lal evaluate MODEL DEV.spacy`: every score of both trees, with what is needed to compare them."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Dict, List, Optional, Tuple, Union

import typer

from spacy_lal.cli.streams import fail

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.training import Example

    from spacy_lal.metrics.evalb_params import EvalbParams

SENTENCE_START, HEAD = "token.is_sent_start", "token.head"
CONSTITUENTS = ("const_f", "const_p", "const_r", "const_cm", "const_cb", "const_0cb", "const_2cb")
ATTACHMENT = ("dep_uas", "dep_las", "dep_ucm", "dep_lcm")


def evaluate_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A pipeline: path or package")],
    data_path: Annotated[Path, typer.Argument(metavar="DEV.spacy", help="Gold Docs, as `lal convert` writes them")],
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
    param: Annotated[
        Optional[str], typer.Option("--param", "-p", help="EVALB parameters: a .prm file, COLLINS (the default) or nk")
    ] = None,
    batch_size: Annotated[int, typer.Option("--batch-size", "-b", min=1, help="Docs parsed together")] = 256,
    gpu_id: Annotated[int, typer.Option("--gpu-id", "-g", help="GPU, or -1 for the CPU")] = -1,
) -> None:
    """Score a pipeline on a treebank, on gold tokens: brackets as EVALB counts, attachment under each rule for
    punctuation, tags, sentences a second.

    The first line of each score is its signature. Two numbers compare only where their signatures do.
    """
    if not data_path.is_file():
        fail(f"can't find the file {data_path}")
    for path in (output, trees, gold_trees):
        if path is not None and not path.parent.is_dir():
            fail(f"can't write {path}: no folder {path.parent}")

    from spacy_lal.cli.evalb import read_params
    from spacy_lal.cli.pipelines import load_pipeline
    from spacy_lal.metrics.evalb_params import EvalbParamsError

    try:
        params = read_params(param)
    except EvalbParamsError as err:
        fail(str(err))
    nlp = load_pipeline(model, gpu_id)
    golds = read_docs(data_path, nlp)
    try:
        docs, seconds = parse_golds(nlp, golds, gold_sents=gold_sents, batch_size=batch_size)
    except ValueError as err:
        fail(f"{data_path}: {err}")
    metrics = evaluate(docs, golds, params, seconds=seconds, gold_sents=gold_sents)
    typer.echo("\n".join(report_lines(metrics)))
    for path, parsed in ((trees, docs), (gold_trees, golds)):
        if path is not None:
            write_trees(parsed, golds, path)
    if output is not None:
        import srsly

        srsly.write_json(output, metrics)


def read_docs(path: Path, nlp: "Language") -> "List[Doc]":
    """The Docs of a `.spacy` file; ends the command where there are none."""
    from spacy.tokens import DocBin

    try:
        docs = list(DocBin().from_disk(path).get_docs(nlp.vocab))
    except Exception as err:  # zlib's, msgpack's and spaCy's own errors have no base in common
        fail(f"{path} is no .spacy file ({type(err).__name__}: {err}); `python -m spacy lal convert` writes them")
    if not any(len(doc) for doc in docs):
        fail(f"{path} holds no words")
    return docs


def parse_golds(
    nlp: "Language", golds: "List[Doc]", *, gold_sents: bool = True, batch_size: int = 256
) -> "Tuple[List[Doc], float]":
    """Parse the tokens of gold Docs, with our parser or, where the pipeline has none, spaCy's.

    golds (List[Doc]): Gold Docs; trees, heads or tags may be missing.
    gold_sents (bool): Whether the pipeline gets the gold sentence breaks, its own components for them set aside.
    RETURNS (Tuple[List[Doc], float]): The parsed Docs, in order, and the seconds that it took.
    RAISES (ValueError): A gold Doc has no sentence boundaries.
    """
    from spacy_lal.annotations import has_sentences
    from spacy_lal.cli.pipelines import parser_names

    for number, gold in enumerate(golds, start=1):
        if not has_sentences(gold):
            raise ValueError(f"Doc {number} has no sentence boundaries: {gold.text[:40]!r}")
    parsers = parser_names(nlp) or [name for name in nlp.pipe_names if HEAD in nlp.get_pipe_meta(name).assigns]
    splitters = [
        name
        for name in nlp.pipe_names
        if gold_sents and name not in parsers and SENTENCE_START in nlp.get_pipe_meta(name).assigns
    ]
    blanks = [_without_annotation(nlp, gold, gold_sents) for gold in golds]
    with nlp.select_pipes(disable=splitters):
        start = time.perf_counter()
        docs = list(nlp.pipe(blanks, batch_size=batch_size))
        return docs, time.perf_counter() - start


def evaluate(
    docs: "List[Doc]", golds: "List[Doc]", params: "EvalbParams", *, seconds: float, gold_sents: bool = True
) -> Dict[str, Any]:
    """Compare parsed Docs with gold ones of the same tokens.

    docs, golds (List[Doc]): As `parse_golds` returns and takes them.
    params (EvalbParams): EVALB's parameters.
    seconds (float): How long parsing took.
    gold_sents (bool): Whether sentence breaks were given, for the signature.
    RETURNS (Dict[str, Any]): Scores from 0 to 1 by name (None where one side has no annotation), sizes, speed,
        signatures.
    """
    from spacy.training import Example

    from spacy_lal import __version__
    from spacy_lal.annotations import SPANS_KEY, sentence_words
    from spacy_lal.pipeline.scorer import score_parses

    examples = [Example(doc, gold) for doc, gold in zip(docs, golds, strict=True)]
    constituents = score_parses(examples, params) if any(SPANS_KEY in doc.spans for doc in docs) else {}
    sentences = [words for gold in golds for words in sentence_words(gold) if words]
    n_words = sum(map(len, sentences))
    return {
        "signature": f"tokens:gold|sents:{'gold' if gold_sents else 'own'}|n_sents:{len(sentences)}|v:{__version__}",
        "params": params.signature,
        **{key: constituents.get(key) for key in CONSTITUENTS},
        **_attachment(examples, "spacy", ""),
        **_attachment(examples, "reference", "_reference"),
        "tag_acc": _tag_accuracy(examples),
        "n_sents": len(sentences),
        "n_words": n_words,
        "seconds": round(seconds, 3),
        "sents_per_second": round(len(sentences) / seconds, 1),
        "words_per_second": round(n_words / seconds, 1),
    }


def write_trees(docs: "List[Doc]", golds: "List[Doc]", path: Path) -> None:
    """Write the trees of Docs as brackets, one a line, without a root label, which EVALB would count unless it is TOP.
    A sentence of nothing but whitespace has no tree.

    golds (List[Doc]): Docs of the same tokens, whose tags the trees get: EVALB leaves out punctuation by its tag, and
        refuses a pair of trees of which it would leave out different words.
    """
    from spacy_lal.annotations import get_doc_parse_string

    with path.open("w", encoding="utf8") as file:
        for doc, gold in zip(docs, golds, strict=True):
            if gold.has_annotation("TAG"):
                doc = doc.copy().from_array(["TAG"], gold.to_array(["TAG"]))  # type: ignore[arg-type]
            trees = get_doc_parse_string(doc)
            if trees:
                file.write(f"{trees}\n")


def _without_annotation(nlp: "Language", gold: "Doc", gold_sents: bool) -> "Doc":
    """The same tokens; of the annotation, only the sentence breaks, and those only where they are wanted."""
    from spacy.tokens import Doc

    from spacy_lal.annotations import sentence_bounds

    words, spaces = [token.text for token in gold], [bool(token.whitespace_) for token in gold]
    starts: Optional[List[Union[bool, int, None]]] = None
    if gold_sents:
        first = {start for start, _ in sentence_bounds(gold)}
        starts = [i in first for i in range(len(gold))]
    return Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=starts)


def _attachment(examples: "List[Example]", punctuation: Any, suffix: str) -> Dict[str, Optional[float]]:
    """UAS, LAS and complete matches over the gold sentences; None where no gold Doc has heads. Both sides have the
    same tokens, so heads are compared by their place in the Doc."""
    from spacy_lal.annotations import sentence_words
    from spacy_lal.metrics.attachment import AttachmentCounts, score_attachments

    counts = AttachmentCounts()
    for eg in examples:
        gold, test = eg.reference, eg.predicted
        if not gold.has_annotation("DEP"):
            continue
        for words in sentence_words(gold):
            if words:
                counts += score_attachments(
                    [gold[i].head.i for i in words],
                    [gold[i].dep_ for i in words],
                    [test[i].head.i for i in words],
                    [test[i].dep_ for i in words],
                    punctuation=punctuation,
                    tags=[gold[i].tag_ for i in words],
                )
    return {f"{name}{suffix}": value if counts.n_sentences else None for name, value in counts.scores().items()}


def _tag_accuracy(examples: "List[Example]") -> Optional[float]:
    """Share of words with the gold fine tag, punctuation included; None where one side has no tags."""
    n_words = n_correct = 0
    for eg in examples:
        if eg.predicted.has_annotation("TAG"):
            for gold, test in zip(eg.reference, eg.predicted, strict=True):
                if gold.tag_ and not gold.is_space:
                    n_words += 1
                    n_correct += gold.tag_ == test.tag_
    return n_correct / n_words if n_words else None


def report_lines(metrics: Dict[str, Any]) -> List[str]:
    """The scores for the eye: percent, each group below its signature.

    metrics (Dict[str, Any]): From `evaluate`.
    """
    common = metrics["signature"]
    lines = []
    for title, names in (
        (f"evalb|{metrics['params']}|{common}", CONSTITUENTS),
        (f"attachment|punct:spacy|{common}", ATTACHMENT),
        (f"attachment|punct:reference|{common}", [f"{name}_reference" for name in ATTACHMENT]),
        (f"tags|{common}", ["tag_acc"]),
    ):
        lines.append(title)
        for name in names:
            value = metrics[name]
            scale = 1.0 if name == "const_cb" else 100.0  # a number of brackets, not a share
            lines.append(f"  {name:<18}{'-' if value is None else format(scale * value, '6.2f'):>6}")
    lines.append(
        f"speed: {metrics['sents_per_second']} sentences/s, {metrics['words_per_second']} words/s "
        f"({metrics['n_sents']} sentences, {metrics['n_words']} words, {metrics['seconds']} s)"
    )
    return lines
