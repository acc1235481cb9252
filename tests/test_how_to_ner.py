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


@pytest.mark.slow
def test_the_page(
    en_lal_md: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
):
    pytest.importorskip("torch")
    page = PAGE.read_text(encoding="utf8")
    frozen, tuned = re.findall(r"```ini\n(.*?)```", page, re.DOTALL)
    width = en_lal_md.get_pipe("encoder").model.get_dim("nO")  # type: ignore[attr-defined]
    assert frozen.count(f"\nwidth = {width}\n") == 2
    monkeypatch.chdir(tmp_path)
    Path("ner.cfg").write_text(frozen, encoding="utf8")
    Path("tuned.cfg").write_text(tuned, encoding="utf8")
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
