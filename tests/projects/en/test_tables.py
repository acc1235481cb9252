"""The tables of all sets and of test scores."""

import json
from pathlib import Path

import pytest

CARD = "# Card\n\n## Test scores\n\n| old | 1 |\n\n## Confidence\n\nkept\n"
SCORES = {"const_f": 91.0, "UAS": 94.0, "LAS": 92.0, "tags": None, "UPOS": 97.0}
SCORES.update(lemmas=98.0, roles=82.0)
RAW = dict.fromkeys(("words", "sentences", "UPOS", "lemmas", "UAS", "LAS"), 90.5)


def test_a_loss_is_marked(script, tmp_path: Path, capsys):
    for folder, const_f, las in (("now", 0.9200, 0.9150), ("before", 0.9100, 0.9181)):
        (tmp_path / folder).mkdir()
        values = {"const_f": const_f, "dep_las": las, "dep_uas": None}
        values["roles"] = {"srl_f": 0.8}
        for name in ("dev.ewt.json", "dev.genia.json"):
            (tmp_path / folder / name).write_text(json.dumps(values), encoding="utf8")
    script("all_sets").main(tmp_path / "now", tmp_path / "before")
    *_, ewt, genia = capsys.readouterr().out.splitlines()
    assert ewt == "| ewt | 92.00 (91.00) |  | **91.50 (91.81)** |  |  | 80.00 (80.00) |"
    assert genia == "| genia | 92.00 (91.00) |  |  |  |  |  |"


@pytest.fixture
def package(script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package of a pipeline, its card and README; a scorer with fixed scores."""
    module = script("test_scores")
    monkeypatch.setattr(
        module, "scores_of", lambda *_: {"gold tokens": SCORES, "raw text": RAW}
    )
    meta = {"lang": "en", "name": "lal_xs", "version": "1.0.0", "license": "MIT"}
    folder = tmp_path / "packages" / "en_lal_xs-1.0.0"
    for place in (folder, folder / "en_lal_xs" / "en_lal_xs-1.0.0"):
        place.mkdir(parents=True)
        (place / "meta.json").write_text(json.dumps(meta), encoding="utf8")
        (place / "README.md").write_text(CARD, encoding="utf8")
    (tmp_path / "card.md").write_text(CARD, encoding="utf8")
    text = f"a\n\n{module.BEGIN}\n| old |\n{module.END}\n\nb\n"
    (tmp_path / "README.md").write_text(text, encoding="utf8")
    arguments = [str(folder), str(tmp_path / "ewt")]
    arguments += ["--card", str(tmp_path / "card.md")]
    return module, folder, [*arguments, "--readme", str(tmp_path / "README.md")]


def test_scores_go_where_readers_look_and_once(package, tmp_path: Path):
    module, folder, arguments = package
    assert module.main(arguments) == 0
    metas = [json.loads(path.read_text("utf8")) for path in folder.rglob("meta.json")]
    assert metas[0] == metas[1]
    assert metas[0]["test"]["sets"]["EWT"]["gold tokens"]["LAS"] == 92.0
    card = (tmp_path / "card.md").read_text("utf8")
    assert "| EWT | 91.00 | 94.00 | 92.00 |  | 97.00 | 98.00 | 82.00 |" in card
    assert "Of version 1.0.0" in card and "| old |" not in card
    assert card.endswith("## Confidence\n\nkept\n")
    shown = (folder / "README.md").read_text("utf8")
    assert shown.startswith("---\n") and shown.endswith(card)
    readme = (tmp_path / "README.md").read_text("utf8")
    (row,) = (line for line in readme.splitlines() if "`en_lal_xs` 1.0.0" in line)
    assert row.split(" | ")[3] == "91.00" and "| old |" not in readme
    before = readme, card
    assert module.main(arguments) == 1
    assert ((tmp_path / "README.md").read_text("utf8"), card) == before


def test_a_card_without_the_section_is_an_error(script):
    with pytest.raises(ValueError, match="no section"):
        script("test_scores").with_section("# Card\n", "")
