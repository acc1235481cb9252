"""What do long sentences, long Docs and many Docs cost? Time and peak memory of a
pipeline.

    python benchmarks/speed/memory.py metrics/memory.jsonl python
    benchmarks/speed/memory.py metrics/memory.jsonl --pipeline training/model-best
    --lengths 1 100 --docs 1000

parses, each in a process of its own: one sentence of each length; one Doc of `--tokens`
tokens in sentences of 20; and `--docs` short Docs through `nlp.pipe`, with and without
`nlp.memory_zone()`, looked at ten times on the way; and `--texts` texts in batches of
several sizes. Words are drawn from a list; every tenth is made up and new, so that
vocabularies have something to keep. A line is added to the output file as soon as a
figure is there; present lines are not made again. At the end it prints Markdown tables.

Memory is resident memory in MB: "loaded" after a first short sentence, "peak" the most
since then. Where there is no /proc (outside of Linux) both are the most since the
process began, and loading may hide what comes later."""

import argparse
import json
import platform
import random
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any, Dict, Iterator, List

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

COMMON = (
    "the old dog sees a red car in park and she , who drives it , sleeps ; "
    "nobody asked him about that house"
).split()
SENTENCE_LENGTH = 20
STATUS = Path("/proc/self/status")
ZONE_DOCS = (
    1000  # Docs in one memory zone: what a program would read, write out and forget
)
Task = Dict[str, Any]


def resident_mb() -> float:
    """The resident memory of this process now; see above."""
    return _status("VmRSS")


def peak_mb() -> float:
    """The most since `reset_peak`; see above."""
    return _status("VmHWM")


def reset_peak() -> None:
    """Forget the peak so far, where the system can (proc(5), clear_refs)."""
    if STATUS.exists():
        STATUS.with_name("clear_refs").write_text("5", encoding="utf8")


def _status(name: str) -> float:
    if STATUS.exists():
        found = next(
            line
            for line in STATUS.read_text(encoding="utf8").splitlines()
            if line.startswith(name + ":")
        )
        return int(found.split()[1]) / 2**10
    unit = (
        2**20 if platform.system() == "Darwin" else 2**10
    )  # bytes there, KB elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def iter_words(seed: int) -> Iterator[str]:
    """Words without end, every tenth of them seen nowhere else."""
    rng = random.Random(seed)
    while True:
        for _ in range(9):
            yield rng.choice(COMMON)
        yield "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=9))


def make_doc(nlp: Language, n_tokens: int, sentence_length: int, seed: int) -> Doc:
    """A Doc with sentence boundaries, which a `senter` leaves alone."""
    starts = [i % sentence_length == 0 for i in range(n_tokens)]
    return Doc(
        nlp.vocab, words=list(islice(iter_words(seed), n_tokens)), sent_starts=starts
    )


def load(task: Task) -> Language:
    """The pipeline of a task, after a first sentence."""
    nlp = spacy.load(task["pipeline"])
    nlp(make_doc(nlp, 8, 8, seed=0))
    return nlp


def measure_sentence(nlp: Language, task: Task) -> Dict[str, Any]:
    """One sentence of a length, and which way it was parsed."""
    doc = nlp(make_doc(nlp, task["length"], task["length"], seed=1))
    return {"method": doc[:]._.parse_method}


def measure_doc(nlp: Language, task: Task) -> Dict[str, Any]:
    """One long Doc in ordinary sentences."""
    doc = nlp(make_doc(nlp, task["tokens"], SENTENCE_LENGTH, seed=1))
    return {"sentences": sum(1 for _ in doc.sents)}


