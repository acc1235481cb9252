"""Write the pages of docs/reference/ that come from the code, and from the metadata of
the bundled pipelines: config, commands, getters, scores, labels, models.

    python docs/build_reference.py

`tests/test_reference.py` fails where a page is not the code's.
"""

import inspect
import json
import re
import sys
import textwrap
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Container, Dict, Iterator, List, Sequence, Tuple

from spacy.cli._util import app
from spacy.util import registry
from typer.main import get_command

from spacy_lal.annotations.getters import GETTERS
from spacy_lal.evaluation import scorers
from spacy_lal.lang import glossary

FOLDER = Path(__file__).resolve().parent / "reference"
SETUP = FOLDER.parents[1] / "setup.cfg"
# of entry points, in the order of the page: the heading, and how a config names one
GROUPS = {
    "spacy_factories": ("Components", "factory"),
    "spacy_architectures": ("Architectures", "@architectures"),
    "spacy_misc": ("Blocks of the networks, losses, decoders", "@misc"),
    "spacy_readers": ("Readers", "@readers"),
    "spacy_scorers": ("Scorers", "@scorers"),
    "spacy_tokenizers": ("Tokenizers", "@tokenizers"),
    "spacy_span_getters": ("Span getters", "@span_getters"),
    "spacy_callbacks": ("Callbacks", "@callbacks"),
    "thinc_optimizers": ("Optimizers", "@optimizers"),
}
SCORES = {
    "const_p": "precision of labelled brackets, by EVALB's rules",
    "const_r": "recall of labelled brackets",
    "const_f": "F1 of labelled brackets",
    "const_cm": "share of sentences with all brackets right",
    "const_cb": "mean number of crossing brackets in a sentence",
    "const_0cb": "share of sentences without crossing brackets",
    "const_2cb": "share of sentences with at most two crossing brackets",
    "dep_uas": (
        "share of words with the right head; words with the deprel `punct` or `p` do "
        "not count"
    ),
    "dep_las": "share of words with the right head and deprel, by the same rule",
    "dep_las_per_type": "`p`, `r`, `f` of each deprel",
    "dep_uas_reference": (
        "as `dep_uas`; words with a gold tag of punctuation do not count, as in the "
        "authors' code"
    ),
    "dep_las_reference": "as `dep_las`, by the authors' rule",
    "srl_p": "precision of arguments: range, role and predicate",
    "srl_r": "recall of arguments",
    "srl_f": "F1 of arguments",
    "srl_unlabeled_f": "F1 of arguments without their roles",
    "srl_conll05_p": (
        "as `srl_p`, counted as CoNLL-2005's scorer does: predicates that are not gold "
        "cost nothing"
    ),
    "srl_conll05_r": "as `srl_r`, by CoNLL-2005's scorer",
    "srl_conll05_f": "as `srl_f`, by CoNLL-2005's scorer",
    "srl_perfect": (
        "share of predicates with all arguments right, by CoNLL-2005's scorer"
    ),
    "predicate_p": "precision of predicates",
    "predicate_r": "recall of predicates",
    "predicate_f": "F1 of predicates",
    "roleset_f": "F1 of predicates with their rolesets",
    "roleset_acc": "share of rolesets that are right, among the predicates found",
    "srl_per_role": "`p`, `r`, `f` of each role",
    "spans_srl_p": (
        "`srl_p`, under the name that `spacy evaluate --spans-key srl` prints"
    ),
    "spans_srl_r": "`srl_r`, likewise",
    "spans_srl_f": "`srl_f`, likewise",
    "spans_srl_per_type": "`srl_per_role`, likewise",
}
# Of each pipeline: seconds of a processor that `spacy.load` takes after `import spacy`,
# and the most memory of a process that loads it and parses a sentence, in MB; one
# thread, without torch.
FOOTPRINTS = {
    "en_lal_sm": (1.1, 277),
    "en_lal_md": (0.8, 335),
    "en_lal_lg": (0.9, 423),
    "fr_lal_md": (3.3, 328),
    "is_lal_md": (0.5, 304),
    "id_lal_md": (2.0, 327),
}
# What users import: module -> functions and classes.
FUNCTIONS = {
    "spacy_lal": ["explain", "search_trees", "to_rows", "to_frame"],
    "spacy_lal.annotations": [
        "Predicate",
        "Argument",
        "Relation",
        "Triple",
        "Clause",
        "get_relations",
        "get_triples",
        "get_complexity",
        "sentence_complexities",
        "simplify",
        "to_allennlp",
        "constrain",
        "SpanConstraint",
        "HeadConstraint",
        "install_extensions",
        "install_frames",
        "install_noun_chunks",
        "set_constituents",
        "set_parses",
        "set_propositions",
        "as_doc",
        "carry_over",
        "NonConstituentException",
        "ContradictionError",
        "StaleParseError",
        "UnparsedDocError",
        "LostAnnotationsWarning",
    ],
    "spacy_lal.complexity": ["Complexity", "find_structures"],
    "spacy_lal.interpret": [
        "head_confidences",
        "label_confidence",
        "parse_confidence",
        "relation_confidence",
        "k_best",
        "iter_best_trees",
        "BestTree",
        "constituent_margins",
        "ConstituentMargin",
        "arc_margins",
        "ArcMargin",
        "best_labels",
        "LabelScore",
        "span_marginals",
        "SpanMarginals",
        "label_attention",
        "LabelAttention",
        "label_contributions",
        "contributions",
        "Contributions",
    ],
    "spacy_lal.pictures": ["render", "draw"],
    "spacy_lal.pictures.heatmap": ["heatmap"],
    "spacy_lal.lang": ["conventions"],
    "spacy_lal.models.inference.onnx_encoder": ["encoder_graphs"],
    "spacy_lal.trees.frames": ["read_frames", "Frame", "FrameRole"],
    "spacy_lal.trees.roles": ["Proposition"],
    "spacy_lal.export": ["to_conllu"],
    "spacy_lal.distributed": ["BatchParser", "parse_ray", "parse_spark", "to_doc"],
}
LANGUAGES = {"en": "English", "fr": "French", "id": "Indonesian", "is": "Icelandic"}
OPTION = re.compile(r"^\*?(\w+(?:, \w+)*)(?: \((.+?)\))?: (.*)$")
NOTICE = (
    "<!-- Written by docs/build_reference.py from the code; edit that, not this. -->"
)


