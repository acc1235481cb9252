"""GUM's features and lemmas by EWT's conventions: rules, then what the model treebank shows of single words."""

from pathlib import Path

from spacy_lal.trees import read_conllu

GUM = [
    ("You", "you", "PRON", "PRP", "Case=Nom|Number=Sing|Person=2|PronType=Prs"),
    ("yourself", "yourself", "PRON", "PRP", "Case=Acc|Number=Sing|Person=2|PronType=Prs|Reflex=Yes"),
    ("go", "go", "VERB", "VB", "Mood=Imp|Person=2|VerbForm=Fin"),
    ("quickly", "quickly", "ADV", "RB", "Degree=Pos"),
    ("Now", "now", "ADV", "RB", ""),
    ("now", "now", "ADV", "RB", "Typo=Yes"),
    ("people", "person", "NOUN", "NNS", "Number=Plur"),
]


def rows(words) -> str:
    lines = [
        "\t".join([str(i), *word[:4], word[4] or "_", str(i - 1), "dep" if i > 1 else "root", "_", "_"])
        for i, word in enumerate(words, start=1)
    ]
    return "\n".join(lines) + "\n\n"


def test_rules_and_words(script, tmp_path: Path):
    model = [("now", "now", "ADV", "RB", "PronType=Dem"), ("people", "people", "NOUN", "NNS", "Number=Plur")]
    (tmp_path / "model.conllu").write_text(rows(model) * 5)
    (tmp_path / "gum.conllu").write_text(rows(GUM))
    output = tmp_path / "new" / "gum.conllu"
    script("harmonise_words").main([str(tmp_path / "model.conllu"), str(tmp_path / "gum.conllu"), str(output)])
    (sentence,) = read_conllu(output)
    assert sentence.morphs == [
        "Case=Nom|Person=2|PronType=Prs",
        "Case=Acc|Number=Sing|Person=2|PronType=Prs|Reflex=Yes",
        "Mood=Imp|VerbForm=Fin",
        "",
        "PronType=Dem",
        "Typo=Yes",
        "Number=Plur",
    ]
    assert sentence.lemmas[-1] == "people" and sentence.words == [word[0] for word in GUM]