def measure_docs(nlp: Language, task: Task) -> Dict[str, Any]:
    """Many short Docs, of 5 to 15 tokens, and the memory after each tenth of them."""
    tenth = max(1, task["docs"] // 10)
    rng = random.Random(1)
    resident = []
    for numbers in minibatch(range(task["docs"]), tenth):
        for zone in minibatch(numbers, ZONE_DOCS):
            if task["memory_zone"]:
                with nlp.memory_zone():
                    _pipe(nlp, zone, rng)
            else:
                _pipe(nlp, zone, rng)
        resident.append(round(resident_mb()))
    return {"resident_mb": resident}


def _pipe(nlp: Language, numbers: List[int], rng: random.Random) -> None:
    docs = (make_doc(nlp, rng.randint(5, 15), SENTENCE_LENGTH, seed=i) for i in numbers)
    for doc in nlp.pipe(docs):
        doc._.parse_string  # noqa: B018  (a getter, which reads the tree)


def measure_texts(nlp: Language, task: Task) -> Dict[str, Any]:
    """Short texts through `nlp.pipe` in batches of one size."""
    rng = random.Random(1)
    docs = (
        make_doc(nlp, rng.randint(5, 35), SENTENCE_LENGTH, seed=i)
        for i in range(task["texts"])
    )
    return {
        "words": sum(len(doc) for doc in nlp.pipe(docs, batch_size=task["batch_size"]))
    }


MEASURES = {
    "sentence": measure_sentence,
    "doc": measure_doc,
    "docs": measure_docs,
    "texts": measure_texts,
}


def tasks(args: argparse.Namespace) -> List[Task]:
    """All that is measured, in order."""
    sentences: List[Task] = [
        {"kind": "sentence", "length": length} for length in args.lengths
    ]
    rest: List[Task] = [{"kind": "doc", "tokens": args.tokens}]
    rest += [
        {"kind": "docs", "docs": args.docs, "memory_zone": zone}
        for zone in (True, False)
    ]
    rest += [
        {"kind": "texts", "texts": args.texts, "batch_size": size}
        for size in args.batch_sizes
        if args.texts
    ]
    return [
        {"pipeline": args.pipeline, **task}
        for task in sentences + rest
        if task.get("docs", 1)
    ]


def run_task(task: Task) -> Dict[str, Any]:
    """Measure in this process."""
    nlp = load(task)
    reset_peak()
    loaded, start = resident_mb(), time.perf_counter()
    found = MEASURES[task["kind"]](nlp, task)
    seconds = time.perf_counter() - start
    return {
        **task,
        "version": nlp.meta["version"],
        "seconds": round(seconds, 3),
        "loaded_mb": round(loaded),
        "peak_mb": round(peak_mb()),
        **found,
    }


def run_in_process(task: Task, timeout: float) -> Dict[str, Any]:
    """Measure in a process of its own; where it fails or takes too long, the line says
    so."""
    command = [sys.executable, __file__, "--task", json.dumps(task)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {**task, "error": f"more than {timeout:.0f} s"}
    if done.returncode:
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {**task, "error": f"exit code {done.returncode}: {last_line}"}
    return json.loads(done.stdout.splitlines()[-1])


def print_tables(lines: List[Dict[str, Any]]) -> None:
    """The figures as Markdown."""

    def row(*cells: Any) -> None:
        print("| " + " | ".join(map(str, cells)) + " |")

    row("what", "parsed", "seconds", "loaded, MB", "peak, MB")
    row("---", "---", "--:", "--:", "--:")
    for line in lines:
        name = {
            "sentence": "a sentence of {length} tokens",
            "doc": "a Doc of {tokens} tokens",
            "docs": "{docs} short Docs, memory zone: {memory_zone}",
            "texts": "{texts} texts of 5 to 35 words, batches of {batch_size}",
        }[line["kind"]].format(**line)
        if "error" in line:
            row(name, line["error"], "", "", "")
        else:
            row(
                name,
                line.get("method", ""),
                line["seconds"],
                line["loaded_mb"],
                line["peak_mb"],
            )
    for line in lines:
        if "resident_mb" in line:
            print(
                f"\nMB after each tenth of {line['docs']} Docs, memory zone "
                f"{line['memory_zone']}:",
                end=" ",
            )
            print(", ".join(map(str, line["resident_mb"])))


def main() -> int:
    """Measure what is not in the file yet, and print all of it; 1 where something
    failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "output", type=Path, nargs="?", help="file of JSON lines, added to"
    )
    parser.add_argument(
        "--pipeline",
        default="en_lal_md",
        help="name or folder of a pipeline with a lal_parser",
    )
    parser.add_argument(
        "--lengths",
        type=int,
        nargs="*",
        default=[1, 100, 300, 1000, 5000],
        help="of sentences",
    )
    parser.add_argument("--tokens", type=int, default=100_000, help="of one long Doc")
    parser.add_argument(
        "--docs", type=int, default=100_000, help="number of short Docs, 0 for none"
    )
    parser.add_argument(
        "--texts", type=int, default=1000, help="texts in batches, 0 for none"
    )
    parser.add_argument(
        "--batch-sizes",
        type=int,
        nargs="+",
        default=[16, 64, 128, 256],
        help="of these texts",
    )
    parser.add_argument(
        "--timeout", type=float, default=7200.0, help="seconds for one figure"
    )
    parser.add_argument("--task", type=json.loads, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        print(json.dumps(run_task(args.task)))
        return 0
    if args.output is None:
        parser.error("expected a file for the figures")
    args.output.parent.mkdir(parents=True, exist_ok=True)
    done = (
        args.output.read_text(encoding="utf8").splitlines()
        if args.output.exists()
        else []
    )
    lines = [json.loads(line) for line in done]
    for task in tasks(args):
        if not any(task.items() <= line.items() for line in lines):
            lines.append(run_in_process(task, args.timeout))
            with args.output.open("a", encoding="utf8") as file:
                file.write(json.dumps(lines[-1]) + "\n")
    print_tables(lines)
    return int(any("error" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