def doc_parts(
    text: str, names: Container[str] = ()
) -> Tuple[str, Dict[str, Tuple[str, str]], str]:
    """A docstring of this house: its text, its arguments as (type, meaning) by name,
    its errors.

    names (Container[str]): Arguments that the docstring may describe without a type.
    """

    def starts_entry(line: str) -> bool:
        found = OPTION.match(line)
        if not found:
            return False
        return bool(
            found[2] is not None or all(name in names for name in found[1].split(", "))
        )

    prose: List[str] = []
    entries: List[List[str]] = []
    is_open = False  # an entry goes on until an empty line, indented or not
    for line in inspect.cleandoc(text).splitlines():
        if starts_entry(line) or re.match(r"^(RETURNS|RAISES|YIELDS)\b", line):
            entries.append([line])
            is_open = True
        elif is_open and line.strip():
            entries[-1].append(line.strip())
        elif not entries:
            prose.append(line)
        else:
            is_open = False
    options, errors = {}, ""
    for entry in (" ".join(lines) for lines in entries):
        found = OPTION.match(entry)
        if entry.startswith("RAISES"):
            errors = entry.removeprefix("RAISES").strip()
        elif found and not entry.startswith(("RETURNS", "YIELDS")):
            for name in found[1].split(", "):
                options[name] = (found[2] or "", found[3])
    return "\n".join(prose).strip(), options, errors


def plain(text: str) -> str:
    """Text for Markdown: angle brackets outside of code are no HTML."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else part.replace("<", "&lt;").replace("*", "\\*")
        for part in parts
    )


def paragraphs(text: str) -> List[str]:
    """The paragraphs of a text in lines of at most 100 columns, each followed by an
    empty line."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        found += [
            *textwrap.wrap(
                plain(" ".join(paragraph.split())), 100, break_on_hyphens=False
            ),
            "",
        ]
    return found


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> List[str]:
    """A table of Markdown, with an empty line after it."""
    lines = [[*head], ["---"] * len(head), *rows]
    return [
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
        for row in lines
    ] + [""]


def entry_points() -> Iterator[Tuple[str, str, Callable[..., Any]]]:
    """Group, name and function of each entry point in setup.cfg that a config can
    name."""
    parser = ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(SETUP, encoding="utf8")
    for group in GROUPS:
        for line in parser["options.entry_points"][group].strip().splitlines():
            name, _, place = (part.strip() for part in line.partition("="))
            module, _, attribute = place.partition(":")
            yield group, name, getattr(import_module(module), attribute)


