"""`spacy_lal.lang`: what each language says, and where it is used."""

import spacy
from spacy.training import Example

from spacy_lal.evaluation.evalb_params import COLLINS, NAMED, language_params
from spacy_lal.evaluation.scorers import is_reference_punctuation, score_parses
from spacy_lal.lang import conventions
from spacy_lal.treebanks.docs import make_docs
from spacy_lal.treebanks.reader import read_treebank

TREES = "(ROOT (S0 (S (NP (pfn_et_nf_p3 Hún)) (VP (so_0_et_p3 sefur)))(grm .)))\n"
CONLLU = """1\tHún\thún\tPRON\tpfn_et_nf_p3\t_\t2\tnsubj\t_\t_
2\tsefur\tsofa\tVERB\tso_0_et_p3\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\tgrm\t_\t2\tpunct\t_\t_

"""


def test_an_unknown_language_has_the_labels_of_english_and_none_of_its_words():
    unknown = conventions("de")
    assert unknown.mark_tags == conventions("en").mark_tags
    assert unknown.tokens is unknown.layout is unknown.lemmas is None
    assert unknown.contractions is unknown.noun_chunks is None
    assert language_params("de") is language_params("en") is COLLINS


def test_punctuation_of_icelandic():
    tags = conventions("is").punctuation_tags
    assert is_reference_punctuation("grm", tags)
    assert not is_reference_punctuation("st", tags) and not is_reference_punctuation(
        "", tags
    )


def test_parameters_of_icelandic():
    params = language_params("is")
    assert params is NAMED["is"] and params.signature == "params:is"
    assert params.bracket_label("S0") == "S0" and params.bracket_label("ROOT") is None
    assert "grm" in params.delete_label and "." not in params.delete_label


def test_scorer_follows_the_language_of_the_docs(tmp_path):
    """A full stop within the subject: an error only where its tag counts as a word."""
    files = {"gold": TREES, "test": TREES.replace(")(grm .)))", "(grm .))))")}
    for name, trees in files.items():
        (tmp_path / f"{name}.ptb").write_text(trees, encoding="utf8")
    (tmp_path / "gold.conllu").write_text(CONLLU, encoding="utf8")
    found = {}
    for lang in ("is", "en"):
        vocab = spacy.blank(lang).vocab
        gold, test = (
            next(
                iter(
                    make_docs(
                        read_treebank(
                            tmp_path / f"{name}.ptb", tmp_path / "gold.conllu"
                        ),
                        vocab,
                    )
                )
            )
            for name in files
        )
        found[lang] = score_parses([Example(test, gold)])["const_f"]
    assert found["is"] == 1.0 and found["en"] < 1.0
