"""GUM from a small source of its form: which documents are taken, and which files they give."""

from pathlib import Path

import pytest
from small_sources import columns, pack, write

SPLITS = """# Splits

The following splits are used.

## dev

  * GUM_bio_moon

## test

  * GUM_bio_secret

## train

  * GUM_news_tram
  * GUM_reddit_masked
  * GUM_whow_arrogant
"""
MOON = columns(
    """
    # newdoc id = GUM_bio_moon
    # meta::title = The moon
    # newpar
    # sent_id = GUM_bio_moon-1
    # s_type = decl
    # text = It's clear that she's old (very).
    1-2 It's _ _ _ _ _ _ _ _
    1 It it PRON PRP Case=Nom 3 expl 3:expl _
    2 's be AUX VBZ _ 3 cop 3:cop MSeg='s
    3 clear clear ADJ JJ Degree=Pos 0 root 0:root _
    4 that that SCONJ IN _ 7 mark 7:mark _
    5-6 she's _ _ _ _ _ _ _ _
    5 she she PRON PRP _ 7 nsubj 7:nsubj Entity=(1-planet)
    6 's be AUX VBZ _ 7 cop 7:cop _
    7 old old ADJ JJ _ 3 csubj 3:csubj _
    7.1 so so ADV RB _ _ _ 7:advmod _
    8 ( ( PUNCT -LRB- _ 9 punct 9:punct SpaceAfter=No
    9 very very ADV RB _ 7 advmod 7:advmod SpaceAfter=No
    10 ) ) PUNCT -RRB- _ 9 punct 9:punct SpaceAfter=No
    11 . . PUNCT . _ 3 punct 3:punct _
    """
)
MOON_TREES = """(ROOT
  (S
    (NP (NP (PRP It)))
    (VP
      (VBZ 's)
      (ADJP (JJ clear))
      (SBAR
        (IN that)
        (S
          (NP (PRP she))
          (VP (VBZ 's) (ADJP (JJ old) (PRN (-LRB- -LRB-) (ADVP (RB very)) (-RRB- -RRB-)))))))
    (. .)))
"""
TRAM = columns(
    """
    # newdoc id = GUM_news_tram
    # sent_id = GUM_news_tram-1
    # text = See
    1 See see VERB VB _ 0 root 0:root _
    """
) + columns(
    """
    # sent_id = GUM_news_tram-2
    # text = Trams stop
    1 Trams tram NOUN NNS _ 2 compound 2:compound _
    2 stop stop NOUN NN _ 0 root 0:root _
    """
)
TRAM_TREES = "(ROOT (VB See))\n\n(ROOT\n  (NP (NNS Trams) (VB stop)))\n"
CONST = "_build/src/const"
FILES = {
    "splits.md": SPLITS,
    "dep/GUM_bio_moon.conllu": MOON,
    f"{CONST}/GUM_bio_moon.ptb": MOON_TREES,
    "dep/GUM_news_tram.conllu": TRAM,
    f"{CONST}/GUM_news_tram.ptb": TRAM_TREES,
}
BUILT = {
    "dev.ptb": "(ROOT (S (NP (PRP It)) (VP (VBZ 's) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (PRP she)) (VP (VBZ 's) "
    "(ADJP (JJ old) (PRN (-LRB- -LRB-) (ADVP (RB very)) (-RRB- -RRB-))))))) (. .)))\n",
    "dev.conllu": columns(
        """
        # newdoc id = GUM_bio_moon
        # sent_id = GUM_bio_moon-1
        # text = It's clear that she's old (very).
        1 It it PRON PRP Case=Nom 3 expl _ SpaceAfter=No
        2 's be AUX VBZ _ 3 cop _ _
        3 clear clear ADJ JJ Degree=Pos 0 root _ _
        4 that that SCONJ IN _ 7 mark _ _
        5 she she PRON PRP _ 7 nsubj _ SpaceAfter=No
        6 's be AUX VBZ _ 7 cop _ _
        7 old old ADJ JJ _ 3 csubj _ _
        8 ( ( PUNCT -LRB- _ 9 punct _ SpaceAfter=No
        9 very very ADV RB _ 7 advmod _ SpaceAfter=No
        10 ) ) PUNCT -RRB- _ 9 punct _ SpaceAfter=No
        11 . . PUNCT . _ 3 punct _ _
        """
    ),
    "train.ptb": "(ROOT (VB See))\n(ROOT (NP (NNS Trams) (NN stop)))\n",
    "train.conllu": TRAM.replace("0:root", "_").replace("2:compound", "_"),
}


@pytest.fixture
def gum(script, expect):
    module = script("build_gum")
    expect("gum", BUILT)
    return module


def test_files(gum, tmp_path: Path):
    """Of the test, Reddit and hand-made documents not even files are needed."""
    for source in (write(tmp_path / "folder", FILES), pack(tmp_path / "archive.tar.gz", FILES)):
        output = tmp_path / f"from {source.name}"
        gum.main([str(source), str(output)])
        assert {path.name: path.read_text("utf8") for path in output.iterdir()} == BUILT
