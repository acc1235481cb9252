"""`spacy_lal.explain`, and `lal explain-label`."""

import subprocess
import sys
import warnings

import pytest
import spacy.cli  # noqa: F401
from spacy.cli._util import app
from spacy.glossary import GLOSSARY
from typer.testing import CliRunner

import spacy_lal
import spacy_lal.cli  # noqa: F401  (adds itself to spaCy's application)
from spacy_lal.lang import glossary

# Of Bies et al. (1995) and Santorini (1990); of universaldependencies.org.
CONSTITUENTS = "S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN PRT QP RRC UCP VP WHADJP WHADVP"
CONSTITUENTS += " WHNP WHPP X"
TAGS = "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP"
TAGS += " VBZ WDT WP WP$ WRB . , : -LRB- -RRB- `` '' $ #"
UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
DEPRELS = "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl"
DEPRELS += " fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root ROOT"
DEPRELS += " vocative xcomp nsubj:pass aux:pass csubj:pass nsubj:outer csubj:outer acl:relcl advcl:relcl nmod:poss"
DEPRELS += " compound:prt obl:agent obl:unmarked nmod:unmarked cc:preconj det:predet obl:tmod obl:npmod nmod:tmod"
KNOWN = [*CONSTITUENTS.split(), *TAGS.split(), *UPOS.split(), *DEPRELS.split()]


@pytest.mark.parametrize("label", KNOWN)
def test_known_labels(label):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert spacy_lal.explain(label)


def test_universal_parts_of_speech_mean_what_spacy_says():
    for label in UPOS.split():
        said = spacy_lal.explain(label)
        assert GLOSSARY[label].split()[0] in said or label == "PUNCT" and said == "punctuation"


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("S::VP", "unary chain: simple declarative clause > verb phrase"),
        ("SBAR::S::VP", None),
        ("NP-SBJ", "noun phrase (surface subject)"),
        ("NP-SBJ-1", "noun phrase (surface subject)"),
        ("PP-LOC-PRD-TPC-2", "prepositional phrase (locative, predicate other than a verb phrase, topicalized)"),
        ("NP=2", "noun phrase"),
        ("ADVP|PRT", "adverb phrase or particle"),
        ("nsubj:pass", "nominal subject (passive)"),
        ("acl:relcl", "adnominal clause, a clausal modifier of a noun (relative clause)"),
        ("obl:xyz", "oblique nominal, an argument or adjunct of a verb (subtype 'xyz' of a treebank)"),
        ("-NONE-", "trace: an empty element"),
        ("dobj", "direct object"),
    ],
)
def test_composed_labels(label, text):
    found = spacy_lal.explain(label)
    if text is None:
        assert found.count(" > ") == 2 and found.startswith("unary chain: clause introduced by")
    else:
        assert found == text


UNKNOWN = [
    "",
    " ",
    "np",
    "NPX",
    "S::",
    "::S",
    "S::foo",
    "S:VP",
    "nsubj:",
    ":pass",
    "NP-",
    "NP-FOO",
    "NP|",
    "a\nb",
    "NSUBJ",
]


@pytest.mark.parametrize("label", UNKNOWN)
def test_unknown_labels(label):
    with pytest.warns(UserWarning, match="no explanation for .*expected a label of the Penn Treebank"):
        assert spacy_lal.explain(label) is None


def test_the_warning_names_the_callers_line():
    with pytest.warns(UserWarning) as caught:
        spacy_lal.explain("foo")
    assert caught[0].filename == __file__


def test_other_types():
    with pytest.raises(TypeError, match="as a string, such as 'NP'.*got int"):
        spacy_lal.explain(7)


def test_labels_of_the_bundled_pipeline():
    nlp = pytest.importorskip("en_lal_md").load()
    labels = nlp.get_pipe("lal_parser").label_data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for label in [*labels["constituents"], *labels["deprels"], *labels["tags"]]:
            assert spacy_lal.explain(label)


def test_no_description_is_empty_and_none_ends_with_a_stop():
    tables = (glossary.CONSTITUENTS, glossary.FUNCTIONS, glossary.TAGS, glossary.UPOS, glossary.DEPRELS)
    texts = [text for table in (*tables, glossary.SUBTYPES) for text in table.values()]
    assert all(text and text == text.strip() and not text.endswith(".") for text in texts)


def test_it_loads_nothing_heavy():
    heavy = "('torch', 'spacy', 'thinc', 'numpy', 'nltk')"
    code = f"import sys, spacy_lal; spacy_lal.explain('NP'); sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_public_names():
    assert {"explain", "search_trees", "__version__"} <= set(dir(spacy_lal))
    with pytest.raises(AttributeError, match="no attribute 'explian'"):
        spacy_lal.explian  # noqa: B018


def test_command():
    result = CliRunner().invoke(app, ["lal", "explain-label", "NP", "nsubj:pass", "foo\x1b"])
    assert result.exit_code == 1
    assert result.stdout == "NP\tnoun phrase\nnsubj:pass\tnominal subject (passive)\n"
    assert "no explanation for: foo\u241b" in result.stderr
    assert CliRunner().invoke(app, ["lal", "explain-label", "VBZ"]).exit_code == 0
