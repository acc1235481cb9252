"""Hostile checkpoint files for `import-official`: refused by `CheckpointError` that names the file, or read.

Cases run in a process of their own, which may take half a gigabyte more than it takes with torch imported, and twenty
seconds for a case. Python reports what is opened, imported, compiled or started there (audit events): while a file is
read, that may only be the file itself. Afterwards `torch.load` must read a good file, and torch be as it was.
"""

import builtins
import collections
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Set

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":  # the process of its own: it runs this file
    sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tests")]
from fuzzing import Report  # noqa: E402

MAX_BYTES = 2**29
MAX_SECONDS = 20
MAX_MESSAGE = 3000  # a list of twenty weights for each kind of problem
HARMLESS = {"builtins.id"}  # audit events
CANARIES = [(os, "system"), (subprocess, "Popen"), (builtins, "eval"), (builtins, "exec")]


class TooSlow(BaseException):
    """A case took more than MAX_SECONDS."""


def fuzz(n: int, seed: int) -> Report:
    """Read `n` hostile files in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).resolve()), str(n), str(seed), folder]
        ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        reached = Path(folder, "reached")
        if ended.returncode == 0:
            return Report(**json.loads(ended.stdout.splitlines()[-1]))
        case = reached.read_text() if reached.exists() else "none"
        last = (ended.stderr.strip().splitlines() or ["nothing on stderr"])[-1]
        return Report(n, "died", [f"case {case}: the process ended with {ended.returncode}: {last}"])


class Watch:
    """Notes what happens in this process while a file is read.

    folder (Path): Where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "case.pt"
        self.on = False
        self.seen: Set[str] = set()
        sys.addaudithook(self._hook)
        for module, attribute in CANARIES:
            setattr(module, attribute, self._canary(getattr(module, attribute), attribute))

    def _hook(self, event: str, args: Any) -> None:
        if not self.on or event in HARMLESS:
            return
        if event != "open" or str(args[0]) != str(self.path) or args[1] not in ("r", "rb"):
            self.seen.add(f"{event} {args!r:.80}")

    def _canary(self, function: Any, attribute: str) -> Any:
        if isinstance(function, type):
            return function  # a subclass elsewhere needs the class; the audit event tells

        def noted(*args: Any, **kwargs: Any) -> Any:
            if self.on:
                self.seen.add(f"a call of {attribute}")
            return function(*args, **kwargs)

        return noted


def state_of_torch() -> Dict[str, Any]:
    """What a BUILD could have changed."""
    import torch

    functions = {key: value for key, value in vars(torch._utils).items() if callable(value)}
    attributes = {key: repr(vars(value)) for key, value in functions.items() if hasattr(value, "__code__")}
    return {"functions": functions, "attributes": attributes, "modules": set(sys.modules)}


def run_cases(n: int, seed: int, folder: Path) -> Report:
    """Read the files in this process, whose memory is limited from here on."""
    import torch

    from fuzzing.pickle_cases import Cases
    from spacy_lal.checkpoint.convert import load_network
    from spacy_lal.checkpoint.reader import CheckpointError, read_checkpoint

    cases, watch = Cases(folder), Watch(folder)
    for good in cases.good:  # what is imported on the first use is not a case's doing
        watch.path.write_bytes(good)
        load_network(read_checkpoint(watch.path))
    file = io.BytesIO()
    torch.save(collections.OrderedDict(w=torch.arange(3)), file)
    limit_memory()
    signal.signal(signal.SIGALRM, too_slow)
    outcomes: Dict[str, int] = collections.Counter()
    failures: List[str] = []
    before = state_of_torch()
    for case in range(n):
        (folder / "reached").write_text(f"{seed}:{case}")
        kind, data = cases.make(random.Random(f"{seed}:{case}"))
        watch.path.write_bytes(data)
        wrong, outcome = "", "refused"
        watch.seen, watch.on = set(), True
        signal.alarm(MAX_SECONDS)
        try:
            checkpoint = read_checkpoint(watch.path)
            outcome = "read and refused as a network"
            load_network(checkpoint)
            outcome = "read"
        except CheckpointError as error:
            named = outcome != "refused" or str(error).startswith(f"{watch.path}: ")
            wrong = "" if named and len(str(error)) < MAX_MESSAGE else f"message {str(error)[:200]}"
        except BaseException as error:  # noqa: B036  whatever it is, it is a failure
            wrong = f"{type(error).__name__}: {str(error)[:200]}"
        signal.alarm(0)
        watch.on = False
        file.seek(0)
        if torch.load(file)["w"].tolist() != [0, 1, 2] or state_of_torch() != before:
            wrong, before = f"torch is not as it was {wrong}", state_of_torch()
        if watch.seen:
            wrong = f"{wrong} {sorted(watch.seen)[:5]}"
        outcomes[outcome] += 1
        if wrong:
            failures.append(f"case {seed}:{case} ({kind}, {len(data)} bytes): {wrong}")
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return Report(n, told, failures)


def too_slow(*_: Any) -> None:
    """For the alarm."""
    raise TooSlow(f"more than {MAX_SECONDS} s")


def limit_memory() -> None:
    """Let this process take MAX_BYTES more than it has. Only where the system counts its pages (Linux)."""
    status = Path("/proc/self/statm")
    if status.exists():
        import resource

        limit = int(status.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") + MAX_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    report = run_cases(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    sys.stdout.write(json.dumps(report._asdict()) + "\n")
