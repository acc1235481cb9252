"""The service of docs/how_to/serve.md, started and asked by 64 clients at once over a loopback socket."""

import importlib.util
import json
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
pytestmark = pytest.mark.skipif(not spacy.util.is_package("en_lal_md"), reason="needs the bundled pipeline")
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
    code = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf8"), re.MULTILINE | re.DOTALL)
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


def ask(address: str, content: Dict[str, Any]) -> Any:
    body = json.dumps(content).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.load(response)


def test_64_clients_get_the_answers_of_lone_calls(service):
    module, address = service
    expected = [module.parse([text])[0] for text in TEXTS]
    assert expected[0]["trees"][0].startswith("(S") and expected[0]["heads"] == [1, 1, 1]
    sizes, parse = [], module.parse
    module.parse = lambda texts: sizes.append(len(texts)) or parse(texts)
    try:
        with ThreadPoolExecutor(64) as pool:
            found = list(pool.map(lambda i: ask(address, {"text": TEXTS[i % len(TEXTS)]}), range(128)))
    finally:
        module.parse = parse
    assert found == [expected[i % len(TEXTS)] for i in range(128)]
    assert sum(sizes) == 128 and max(sizes) > 1, "requests are parsed together"


def test_an_error_is_told_and_the_service_goes_on(service, monkeypatch):
    module, address = service
    with pytest.raises(urllib.error.HTTPError, match="422"):
        ask(address, {"txt": "It rained."})

    def fail(texts):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(module, "parse", fail)
    with pytest.raises(urllib.error.HTTPError) as caught:
        ask(address, {"text": "It rained."})
    assert caught.value.code == 500 and b"RuntimeError: out of memory" in caught.value.read()
    monkeypatch.undo()
    assert ask(address, {"text": "It rained."}) == module.parse(["It rained."])[0]
