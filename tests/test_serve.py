"""The service of docs/how_to/serve.md, started and asked by 64 clients at once over a
loopback socket."""

import importlib.util
import json
import logging
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest
import spacy

uvicorn = pytest.importorskip("uvicorn")
pytest.importorskip("fastapi")

PAGE = Path(__file__).resolve().parent.parent / "docs" / "how_to" / "serve.md"
pytestmark = pytest.mark.skipif(
    not spacy.util.is_package("en_lal_md"), reason="needs the bundled pipeline"
)
TEXTS = [
    "It rained.",
    "The old cat sleeps on the mat. We saw her!",
    "",
    "  \n ",
    "She gave him the book that he had asked for, although nobody knew why.",
    "猫 🐈 é",
    "Dogs bark loudly " * 20,
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tuple[Any, str]]:
    """The module of the page, and the address that it listens at."""
    code = re.search(
        r"^```python\n(.*?)^```$",
        PAGE.read_text(encoding="utf8"),
        re.MULTILINE | re.DOTALL,
    )
    path = tmp_path_factory.mktemp("serve") / "service.py"
    path.write_text(code.group(1), encoding="utf8")  # type: ignore[union-attr]
    spec = importlib.util.spec_from_file_location("service", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        server = uvicorn.Server(uvicorn.Config(module.app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield module, f"http://127.0.0.1:{listener.getsockname()[1]}/parse"
        server.should_exit = True
        thread.join(timeout=30)
    assert not thread.is_alive()


def ask(address: str, content: Dict[str, Any], timeout: float = 120) -> Any:
    request = urllib.request.Request(address, json.dumps(content).encode())
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return json.load(response)


def refusal(address: str, body: bytes) -> Tuple[int, bytes]:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(address, body), timeout=120)
    return caught.value.code, caught.value.read()


def status_of(address: str, content: Dict[str, Any]) -> int:
    try:
        ask(address, content)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def test_64_clients_get_the_answers_of_lone_calls(service):
    module, address = service
    expected = [module.parse([text])[0] for text in TEXTS]
    assert expected[0]["trees"][0].startswith("(S") and expected[0]["heads"] == [
        1,
        1,
        1,
    ]
    sizes, parse = [], module.parse
    module.parse = lambda texts: sizes.append(len(texts)) or parse(texts)
    try:
        with ThreadPoolExecutor(64) as pool:
            found = list(
                pool.map(
                    lambda i: ask(address, {"text": TEXTS[i % len(TEXTS)]}), range(128)
                )
            )
    finally:
        module.parse = parse
    assert found == [expected[i % len(TEXTS)] for i in range(128)]
    assert sum(sizes) == 128 and max(sizes) > 1, "requests are parsed together"


def test_an_error_is_told_and_the_service_goes_on(service, monkeypatch):
    module, address = service
    expected = module.parse(TEXTS[:1])[0]

    def fail(texts):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(module.nlp, "pipe", fail)
    assert refusal(address, b'{"text": "It rained."}') == (
        500,
        b'{"detail":"RuntimeError: out of memory"}',
    )
    monkeypatch.undo()
    assert ask(address, {"text": TEXTS[0]}) == expected


@pytest.mark.parametrize(
    "body, status, reason",
    [
        (b'{"text": "a \\ud800 b"}', 422, b"unicode"),
        (b'{"text": NaN}', 422, b"valid string"),
        (b'{"txt": "It rained."}', 422, b"expected {"),
        (
            b'{"text": "' + b"secret " * 20_000 + b'"}',
            422,
            b"at most 100000 characters",
        ),
        (b'{"text": "' + b"x" * 2_000_000 + b'"}', 413, b"at most 1200100 bytes"),
        (b'{"text": "\xff"}', 422, b"UTF-8"),
        (b"[" * 10_000, 422, b"JSON"),
        (b"[" * 500_000, 422, b"JSON"),
        (b"secret", 422, b"JSON"),
        (b'["secret"]', 422, b"expected {"),
        (b'{"texts": "secret"}', 422, b"a list of at most 1000 texts"),
        (json.dumps({"texts": ["a"] * 1001}).encode(), 422, b"at most 1000 texts"),
        (json.dumps({"text": "( " * 40_000}).encode(), 422, b"at most 30 words"),
    ],
    ids=[
        "surrogate",
        "NaN",
        "no text",
        "too long",
        "too large",
        "not UTF-8",
        "too deep",
        "far too deep",
        "no JSON",
        "no object",
        "no list of texts",
        "too many texts",
        "too many words",
    ],
)
def test_what_is_refused_is_not_sent_back(service, body, status, reason, monkeypatch):
    module, address = service
    monkeypatch.setattr(module, "MAX_WORDS", 30)
    found, answer = refusal(address, body)
    assert found == status and reason in answer
    assert b"secret" not in answer and len(answer) < 300


def test_a_text_that_fails_is_answered_by_its_number(service, monkeypatch):
    """Others of the request have the answers that they have alone."""
    module, address = service
    monkeypatch.setattr(module, "MAX_WORDS", 300)
    as_json = module.as_json

    def fail(doc):
        if doc.text == "Fail.":
            raise RuntimeError("this one")
        return as_json(doc)

    monkeypatch.setattr(module, "as_json", fail)
    texts = [
        "It rained.",
        "a \ud800 b",
        5,
        "x" * 100_001,
        "( " * 400,
        "Fail.",
        "",
        "She waits.",
    ]
    found = ask(address, {"texts": texts})["parses"]
    alone = [ask(address, {"text": texts[i]}) for i in (0, 6, 7)]
    assert [found[i] for i in (0, 6, 7)] == alone
    assert alone[2]["words"] == ["She", "waits", "."]
    failed = found[1:6]
    assert [one["number"] for one in failed] == [1, 2, 3, 4, 5]
    expected = (
        "as a unicode string",
        "valid string",
        "at most 100000 characters",
        "at most 300 words, got 400",
        "RuntimeError: this one",
    )
    for one, reason in zip(failed, expected, strict=True):
        assert reason in str(one["error"])
    assert ask(address, {"texts": []}) == {"parses": []}


def test_batches_have_a_bound_and_a_failing_text_fails_alone(service, monkeypatch):
    module, address = service
    sizes, parse, as_json = [], module.parse, module.as_json

    def spy(texts):
        sizes.append([len(text) for text in texts])
        time.sleep(0.02)  # others arrive
        return parse(texts)

    def quick(doc):
        if doc.text == "Fail.":
            raise RuntimeError("this one")
        return as_json(module.nlp.make_doc(doc.text[:9]))

    monkeypatch.setattr(module, "parse", spy)
    monkeypatch.setattr(module.nlp, "pipe", lambda docs: docs)
    monkeypatch.setattr(module, "as_json", quick)
    texts = ["x" * size for size in (100_000, 15_000, 6000, 400)] + ["Fail."]
    with ThreadPoolExecutor(64) as pool:
        found = list(
            pool.map(lambda i: status_of(address, {"text": texts[i % 5]}), range(64))
        )
    assert found == [500 if i % 5 == 4 else 200 for i in range(64)]
    assert max(map(len, sizes)) > 1 and all(
        sum(batch) <= 20_000 or len(batch) == 1 for batch in sizes
    )


def test_a_client_that_has_gone_is_not_parsed(service, monkeypatch):
    module, address = service
    seen, parse, gone = [], module.parse, threading.Event()

    def spy(texts):
        seen.extend(texts)
        assert gone.wait(30)
        return parse(texts)

    monkeypatch.setattr(module, "parse", spy)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(ask, address, {"text": "It rained."})
        while not seen:
            time.sleep(0.01)
        host, port = address.split("/")[2].split(":")
        body = b'{"text": "Nobody waits."}'
        with socket.create_connection((host, int(port))) as client:
            client.sendall(
                b"POST /parse HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body)
            )
            while module.waiting.empty():
                time.sleep(0.01)
        time.sleep(0.2)  # the server reads the end
        gone.set()
        assert first.result()["words"] and ask(address, {"text": "She waits."})[
            "words"
        ] == ["She", "waits", "."]
    assert seen == ["It rained.", "She waits."]


def test_a_client_that_goes_within_its_request_is_no_error(
    service, caplog, monkeypatch
):
    _, address = service
    monkeypatch.setattr(
        logging.getLogger("uvicorn.error"), "handlers", [caplog.handler]
    )
    host, port = address.split("/")[2].split(":")
    with socket.create_connection((host, int(port))) as client:
        client.sendall(
            b'POST /parse HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"text"'
        )
    time.sleep(0.2)  # the server reads the end
    assert ask(address, {"text": "She waits."})["words"] and not caplog.records


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(),
    reason="reads the peak of memory from /proc",
)
def test_memory_of_64_large_texts(service):
    """64 texts of 2,000 characters take 800 MB in one batch, and 20,000 characters 230
    MB."""
    _, address = service
    ask(address, {"text": TEXTS[1]})
    Path("/proc/self/clear_refs").write_text("5")  # the peak is what is used now
    before = memory("VmRSS")
    text = "The old cat sleeps on the mat, although nobody knew why she had come. " * 30
    with ThreadPoolExecutor(64) as pool:
        found = list(
            pool.map(
                lambda i: ask(address, {"text": text[i : i + 2000]}, 3000), range(64)
            )
        )
    assert all(len(one["trees"]) > 25 for one in found)
    assert memory("VmHWM") - before < 400_000


def memory(name: str) -> int:
    """Of this process, in kB."""
    (line,) = [
        one
        for one in Path("/proc/self/status").read_text().splitlines()
        if one.startswith(name)
    ]
    return int(line.split()[1])


def test_half_sent_requests_are_answered(service, monkeypatch):
    """They do not hold their places for ever."""
    module, address = service
    monkeypatch.setattr(module, "READ_SECONDS", 0.5)
    port = int(address.rsplit(":", 1)[1].split("/")[0])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(
            b"POST /parse HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"
        )
        connection.settimeout(20)
        assert connection.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_a_short_text_goes_before_long_ones(service, monkeypatch):
    module, address = service
    order = []
    parse = module.parse

    def slowly(texts):
        time.sleep(0.3)
        order.extend(map(len, texts))
        return parse(texts)

    monkeypatch.setattr(module, "parse", slowly)
    monkeypatch.setattr(module, "BATCH_CHARS", 40)
    long = [f"Dogs bark loudly at {i}." * 2 for i in range(4)]
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(ask, address, {"text": text}) for text in long]
        time.sleep(0.15)
        short = pool.submit(ask, address, {"text": "It rained."})
        assert short.result()["words"] == ["It", "rained", "."]
        [one.result() for one in waiting]
    assert order.index(len("It rained.")) <= 1 and len(order) == 5
