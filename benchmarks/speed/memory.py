"""What do long sentences, long Docs and many Docs cost? Time and peak memory of a
pipeline.

    python benchmarks/speed/memory.py metrics/memory.jsonl
    python benchmarks/speed/memory.py metrics/memory.jsonl training/model-best

parses, each in a process of its own: one sentence of each length; one Doc of 100,000
tokens in sentences of 20; 100,000 short Docs through `nlp.pipe`, with and without
`nlp.memory_zone()`, looked at ten times on the way; and 1,000 texts in batches of
several sizes. Words are drawn from a list; every tenth is made up and new, so that
vocabularies have something to keep. A line is added to the output file as soon as a
figure is there; present lines are not made again. At the end it prints a Markdown
table.

Memory is resident memory in MB: "loaded" after a first short sentence, "peak" the most
since then. It needs /proc (Linux)."""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

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
ZONE_DOCS = 1000  # in one memory zone: read, written out and forgotten
N_DOCS, N_TEXTS = 100_000, 1000
Task = dict[str, Any]
TASKS: list[Task] = [
    *({"kind": "sentence", "n": length} for length in (1, 100, 300, 1000, 5000)),
    {"kind": "doc", "n": 100_000},
    *({"kind": "docs", "n": N_DOCS, "zone": zone} for zone in (True, False)),
    *({"kind": "texts", "n": N_TEXTS, "batch": size} for size in (16, 64, 128, 256)),
]
NAMES = {
    "sentence": "a sentence of {n} tokens",
    "doc": "a Doc of {n} tokens",
    "docs": "{n} short Docs, memory zone: {zone}",
    "texts": "{n} texts of 5 to 35 words, batches of {batch}",
}


def memory_mb(name: str) -> float:
    """The resident memory of this process now (VmRSS), or the most since the last reset
    (VmHWM)."""
    lines = STATUS.read_text(encoding="utf8").splitlines()
    line = next(line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 2**10


def iter_words(seed: int) -> Iterator[str]:
    """Words without end, every tenth of them seen nowhere else."""
    rng = random.Random(seed)
    while True:
        yield from rng.choices(COMMON, k=9)
        yield "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=9))


def make_doc(nlp: Language, n_tokens: int, sentence_length: int, seed: int) -> Doc:
    """A Doc with sentence boundaries, which a `senter` leaves alone."""
    starts = [i % sentence_length == 0 for i in range(n_tokens)]
    return Doc(nlp.vocab, list(islice(iter_words(seed), n_tokens)), sent_starts=starts)


def make_docs(nlp: Language, numbers: Sequence[int], longest: int) -> Iterator[Doc]:
    """Short Docs, of 5 tokens or more."""
    for number in numbers:
        n_tokens = random.Random(number).randint(5, longest)
        yield make_doc(nlp, n_tokens, SENTENCE_LENGTH, seed=number)


def measure(nlp: Language, task: Task) -> dict[str, Any]:
    """Parse what a task says, and tell what there is to tell of it."""
    n = task["n"]
    if task["kind"] == "sentence":
        return {"method": nlp(make_doc(nlp, n, n, seed=1))[:]._.parse_method}
    if task["kind"] == "doc":
        return {"method": f"{len([*nlp(make_doc(nlp, n, 20, seed=1)).sents])} sents"}
    if task["kind"] == "texts":
        docs = make_docs(nlp, range(n), longest=35)
        words = sum(len(doc) for doc in nlp.pipe(docs, batch_size=task["batch"]))
        return {"method": f"{words} words"}
    resident = []
    for numbers in minibatch(range(n), n // 10):
        for zone in minibatch(numbers, ZONE_DOCS):
            if task["zone"]:
                with nlp.memory_zone():
                    parse(nlp, zone)
            else:
                parse(nlp, zone)
        resident.append(f"{memory_mb('VmRSS'):.0f}")
    return {"method": f"after each tenth {', '.join(resident)} MB"}


def parse(nlp: Language, numbers: Sequence[int]) -> None:
    """Parse short Docs, and read their trees."""
    for doc in nlp.pipe(make_docs(nlp, numbers, longest=15)):
        doc._.parse_string  # noqa: B018  (a getter, which reads the tree)


def run_task(task: Task) -> Task:
    """Measure in this process."""
    nlp = spacy.load(task["pipeline"])
    nlp(make_doc(nlp, 8, 8, seed=0))
    STATUS.with_name("clear_refs").write_text("5", encoding="utf8")  # forget the peak
    loaded, start = memory_mb("VmRSS"), time.perf_counter()
    told = measure(nlp, task)
    seconds = round(time.perf_counter() - start, 3)
    memory = {"loaded_mb": round(loaded), "peak_mb": round(memory_mb("VmHWM"))}
    return {
        **task,
        "version": nlp.meta["version"],
        "seconds": seconds,
        **memory,
        **told,
    }


def run_in_process(task: Task) -> Task:
    """Measure in a process of its own; where it fails, the line says so."""
    command = [sys.executable, __file__, "", "--task", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last_line = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {**task, "method": f"exit code {done.returncode}: {last_line}"}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure what is not in the file yet, and print all of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, help="file of JSON lines, added to")
    parser.add_argument("pipeline", nargs="?", default="en_lal_md")
    parser.add_argument("--task", type=json.loads, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        print(json.dumps(run_task(args.task)))
        return
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with args.output.open("a+", encoding="utf8") as file:
        file.seek(0)
        lines = [json.loads(line) for line in file]
        for task in ({"pipeline": args.pipeline, **task} for task in TASKS):
            if not any(task.items() <= line.items() for line in lines):
                lines.append(run_in_process(task))
                print(json.dumps(lines[-1]), file=file, flush=True)
    print("| what | seconds | loaded, MB | peak, MB | parsed |\n|---|--:|--:|--:|---|")
    keys = ("seconds", "loaded_mb", "peak_mb", "method")
    for line in lines:
        cells = (str(line.get(key, "")) for key in keys)
        print(f"| {NAMES[line['kind']].format(**line)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