def config_page() -> List[str]:
    """Every registered function: its text, its options with types, defaults and
    meanings, its errors."""
    lines = ["# Config", "", NOTICE, ""]
    lines += paragraphs(
        "Every function that a config can name, with its options. Unknown and "
        "contradictory options are refused when "
        "the config is read. [Training](../how_to/training.md) shows whole configs; "
        "`configs/` holds them."
    )
    group_before = ""
    for group, name, function in entry_points():
        if group != group_before:
            lines += [f"## {GROUPS[group][0]}", ""]
            group_before = group
        text, described, errors = described_function(function)
        lines += [
            f"### {name}",
            "",
            f'`{GROUPS[group][1]} = "{name}"`',
            "",
            *paragraphs(text),
        ]
        rows = []
        for option, parameter in options_of(name, function).items():
            if parameter.kind is parameter.VAR_KEYWORD or (
                group == "spacy_factories" and option in ("nlp", "name")
            ):
                continue
            kind, meaning = described.get(option, ("", ""))
            if not meaning:
                raise ValueError(f"{name}: its docstring does not describe {option!r}")
            default = (
                "required"
                if parameter.default is parameter.empty
                else f"`{as_config(parameter.default)}`"
            )
            rows.append(
                [
                    f"`{option}`",
                    f"`{kind or annotation(parameter)}`",
                    default,
                    plain(meaning),
                ]
            )
        if rows:
            lines += table(["option", "type", "default", "meaning"], rows)
        if errors:
            lines += paragraphs("Errors: " + re.sub(r"\((\w+)\):", r"`\1`:", errors))
    return lines


def options_of(name: str, function: Callable[..., Any]) -> Dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def described_function(
    function: Callable[..., Any],
) -> Tuple[str, Dict[str, Tuple[str, str]], str]:
    """As `doc_parts` of its docstring. Where the docstring names classes of its module,
    as in "See `InputLayerConfig`", their arguments are described too, and the text is
    theirs if the function has no other."""
    names = inspect.signature(function).parameters
    text, options, errors = doc_parts(inspect.getdoc(function) or "", names)
    module = sys.modules[function.__module__]
    for named in re.findall(r"`(\w+)`", text):
        other = getattr(module, named, None)
        if inspect.isclass(other) and other is not function:
            for base in reversed(inspect.getmro(other)):
                more = (
                    doc_parts(base.__doc__ or "", names)
                    if base.__module__.startswith("spacy_lal")
                    else ("", {}, "")
                )
                options = {**options, **more[1]}
            text = more[0] if re.match(r"(See|Registered as) `", text) else text
            errors = errors or more[2]
    return text, options, errors


def annotation(parameter: inspect.Parameter) -> str:
    return inspect.formatannotation(parameter.annotation).replace("typing.", "")


