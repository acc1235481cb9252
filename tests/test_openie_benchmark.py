"""`benchmarks/openie.py`: CaRB's precision, recall and area, computed by hand."""

import pytest
from benchmark_programs import BENCHMARKS, import_file

openie = import_file(BENCHMARKS / "openie.py")
GOLD = openie.extraction("was born in", "Ada Lovelace", "London on 10 December 1815")
MATCHES = {
    # All 3 + 2 + 1 words are common; the gold triple has 10.
    ("was born in", "Ada Lovelace", "London"): (1.0, 0.6),
    # "be" meets "was", "the" meets nothing: 3 + 2 + 1 of 8 words.
    ("be born in", "the Ada Lovelace", "London there"): (6 / 8, 0.6),
    # A word counts as often as the gold triple has it: 1 + 1 + 1 of 5.
    ("born", "Ada Ada", "London London"): (3 / 5, 0.3),
    # A word in another part is none: "London" and "Lovelace".
    ("born", "London", "Lovelace"): (1 / 3, 0.1),
    # "in" is common, "London" in the relation is not: 1 + 2 + 1 of 6.
    ("lived in London", "Ada Lovelace", "London"): (4 / 6, 0.4),
    # No common word of the relation; no second argument.
    ("lived", "Ada Lovelace", "London"): (0.0, 0.0),
    ("was born in", "Ada Lovelace", ""): (0.0, 0.0),
}


@pytest.mark.parametrize("found", MATCHES)
def test_match(found):
    assert openie.match(GOLD, openie.extraction(*found)) == pytest.approx(
        MATCHES[found]
    )


def test_a_verb_of_saying_may_be_turned():
    gold = openie.extraction("said", "Kim", "it rains")
    assert openie.match(gold, openie.extraction("said", "it rains", "Kim")) == (1, 1)
    fled = gold._replace(relation=openie.extraction("says", "", "").relation)
    turned = openie.extraction("says", "it rains", "Kim")
    assert openie.match(fled, turned) == (1, 1)
    plain = openie.extraction("saw", "Kim", "it rains")
    assert openie.match(plain, openie.extraction("saw", "it rains", "Kim")) == (
        pytest.approx(1 / 4),
        pytest.approx(1 / 4),
    )


def test_each_triple_is_paired_once():
    gold = {
        "a": [
            openie.extraction("ate", "Ann", "a pear"),
            openie.extraction("sat", "Ann", "x"),
        ],
        "b": [openie.extraction("ran", "Bob", "home")],
    }
    found = {
        "a": [
            openie.extraction("ate", "Ann", "a pear"),
            openie.extraction("ate", "Ann", "pear"),
            openie.extraction("ate", "Ann", "a fig"),
        ]
    }
    # Precision: a pair with "a pear" (4 of 4); the second gold triple meets no other
    # of the three. Recall: 4 of 4, nothing, nothing, of three gold triples.
    result = openie.score(gold, found)
    assert result.best == pytest.approx((100 / 3, 100 / 3))
    assert result.best.f1 == pytest.approx(100 / 3)


def test_a_triple_with_one_argument_counts_as_found():
    gold = {"a": [openie.extraction("slept", "Ann", "at home")]}
    right = openie.extraction("slept", "Ann", "at home")
    found = {"a": [right, openie.extraction("slept", "Ann", "")]}
    # Precision: 4 of 4 words and nothing, of two triples. Recall: 4 of 4.
    result = openie.score(gold, found)
    assert result.best == pytest.approx((50.0, 100.0))
    assert openie.score(gold, {"a": [right]}).best == (100.0, 100.0)


def test_further_arguments_belong_to_the_second():
    gold = {"a": [openie.extraction("ate", "Ann", "pears here today")]}
    found = {"a": [openie.extraction("ate", "Ann", "pears today")]}
    # 1 + 1 + 2 common words, of 4 and of 5.
    assert openie.score(gold, found).best == pytest.approx((100.0, 80.0))


def test_curve():
    gold = {
        "a": [openie.extraction("ate", "Ann", "pears")],
        "b": [openie.extraction("ran", "Bob", "home")],
    }
    found = {
        "a": [
            openie.extraction("ate", "Ann", "pears", 0.9),
            openie.extraction("saw", "Ann", "pears", 0.2),
        ],
        "b": [openie.extraction("ran", "Bob", "away", 0.5)],
    }
    # At 0.9: P = 1, R = 1/2. At 0.5: P = (1 + 2/3) / 2 = 5/6, R = 5/6. At 0.2:
    # P = 5/9, R = 5/6. Area: 1/2 + 1/3 * (1 + 5/6) / 2.
    result = openie.score(gold, found)
    assert result.best == pytest.approx((500 / 6, 500 / 6))
    assert result.area == pytest.approx(100 * (1 / 2 + 11 / 36))
    assert openie.by_kind(gold, found) == {"": (3, pytest.approx(500 / 9))}


def test_a_gold_file(tmp_path, capsys, monkeypatch):
    path = tmp_path / "gold.tsv"
    path.write_text(
        "Ann ate pears here .\tate\tAnn\tpears\there\nBob ran .\tran\tBob\taway\n",
        encoding="utf8",
    )
    triples = {"Ann ate pears here .": [openie.extraction("ate", "Ann", "pears", 0.75)]}
    monkeypatch.setattr(openie.spacy, "load", lambda name: None)
    monkeypatch.setattr(openie, "parsed", lambda nlp, sentences: list(sentences))
    monkeypatch.setattr(openie, "of_triples", lambda text: triples.get(text, []))
    openie.main([str(path)])
    # P = 1, R = (3/4 + 0) / 2, F1 = 2 * 0.375 / 1.375
    assert capsys.readouterr().out.splitlines()[-1] == (
        "| en_lal_md | 100.0 | 37.5 | 54.5 | 37.5 |"
    )
    openie.main([str(path), "--half", "1"])
    assert "| 100.0 | 75.0 | 85.7 | 75.0 |" in capsys.readouterr().out
