"""What is kept of two other Icelandic treebanks, on small sources of their form."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest
import spacy
from small_sources import columns, pack, write
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.loss.gold import gold_parses
from spacy_lal.treebanks.corpora import TreebankCorpus
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.trees import LabelVocab, Parse, read_conllu

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "icelandic" / "scripts"
PARTS = "not-to-release/Manual_correction/additions2019/unmodified_conllu"
SENTENCE = """# sent_id = A_1,1.1
# text = Anna sér Jón núna.
# text_en = Anna sees Jón now.
1 Anna anna PROPN N-N Case=Nom 2 nsubj 2:nsubj _
2 sér sjá VERB VBPI _ 0 root _ _
3 Jón jón PROPN N-A Case=Acc 2 obj _ _
4 núna nú ADV ADV _ 2 advmod _ SpaceAfter=No
5 . . PUNCT . _ 2 punct _ _"""


@pytest.fixture
def preparing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "other_treebanks", raising=False)
    return importlib.import_module("other_treebanks")


@Language.component("test_is_tags")
def tag(doc: Doc) -> Doc:
    """Tag every word as a name in the nominative that is its own lemma."""
    for token in doc:
        token.pos_ = "PROPN"
        token.tag_ = "person"
        token.lemma_ = token.text
        token.set_morph("Case=Nom")
    return doc


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    nlp = spacy.blank("is")
    nlp.add_pipe("test_is_tags")
    nlp.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def sentence_of(text: str) -> Parse:
    return next(read_conllu(columns(text).splitlines()))


def words(sent_id: str, text: str) -> str:
    """A sentence whose first word is the root of the others."""
    rows = [
        f"{number} {word} {word} PROPN N _ {int(number > 1)} "
        f"{'root' if number == 1 else 'flat'} _ _"
        for number, word in enumerate(text.split(), start=1)
    ]
    return columns("\n".join([f"# sent_id = {sent_id}", *rows]))


def test_heads_and_deprels_are_kept_by_deprel(preparing: ModuleType):
    sentence = sentence_of(SENTENCE)
    in_pud = preparing.hide_arcs(sentence, preparing.PUD)
    assert in_pud.heads == [2, 0, 2, 2, None]
    assert in_pud.deprels == ["nsubj", "root", "obj", "unsure", ""]
    in_modern = preparing.hide_arcs(sentence, preparing.MODERN)
    assert in_modern.heads == [2, 0, 2, None, None]
    assert in_modern.deprels == ["nsubj", "root", "obj", "", ""]


def test_a_head_without_deprel_is_learned_alone(preparing: ModuleType, tmp_path: Path):
    hidden = preparing.hide_arcs(sentence_of(SENTENCE), preparing.PUD)
    nlp = spacy.blank("is")
    docs = make_docs([hidden], nlp.vocab)
    write_docs(docs, tmp_path / "a.spacy")
    (eg,) = TreebankCorpus(tmp_path / "a.spacy")(nlp)
    deprels = {"ROOT": 0, "nsubj": 1, "obj": 2, "dep": 3, "advmod": 4}
    (gold,) = gold_parses(eg, LabelVocab([]), deprels)
    assert gold.heads.tolist() == [2, 0, 2, 2, -1]
    assert gold.deprels.tolist() == [1, 0, 2, -1, -1]


@pytest.mark.parametrize("case, agrees", [("Acc", True), ("Nom", False)])
def test_tags_are_kept_where_they_agree(preparing: ModuleType, case: str, agrees: bool):
    """`sér` has another lemma, `núna` another UPOS, and the lemma of the full stop is
    hidden. `Jón` may have another case. Names alone are compared without case."""
    sentence = sentence_of(SENTENCE)
    sentence.lemmas[4] = ""
    doc = Doc(
        spacy.blank("is").vocab,
        words=sentence.words,
        lemmas=["Anna", "Sjá", "Jón", "nú", "."],
        pos=["PROPN", "VERB", "PROPN", "ADJ", "PUNCT"],
        tags=["person_nf", "so", "person_þf", "lo", "grm"],
        morphs=["Case=Nom|Gender=Fem", "", f"Case={case}", "", ""],
    )
    tagged = preparing.put_tags(sentence, doc)
    nothing = ("", "", "", "")
    anna = ("Anna", "PROPN", "person_nf", "Case=Nom|Gender=Fem")
    jon = ("Jón", "PROPN", "person_þf", "Case=Acc") if agrees else nothing
    found = zip(tagged.lemmas, tagged.pos, tagged.tags, tagged.morphs, strict=True)
    assert list(found) == [anna, nothing, jon, nothing, nothing]


def test_long_sentences_and_copies_are_left_out(preparing: ModuleType):
    texts = ["Anna sér Jón", "Jón sér Önnu", "Anna sérJón", "Anna", "á " * 121]
    sentences = [sentence_of(words(f"A,.{i}", text)) for i, text in enumerate(texts)]
    kept = preparing.without_copies(sentences, {"Anna"})
    assert [sentence.metadata["sent_id"] for sentence in kept] == ["A,.0", "A,.1"]


def test_archives_become_two_files(
    preparing: ModuleType,
    pipeline: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    """Of Modern's sources, one document is in dev, one sentence in GreynirCorpus, and
    one sentence has a word number too many."""
    invalid = columns("# sent_id = C,.2\n2 Jón Jón PROPN N _ 0 root _ _")
    pud = pack(tmp_path / "pud.tar.gz", {"is_pud-ud-test.conllu": columns(SENTENCE)})
    modern = pack(
        tmp_path / "modern.tar.gz",
        {
            "is_modern-ud-dev.conllu": words("B,1.1", "Jón sefur"),
            "is_modern-ud-test.conllu": words("D,1.1", "Anna sefur"),
            f"{PARTS}/ruv/b.conllu": words("B,.1", "Jón svaf"),
            f"{PARTS}/ruv/c.conllu": words("C,.1", "Hún") + invalid,
            f"{PARTS}/ruv/e.conllu": words("E,.1", "Dev") + words("E,.2", "Vér"),
        },
    )
    dev = write(tmp_path, {"dev.conllu": words("G,.1", "Dev")}) / "dev.conllu"
    out = tmp_path / "out"
    files = ["--pud", str(pud), "--modern", str(modern), "--dev", str(dev)]
    preparing.main([str(pipeline), str(out), *files])
    assert (out / "pud.conllu").read_text(encoding="utf8") == columns(
        "# sent_id = A_1,1.1\n# text = Anna sér Jón núna.\n"
        "1 Anna Anna PROPN person Case=Nom 2 nsubj _ _\n"
        "2 sér _ _ _ _ 0 root _ _\n"
        "3 Jón _ _ _ _ 2 obj _ _\n"
        "4 núna _ _ _ _ 2 unsure _ SpaceAfter=No\n"
        "5 . _ _ _ _ _ _ _ _"
    )
    kept = [
        sentence.metadata["sent_id"] for sentence in read_conllu(out / "modern.conllu")
    ]
    assert kept == ["B,1.1", "D,1.1", "C,.1", "E,.2"]
    printed = capsys.readouterr()
    assert "1 sentences, 5 words; kept 4 heads, 3 deprels, 1 tags" in printed.out
    assert "4 sentences, 6 words; kept 4 heads, 4 deprels, 6 tags" in printed.out
    assert "expected word number 1, got 2" in printed.err