def as_config(value: Any) -> str:
    """A default as a config writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(as_config, value))}]"
    if isinstance(value, (int, float)):
        return repr(value)
    return f"{type(value).__name__}()"


def commands_page() -> List[str]:
    """The help of each command."""
    lines = ["# Command line", "", NOTICE, ""]
    lines += paragraphs(
        "`lal COMMAND`, or `python -m spacy lal COMMAND`. `--help` prints the same. "
        "[Usage](../how_to/command_line.md) "
        "shows them at work, [formats](formats.md) their input, output and exit codes."
    )
    registry.cli.get_all()
    commands = get_command(app).commands["lal"].commands  # type: ignore[attr-defined]
    for name, command in sorted(commands.items()):
        if command.hidden:
            continue
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        named = [
            str(one.metavar or one.name)
            for one in arguments
            if not getattr(one, "hidden", False)
        ]
        lines += [
            f"## lal {name}",
            "",
            f"`lal {' '.join([name, '[OPTIONS]', *named])}`",
            "",
        ]
        lines += paragraphs(command.help or "")
        rows = [
            [f"`{word}`", "", plain(one.help or "")]
            for word, one in zip(named, arguments, strict=False)
        ]
        for one in command.params:
            if (
                one.param_type_name == "option"
                and one.name != "help"
                and not one.hidden
            ):
                names = ", ".join(
                    f"`{opt}`" for opt in [*one.opts, *one.secondary_opts]
                )
                shown = (
                    ""
                    if one.default is None or callable(one.default)
                    else f"`{option_default(one.default)}`"
                )
                rows.append([names, shown, plain(one.help or "")])
        lines += table(["option", "default", "meaning"], rows) if rows else []
    return lines


def option_default(value: Any) -> str:
    value = getattr(value, "value", value)
    return (
        {True: "yes", False: "no"}.get(value, str(value))
        if isinstance(value, bool)
        else str(value)
    )


def getters_page() -> List[str]:
    """The attributes of Doc, Span and Token."""
    lines = ["# Getters", "", NOTICE, ""]
    lines += paragraphs(
        "Attributes that parsed Docs, Spans and Tokens have under `._`. They are "
        "computed on demand and write nothing. "
        "A component installs them; in other processes `install_extensions()` of "
        "`spacy_lal.annotations` does."
    )
    for cls in ("Doc", "Span", "Token"):
        lines += [f"## {cls}", ""]
        rows = []
        for owner, name, getter in GETTERS:
            if owner.__name__ == cls:
                text = doc_parts(inspect.getdoc(getter) or "")[0]
                kind = inspect.formatannotation(
                    inspect.signature(getter).return_annotation
                ).strip("'")
                kind = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", kind)
                rows.append(
                    [
                        f"`{cls.lower()}._.{name}`",
                        f"`{kind}`",
                        plain(" ".join(text.split())),
                    ]
                )
        lines += table(["getter", "type", "gives"], rows)
    lines += paragraphs(
        "Token's getters give the same for the Span of this token. Stored on the Doc "
        "are `doc.spans` under the keys "
        '`"constituents"`, `"srl"`, `"units"`, `"parse_methods"`, `"constraints"`, and '
        "spaCy's `token.head`, `token.dep_`."
    )
    return lines


def scores_page() -> List[str]:
    """The keys of the scorers."""
    reference = ("dep_uas_reference", "dep_las_reference")
    known = [*scorers.CONST_KEYS, *scorers.SPACY_KEYS, *reference]
    roles = [*scorers.ROLE_KEYS, scorers.PER_ROLE, *scorers.PRINTED]
    if {*known, *roles} != {*SCORES}:
        raise ValueError(
            "scores without a text, or texts without a score: "
            f"{sorted({*known, *roles} ^ {*SCORES})}"
        )
    lines = ["# Scores", "", NOTICE, ""]
    lines += paragraphs(
        "Keys of `nlp.evaluate`, of the training log and of the JSON of `lal "
        "evaluate`. Scores are from 0 to 1 "
        "(`const_cb` is a count); a score is null without gold annotation for it."
    )
    for title, keys in (("lal_parser", known), ("lal_srl", roles)):
        rows = [[f"`{key}`", SCORES[key]] for key in keys]
        lines += [f"## {title}", "", *table(["key", "meaning"], rows)]
    text = doc_parts(scorers.score_parses.__doc__ or "")[0]
    lines += [
        "## How constituents are counted",
        "",
        *paragraphs(text.partition("\n\n")[2]),
    ]
    return lines


def labels_page() -> List[str]:
    """The glossary of `spacy_lal.explain`."""
    lines = ["# Labels", "", NOTICE, ""]
    lines += paragraphs(
        "What `spacy_lal.explain(label)` knows. It also takes unary chains (`S::VP`), "
        "functions (`NP-SBJ`) and subtypes (`nsubj:pass`). A treebank may have "
        "others; a label without a text is legal."
    )
    for title, labels in (
        ("Constituents", glossary()["constituents"]),
        ("Functions of constituents", glossary()["functions"]),
        ("Deprels", glossary()["deprels"]),
        ("Subtypes of deprels", glossary()["subtypes"]),
        ("Tags", glossary()["tags"]),
        ("Parts of speech", glossary()["upos"]),
    ):
        rows = [
            [f"`` {name} ``" if "`" in name else f"`{name}`", plain(text)]
            for name, text in labels.items()
        ]
        lines += [f"## {title}", "", *table(["label", "meaning"], rows)]
    return lines


def functions_page() -> List[str]:
    """The functions and classes that a user imports."""
    lines = ["# Functions", "", NOTICE, ""]
    lines += paragraphs(
        "What a program imports beside spaCy's own classes. Attributes of Docs are in "
        "[getters](getters.md), blocks of configs in [config](config.md)."
    )
    for module, names in FUNCTIONS.items():
        lines += [f"## {module}", ""]
        for name in names:
            lines += function_entry(name, getattr(import_module(module), name))
    return lines


def function_entry(name: str, function: Any) -> List[str]:
    """The signature, the text, the arguments and the result of a function or class; of
    an error, its text."""
    if inspect.isclass(function) and issubclass(function, Exception):
        return [f"### {name}", "", *paragraphs(inspect.getdoc(function) or "")]
    parameters = inspect.signature(function).parameters.values()
    shown = [one.name for one in parameters if one.name != "self"]
    text, described, errors = doc_parts(inspect.getdoc(function) or "", shown)
    lines = [f"### {name}", "", f"`{name}({', '.join(shown)})`", ""]
    lines += paragraphs(text)
    rows = [
        [f"`{option}`", f"`{kind}`" if kind else "", plain(meaning)]
        for option, (kind, meaning) in described.items()
    ]
    if inspect.isclass(function):
        rows += attributes_of(function, set(described))
    if rows:
        lines += table(["name", "type", "meaning"], rows)
    returned = re.search(r"^RETURNS (.*?)(?=^\S|\Z)", cleaned(function), re.M | re.S)
    if returned:
        lines += paragraphs("Gives " + " ".join(returned[1].split()))
    if errors:
        lines += paragraphs("Errors: " + re.sub(r"\((\w+)\):", r"`\1`:", errors))
    return lines


def attributes_of(cls: type, known: Container[str]) -> List[List[str]]:
    """Rows of the properties and methods of a class that have a text."""
    rows = []
    for name, value in vars(cls).items():
        is_method = inspect.isfunction(value)
        is_shown = not name.startswith("_") and name not in known
        if is_shown and (is_method or isinstance(value, property)):
            text = doc_parts(inspect.getdoc(value) or "")[0]
            if text:
                shown = f"{name}()" if is_method else name
                rows.append([f"`{shown}`", "", plain(" ".join(text.split()))])
    return rows


def cleaned(function: Any) -> str:
    """The docstring without its indentation."""
    return inspect.getdoc(function) or ""


def models_page() -> List[str]:
    """Every bundled pipeline, by the `meta.json` of its package."""
    lines = ["# Models", "", NOTICE, ""]
    lines += paragraphs(
        "The pipelines of `packages/`. Scores are of dev sets with gold tokens, in "
        "percent, from each package's `meta.json`: `const_f`, UAS and LAS without "
        "punctuation, tags, lemmas. The [README](../../README.md#accuracy) has scores "
        "on test sets, the model cards ([sm](en_lal_sm.md), [md](en_lal_md.md), "
        "[lg](en_lal_lg.md)) have "
        "limits."
    )
    costs, scores, sources = [], [], []
    for path in sorted((FOLDER.parents[1] / "packages").glob("*/meta.json")):
        meta = json.loads(path.read_text(encoding="utf8"))
        name = f"{meta['lang']}_{meta['name']}"
        found = meta["performance"]
        first = found.get("ewt") or next(iter(found.values()))
        speed = first.get("words_per_second")  # None: not measured on that machine
        load, memory = FOOTPRINTS[name]
        costs.append(
            [
                f"`{name}` {meta['version']}",
                LANGUAGES[meta["lang"]],
                f"{megabytes(path.parent / name):.0f}",
                f"{speed:,.0f}" if speed else "",
                f"{load} s",
                f"{memory} MB",
                meta["license"],
                ", ".join(meta["requirements"]),
            ]
        )
        for data, of_data in found.items():
            keys = ("const_f", "dep_uas", "dep_las", "tag_acc", "lemma_acc")
            cells = [percent(of_data.get(key)) for key in keys]
            scores.append([f"`{name}`", data, *cells])
        for source in meta["sources"]:
            title = f"[{source['name']}]({source['url']})"
            sources.append([f"`{name}`", title, source["license"]])
    head = ["pipeline", "language", "MB", "words/s", "load", "memory", "licence"]
    lines += table([*head, "needs"], costs)
    lines += paragraphs(
        "Words a second: when its dev set was scored, with gold tokens, by one thread "
        "of an AMD EPYC with VNNI, `en_lal_sm` and `is_lal_md` as 0.1.0, which have "
        "the same shapes. Load: processor time after `import spacy`. Memory: the most "
        "of a process that loads it and parses a sentence. Load and memory are of one "
        "thread, without torch."
    )
    head = ["pipeline", "dev set", "const_f", "UAS", "LAS", "tags", "lemmas"]
    lines += ["## Scores", "", *table(head, scores)]
    lines += [
        "## Treebanks and encoders",
        "",
        *table(["pipeline", "source", "licence"], sources),
    ]
    return lines


def megabytes(folder: Path) -> float:
    """The size of a folder's files."""
    files = (path for path in folder.rglob("*") if path.is_file())
    kept = (path for path in files if path.suffix != ".pyc")
    return sum(path.stat().st_size for path in kept) / 1e6


def percent(share: Any) -> str:
    """A score as the tables have it; empty where there is none."""
    return "" if share is None else f"{100 * share:.2f}"


def pages() -> Dict[str, str]:
    """The text of each page, by the name of its file."""
    made = {
        "config.md": config_page(),
        "commands.md": commands_page(),
        "getters.md": getters_page(),
        "scores.md": scores_page(),
        "labels.md": labels_page(),
        "functions.md": functions_page(),
        "models.md": models_page(),
    }
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in made.items()}


def main() -> int:
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf8")
        print(f"Wrote {FOLDER / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
