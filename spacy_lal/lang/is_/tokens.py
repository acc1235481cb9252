"""Icelandic: tokens as GreynirCorpus has them."""

from ..conventions import Rule, TokenRules
from ..marks import BEFORE_LINK, LINK, NOTES, PLAIN_MARKS, remark, spaced_note

_SMALL = "[a-záéíóúýþæöð]"

RANGE = Rule(
    "dash between numbers",
    r"(?<=\d)–(?=\d)",
    {
        "árin 2004–2010": "árin 2004 – 2010",
        "unnu 2–1": "unnu 2 – 1",
    },
)
FINAL_STOP = Rule(
    "full stop after a letter at the end of a text",
    r"(?<=[a-zß-ÿ] [A-Z])(?=\.\s*$)",
    {
        "kl. 14 í stofu B.": "kl. 14 í stofu B .",
        "Hann Jón B. Jónsson": "Hann Jón B. Jónsson",
    },
)
COMPOUND = Rule(
    "words with hyphens",
    r"(?<!\w)\w+(?:-\w+)+",
    {
        "á Facebook-síðu": "á Facebook-síðu",
        "í Norður-Kóreu.": "í Norður-Kóreu .",
    },
)
FIRST_PART = Rule(
    "first part of a compound before another",
    r"(?<!\w)\w{2,}-(?=,| og\b| eða\b)",
    {
        "mennta- og menningarmál": "mennta- og menningarmál",
        "fjármála-, umhverfis- og": "fjármála- , umhverfis- og",
    },
)
ORDINAL = Rule(
    "ordinal number within a sentence",
    rf"(?<![\d.,])\d{{1,2}}\.(?= {_SMALL})",
    {
        "Fundurinn er 13. maí.": "Fundurinn er 13. maí .",
        "Hann kom 4. í mark": "Hann kom 4. í mark",
    },
)
PERCENTAGE = Rule(
    "number with its percent sign",
    r"(?<!\d)(?<!\d[.,])\d+(?:[.,]\d+)*%",
    {
        "um 39% af": "um 39% af",
        "2,5%.": "2,5% .",
    },
)
# With their full stop unless a capital follows; with a capital, always.
ABBREVIATIONS = frozenset(
    """
    ca.
    e.h.
    ehf.
    gr.
    hf.
    hæstv.
    kl.
    kr.
    ma.
    mgr.
    nr.
    o.fl.
    o.s.frv.
    s.l.
    s.s.
    sl.
    þ.m.
    """.split()
)
# With their full stop everywhere.
WHOLE = frozenset(
    """
    a.m.k.
    Dr.
    dr.
    Hr.
    hr.
    m.a.
    m.v.
    Sr.
    sr.
    sbr.
    Sbr.
    skv.
    Skv.
    t.a.m.
    t.d.
    T.d.
    u.þ.b.
    þ.á.m.
    þ.e.
    þ.e.a.s.
    """.split()
)
# Words after which a number in brackets is no mark of a note: "sjá [3]".
BEFORE_CITATIONS = frozenset(
    """
    að
    af
    á
    eða
    eftir
    en
    er
    frá
    hjá
    í
    með
    mynd
    og
    samkvæmt
    sem
    sjá
    skv
    til
    um
    undir
    við
    """.split()
)
REMARK = remark(
    r"sic|(?:heimild|heimildir|tilvísun) vantar|(?:hvar|hvenær|hver|hverjir) ?\?",
    {
        "Hann fór.[heimild vantar] Hún": "Hann fór . [ heimild vantar ] Hún",
        "sumir[hverjir?] segja": "sumir [ hverjir ? ] segja",
    },
)
SPACED_NOTE = spaced_note(
    BEFORE_CITATIONS,
    {
        "árið 1950 [3] en": "árið 1950 [ 3 ] en",
        "bærinn [2, 3]": "bærinn [ 2 , 3 ]",
    },
)

TOKENS = TokenRules(
    joined=(COMPOUND, FIRST_PART, ORDINAL, PERCENTAGE),
    cuts=(RANGE, FINAL_STOP),
    prefixes=PLAIN_MARKS,
    suffixes=PLAIN_MARKS,
    infixes=(BEFORE_LINK, LINK, *PLAIN_MARKS),
    notes=(*NOTES, REMARK, SPACED_NOTE),
    kept=WHOLE,
    abbreviations=ABBREVIATIONS,
)
