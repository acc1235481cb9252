"""`speed.py service`: a server that many clients ask at once. Requests a second, and
how long an answer takes.

The server is the one of docs/how_to/serve.md, in a process of its own. Needs the extra
`serve`."""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List

import numpy
import spacy

from speed.sentences import group, make_text, read_sentences
from speed.timing import at_least_one, markdown, needs

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "how_to" / "serve.md"
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
START_SECONDS = 120


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `--help`."""
    parser.add_argument("source", type=Path, help=".spacy, .conllu or text file")
    parser.add_argument(
        "--requests",
        type=at_least_one,
        default=512,
        help="for each number of clients (default: 512)",
    )
    parser.add_argument(
        "--clients",
        type=at_least_one,
        nargs="+",
        default=[1, 8, 64],
        help="(default: 1 8 64)",
    )


def measure(args: argparse.Namespace) -> Dict[str, Any]:
    """Ask the server with each number of clients. RETURNS (Dict[str, Any]): See
    `table`."""
    needs("serve", "fastapi", "uvicorn")
    sentences = read_sentences(args.source, spacy.blank("en"), 100_000)
    texts = [make_text(one) for one in group(sentences, 1)]
    texts = [texts[i % len(texts)] for i in range(args.requests)]
    with running() as address:
        lone = [ask(address, text)[1] for text in texts]
        rows = [
            ask_at_once(address, texts, lone, n_clients) for n_clients in args.clients
        ]
    return {
        "requests": len(texts),
        "rows": rows,
        "version": spacy.util.get_package_version("en_lal_md"),
    }


@contextmanager
def running() -> Iterator[str]:
    """The server in a process of its own. YIELDS (str): Its address."""
    code = CODE.search(PAGE.read_text(encoding="utf8"))
    if code is None:
        raise ValueError(f"expected a Python block in {PAGE}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "service.py").write_text(code.group(1), encoding="utf8")
        command = [
            sys.executable,
            "-m",
            "uvicorn",
            "service:app",
            "--port",
            str(port),
            "--log-level",
            "error",
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        server = subprocess.Popen(command, cwd=folder, env=environment)
        try:
            address = f"http://127.0.0.1:{port}/parse"
            wait_for(address, server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


def wait_for(address: str, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the server answers. RAISES (RuntimeError): It ended, or did not answer
    in time."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            ask(address, "It rained.")
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(
        f"the server did not start: exit code {server.poll()} (pip install "
        "'spacy-lal[serve]'?)"
    )


def ask(address: str, text: str) -> Any:
    """RETURNS (Tuple[float, Any]): Seconds and answer."""
    request = urllib.request.Request(
        address,
        json.dumps({"text": text}).encode(),
        {"Content-Type": "application/json"},
    )
    start = time.perf_counter()
    with urllib.request.urlopen(request, timeout=120) as response:
        answer = json.load(response)
    return time.perf_counter() - start, answer


def ask_at_once(
    address: str, texts: List[str], lone: List[Any], n_clients: int
) -> Dict[str, Any]:
    """Ask all texts, `n_clients` at a time."""
    start = time.perf_counter()
    with ThreadPoolExecutor(n_clients) as pool:
        answers = list(pool.map(lambda text: ask(address, text), texts))
    seconds = time.perf_counter() - start
    p50, p95 = numpy.percentile([one for one, _ in answers], [50, 95])
    differ = sum(
        answer != expected for (_, answer), expected in zip(answers, lone, strict=True)
    )
    return {
        "clients": n_clients,
        "per_second": len(texts) / seconds,
        "p50": p50,
        "p95": p95,
        "differ": differ,
    }


def table(result: Dict[str, Any]) -> str:
    """Markdown."""
    header = [
        "clients",
        "requests/s",
        "p50, ms",
        "p95, ms",
        "answers that differ from lone ones",
    ]
    rows = [
        [
            row["clients"],
            f"{row['per_second']:.0f}",
            f"{row['p50'] * 1e3:.0f}",
            f"{row['p95'] * 1e3:.0f}",
            row["differ"],
        ]
        for row in result["rows"]
    ]
    about = (
        f"en_lal_md {result['version']}, {result['requests']} requests of one sentence "
        "for each row, one process of"
    )
    return f"{about} one thread\n\n{markdown(header, rows)}"
