"""docs/how_to/ner.md from top to bottom: both configs train, and what they trained
joins the bundled pipeline."""

import re
from pathlib import Path
from typing import Any, Dict

import pytest
import spacy
from documents import ROOT, blocks, run_command, run_python
from spacy.language import Language

PAGE = ROOT / "docs" / "how_to" / "ner.md"
SHORT = ("--training.max_steps", "40", "--training.eval_frequency", "40")


def sections(config: str) -> Dict[str, Any]:
    return dict(
        re.findall(r"^\[([\w.]+)\]\n(.*?)(?=^\[|\Z)", config, re.MULTILINE | re.DOTALL)
    )


@pytest.mark.slow
def test_the_page(
    en_lal_md: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
):
    pytest.importorskip("torch")
    frozen, changes = map(
        sections,
        re.findall(r"```ini\n(.*?)```", PAGE.read_text(encoding="utf8"), re.DOTALL),
    )
    width = en_lal_md.get_pipe("encoder").model.get_dim("nO")  # type: ignore[attr-defined]
    assert frozen["components.ner.model.tok2vec"].splitlines()[1] == f"width = {width}"
    monkeypatch.chdir(tmp_path)
    for name, blocks_of in (
        ("ner", frozen),
        ("tuned", {**frozen, **changes, "components.encoder": None}),
    ):
        lines = (
            f"[{key}]\n{body}" for key, body in blocks_of.items() if body is not None
        )
        Path(f"{name}.cfg").write_text("".join(lines), encoding="utf8")
    names: Dict[str, Any] = {}
    for block in blocks(PAGE):
        if block.language == "python":
            run_python(block.code, PAGE, names)
        else:
            run_command(block.code, SHORT if " train " in block.code else ())
    joined = spacy.load("en_mine")
    doc, own = (
        joined("Ada Lovelace wrote to Charles Babbage."),
        en_lal_md("Ada Lovelace wrote to Charles Babbage."),
    )
    assert doc._.parse_string == own._.parse_string
    assert [ent.text for ent in doc.ents] == [
        "Ada Lovelace",
        "Charles Babbage",
    ] and doc.cats["history"] > 0.5
    assert "(S (NP (NNP Ada) (NNP Lovelace))" in capsys.readouterr().out
