#!/usr/bin/env python
"""How large the package is, how many options its configs have, and through how many of
its files the data goes.

    python benchmarks/house.py [--pipeline en_lal_md] [--list]

A file counts where one of its functions runs; importing it does not count. Options are
the parameters of all registered functions: factories (without `nlp` and `name`),
architectures, blocks, readers, scorers, callbacks, optimizers."""

import argparse
import inspect
import re
import sys
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "spacy_lal"
WORDS = "She sees a dog in the park .".split()
LIMITS = {
    "lines": 22_000,
    "files": 130,
    "raise": 250,
    "options": 150,
    "a Doc to its parse": 20,
    "a Doc to its roles": 18,
    "a gold tree to its loss": 18,
    "gold roles to their loss": 18,
    "spacy.load": 30,
}


def registered() -> Iterator[Tuple[str, Any]]:
    """Names and functions of the entry points that a config may name."""
    parser = ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(ROOT / "setup.cfg", encoding="utf8")
    for group, lines in parser["options.entry_points"].items():
        if group not in ("spacy_cli", "spacy_displacy_colors"):
            for line in lines.strip().splitlines():
                name, _, place = (part.strip() for part in line.partition("="))
                module, _, function = place.partition(":")
                yield name, getattr(import_module(module), function)


def options() -> Dict[str, int]:
    """The number of options of each registered function."""
    return {
        name: sum(
            one not in ("nlp", "name") for one in inspect.signature(function).parameters
        )
        for name, function in registered()
    }


def files_of(run: Callable[[], Any]) -> List[str]:
    """The files of the package that have a function which runs in a call."""
    found: Set[str] = set()

    def see(frame: Any, event: str, argument: Any) -> None:
        if (
            event == "call"
            and frame.f_code.co_name != "<module>"
            and frame.f_code.co_filename.startswith(str(PACKAGE))
        ):
            found.add(frame.f_code.co_filename)

    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(None)
    return sorted(str(Path(name).relative_to(PACKAGE)) for name in found)


def ways(pipeline: str) -> Dict[str, List[str]]:
    """The files that the data goes through."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example

    loaded: List[Any] = []
    found = {"spacy.load": files_of(lambda: loaded.append(spacy.load(pipeline)))}
    nlp = loaded[0]
    factories = {nlp.get_pipe_meta(name).factory: pipe for name, pipe in nlp.pipeline}
    parser, roles = factories["lal_parser"], factories.get("lal_srl")

    def read(*, until: Any) -> Doc:
        doc = Doc(
            nlp.vocab, words=WORDS, sent_starts=[i == 0 for i in range(len(WORDS))]
        )
        for _, pipe in nlp.pipeline:
            if pipe is until:
                return doc
            doc = pipe(doc)
        return doc

    for name, pipe in (("a Doc to its parse", parser), ("a Doc to its roles", roles)):
        if pipe is not None:
            pipe(read(until=pipe))  # what is made once, at first use
            doc = read(until=pipe)
            found[name] = files_of(lambda doc=doc, pipe=pipe: pipe(doc))
    for name, pipe in (
        ("a gold tree to its loss", parser),
        ("gold roles to their loss", roles),
    ):
        if pipe is not None:
            example = Example(read(until=pipe), read(until=None))
            for (
                layer
            ) in pipe.model.walk():  # listeners that wait for their upstream component
                if hasattr(layer, "upstream_name"):
                    upstream = nlp.get_pipe(layer.upstream_name)
                    upstream.update([example])
            pipe.update([example], sgd=None)  # what is made once, at first use
            found[name] = files_of(
                lambda example=example, pipe=pipe: pipe.update([example], sgd=None)
            )
    return found


def main() -> None:
    """Print the measures, and their limits."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pipeline", default="en_lal_md")
    parser.add_argument(
        "--list",
        action="store_true",
        help="print the files of each way, and the options of each name",
    )
    args = parser.parse_args()
    texts = [path.read_text(encoding="utf8") for path in sorted(PACKAGE.rglob("*.py"))]
    counted, files = options(), ways(args.pipeline)
    measures = {
        "lines": sum(text.count("\n") for text in texts),
        "files": len(texts),
        "raise": sum(
            len(re.findall(r"^\s*raise( |$)", text, re.MULTILINE)) for text in texts
        ),
        "options": sum(counted.values()),
        **{name: len(found) for name, found in files.items()},
    }
    for name, limit in LIMITS.items():
        print(f"{name:26}{measures.get(name, 0):>8,}   at most {limit:,}")
    if args.list:
        for name, found in files.items():
            print(f"\n{name}\n  " + "\n  ".join(found))
        print(
            "\noptions\n"
            + "\n".join(
                f"  {n:3}  {name}"
                for name, n in sorted(counted.items(), key=lambda x: -x[1])
            )
        )


if __name__ == "__main__":
    main()
