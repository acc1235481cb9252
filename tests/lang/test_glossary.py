"""`spacy_lal.explain`."""

import subprocess
import sys
import warnings

import pytest
import spacy.cli  # noqa: F401
from spacy.glossary import GLOSSARY

import spacy_lal
import spacy_lal.cli  # noqa: F401  (adds itself to spaCy's application)
from spacy_lal.annotations import install_extensions
from spacy_lal.lang import explain, glossary

# Of Bies et al. (1995) and Santorini (1990); of universaldependencies.org.
CONSTITUENTS = """S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NP NX PP PRN
PRT QP RRC UCP VP WHADJP WHADVP WHNP WHPP X"""
TAGS = """CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS
RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB . , : -LRB- -RRB- `` '' $ #"""
UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
DEPRELS = """acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj
dep det discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod
obj obl orphan parataxis punct reparandum root ROOT vocative xcomp nsubj:pass aux:pass
csubj:pass nsubj:outer acl:relcl advcl:relcl nmod:poss compound:prt obl:agent
obl:unmarked cc:preconj det:predet obl:tmod obl:npmod nmod:tmod"""


def test_known_labels(en_lal_md):
    labels = en_lal_md.get_pipe("lal_parser").label_data
    known = [*CONSTITUENTS.split(), *TAGS.split(), *UPOS.split(), *DEPRELS.split()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for label in [
            *known,
            *labels["constituents"],
            *labels["deprels"],
            *labels["tags"],
        ]:
            assert spacy_lal.explain(label), label
    for label in UPOS.split():
        assert label == "PUNCT" or GLOSSARY[label].split()[0] in spacy_lal.explain(
            label
        )
    texts = [text for table in glossary().values() for text in table.values()]
    assert all(
        text and text == text.strip() and not text.endswith(".") for text in texts
    )


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("S::VP", "unary chain: simple declarative clause > verb phrase"),
        ("NP-SBJ-1", "noun phrase (surface subject)"),
        (
            "PP-LOC-PRD-TPC-2",
            "prepositional phrase (locative, predicate other than a verb phrase, "
            "topicalized)",
        ),
        ("NP=2", "noun phrase"),
        ("ADVP|PRT", "adverb phrase or particle"),
        ("nsubj:pass", "nominal subject (passive)"),
        (
            "obl:xyz",
            "oblique nominal, an argument or adjunct of a verb (subtype 'xyz' of a "
            "treebank)",
        ),
        ("-NONE-", "trace: an empty element"),
        ("dobj", "direct object"),
    ],
)
def test_composed_labels(label, text):
    assert spacy_lal.explain(label) == text


@pytest.mark.parametrize(
    "label",
    [
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
    ],
)
def test_unknown_labels(label):
    with pytest.warns(
        UserWarning, match="no explanation for .*expected a label of the Penn Treebank"
    ) as caught:
        assert spacy_lal.explain(label) is None
    assert caught[0].filename == __file__


def test_python():
    assert {"explain", "search_trees", "__version__"} <= set(dir(spacy_lal))
    with pytest.raises(AttributeError, match="no attribute 'explian'"):
        spacy_lal.explian  # noqa: B018
    heavy = "('torch', 'spacy', 'thinc', 'numpy', 'nltk')"
    code = (
        "import sys, spacy_lal; spacy_lal.explain('NP'); sys.exit(any(name in "
        f"sys.modules for name in {heavy}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_spacys_glossary_knows_our_labels():
    install_extensions()
    assert spacy.explain("NP") == "noun phrase"
    assert spacy.explain("WHNP") == "wh-noun phrase"
    assert spacy.explain("FRAG") == "fragment"
    relative = "adnominal clause, a clausal modifier of a noun (relative clause)"
    assert spacy.explain("acl:relcl") == relative
    assert spacy.explain("ARG0") == "numbered argument, mostly the agent"
    assert spacy.explain("ARGM-TMP") == explain("ARGM-TMP") == "modifier: time"
    assert spacy.explain("GPE") == "Countries, cities, states"  # spaCy's own
