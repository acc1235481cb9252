"""English: what is divided from a word, and which rules the tokenizer has.

The rules follow the training files of English Web Treebank and GUM."""

from ..conventions import Rule, TokenRules
from ..marks import LINK, NOTES, PICTURE, RUNS, SHOUTS, TAG, remark, spaced_note
from .abbreviations import (
    ABBREVIATIONS,
    AFTER_NUMBERS,
    BEFORE_LETTERS,
    BEFORE_NUMBERS,
    WHOLE,
)
from .joined import CUTS, JOINED
from .web import AFTER_UNMARKED, BEFORE_CITATIONS, UNITS
from .whole import WHOLE as WHOLE_TOKENS

_NO_INITIALS = r"(?<![A-Za-z][.][A-Za-z])"
_NO_ABBREVIATION = (
    r"(?<!\bCo)(?<!\bJr)(?<!\bSr)(?<!\betc)(?<!\bInc)(?<!\bLtd)(?<!\bCorp)"
)
STOPS = (
    Rule(
        "two full stops, but after an abbreviation",
        rf"{_NO_INITIALS}{_NO_ABBREVIATION}[.][.]",
        {
            "the end..": "the end ..",
            "by Inc.. so": "by Inc. . so",
        },
    ),
    Rule(
        "full stop and a mark, but of initials",
        rf"{_NO_INITIALS}(?<![.])[.][!?]+",
        {
            "No.?": "No .?",
            "the U.S.A.!": "the U.S.A. !",
        },
    ),
)
MARKS = (TAG, PICTURE, *SHOUTS, *STOPS, *RUNS)

# Whole tokens that begin with a mark that another rule would take off.
_BEFORE_MARKS = (
    Rule(
        "hashtag",
        r"#[A-Za-z]\w*",
        {
            "(#MeToo)": "( #MeToo )",
            "#argument.": "#argument .",
        },
    ),
    Rule(
        "year without its century, or a decade",
        r"['’][0-9]{2}(?:['’]?s)?(?![\w'’])",
        {
            "('68)": "( '68 )",
            "’90s,": "’90s ,",
        },
    ),
    Rule(
        "option of a command",
        r"--[a-z][\w-]*(?:=[\w./:-]*\w)?(?![\w-])",
        {
            "--flag,": "--flag ,",
            "--x=3.": "--x=3 .",
        },
    ),
    Rule(
        "brackets around the beginning of a word",
        r"\([A-Z]?[a-z]{1,5}\)[a-z][a-z'’-]*",
        {
            "(s)he,": "(s)he ,",
            "(Un)happy?": "(Un)happy ?",
        },
    ),
    Rule(
        "path from here",
        r"\.\.?/[\w.+@/-]*\w",
        {
            "../src/x.py,": "../src/x.py ,",
            "the ../x?": "the ../x ?",
        },
    ),
)
_BEFORE_WORDS = (
    Rule(
        "hyphen before a number or a word",
        r"-(?=[0-9]|[A-Z]?[a-z]{2,}\b(?!-))",
        {
            "-for so": "- for so",
            "-5 so": "- 5 so",
        },
    ),
    Rule(
        "tilde before a word",
        r"~(?=\w)",
        {
            "~Joe": "~ Joe",
            "~50": "~ 50",
        },
    ),
    Rule(
        "price for one",
        r"@(?=[0-9])",
        {
            "@2.97": "@ 2.97",
            "at @5": "at @ 5",
        },
    ),
    Rule(
        "number before a word without a space",
        r"[0-9]+(?=[a-z]{4,}\W*$)",
        {
            "61persons": "61 persons",
            "5days,": "5 days ,",
        },
    ),
    Rule(
        "quoted name before an address",
        r'\w+(?="<)',
        {
            '"Joe"<joe@x.org>': '" Joe " < joe@x.org >',
            '"Ann"<a@b.com>': '" Ann " < a@b.com >',
        },
    ),
)
_AFTER_WORDS = (
    Rule(
        "half of the day after a number",
        r"(?<=[0-9])(?:AM|PM|am|pm)",
        {
            "at 7:30PM": "at 7:30 PM",
            "by 5am.": "by 5 am .",
        },
    ),
    Rule(
        "unit after a number",
        rf"(?<=[0-9])(?:{'|'.join(UNITS)})",
        {
            "in 20mins": "in 20 mins",
            "65k, 25bn": "65 k , 25 bn",
        },
    ),
    Rule(
        "full stop after letters around an ampersand",
        r"(?<=[A-Z]&[A-Z])\.",
        {
            "in R&D.": "in R&D .",
            "at H&M.": "at H&M .",
        },
    ),
    # A shorter word with a hyphen is cut off in speech.
    Rule(
        "hyphen after a word",
        r"(?<=[A-Za-z]{4})-",
        {
            "line- so": "line - so",
            "th- the": "th- the",
        },
    ),
    Rule(
        "hyphen after a number",
        r"(?<=[0-9])-",
        {
            "50- so": "50 - so",
            "1990-": "1990 -",
        },
    ),
    Rule(
        "slash after a word",
        r"(?<=[A-Za-z0-9.]{2})/",
        {
            "big/ so": "big / so",
            "12/": "12 /",
        },
    ),
    Rule(
        "plus after a mark of school",
        r"(?<=\b[AB])\++",
        {
            "an A+": "an A +",
            "B++ so": "B ++ so",
        },
    ),
    Rule(
        "possessive with an accent for its apostrophe",
        r"(?<=[A-Za-z])[`´]s",
        {
            "mama`s": "mama `s",
            "Ann´s so": "Ann ´s so",
        },
    ),
)
_WITHIN_WORDS = (
    LINK,
    Rule(
        "opening bracket",
        r"(?<=\w)[(\[{](?=\w)|(?<=\]|\))\(|(?<=[–-])\[",
        {
            "hello(world)": "hello ( world )",
            "USD[38,000": "USD [ 38,000",
            "[1]–[3]": "[ 1 ] – [ 3 ]",
            "a.pdf)(See": "a.pdf ) ( See",
        },
    ),
    Rule(
        "closing bracket",
        r"\](?=[(–-])|(?<=\w)\)(?=[\w(.])",
        {
            "[so](lo)": "[ so ] ( lo )",
            "a (so.lo)2": "a ( so.lo ) 2",
            "[1]-[3]": "[ 1 ] - [ 3 ]",
        },
    ),
    Rule(
        "before a contracted not",
        r"(?<=[A-Za-z])(?=[nN]['’][tT](?![A-Za-z]))",
        {
            "can't/won't": "ca n't / wo n't",
            "DON’T": "DO N’T",
        },
    ),
    Rule(
        "before a contracted verb, or a possessive",
        r"(?:(?<=[a-z])|(?<=\bI))(?=['’](?:d|ll|re|s|ve)(?![A-Za-z]))|(?<=\bI)(?=['’]m\b)",
        {
            "he/they'd": "he / they 'd",
            "I'm/you’re": "I 'm / you ’re",
            "Mary'll": "Mary 'll",
        },
    ),
    Rule(
        "before a contracted verb in capitals",
        r"(?:(?<=[A-Z][A-Z])|(?<=['’][DT])|(?<=\bI))(?=['’](?:D|LL|RE|VE)(?![A-Za-z]))"
        r"|(?<=\bI)(?=['’]M\b)",
        {
            "I'VE so": "I 'VE so",
            "THEY’LL so": "THEY ’LL so",
            "I'M so": "I 'M so",
            "YOU'D'VE": "YOU 'D 'VE",
            "SHOULDN'T'VE": "SHOULD N'T 'VE",
        },
    ),
    Rule(
        "full stop of a number in a list before its word",
        r"(?:(?<=^[0-9])|(?<=^[0-9][0-9]))\.(?=(?:[A-Z][a-z]+|[a-z]{2,})\b)"
        r"|(?:(?<=^[IVX]{2})|(?<=^[IVX]{3})|(?<=^[IVX]{4}))\.(?=[A-Z][a-z]+\b)",
        {
            "IV.Results so": "IV . Results so",
            "1.No signs": "1 . No signs",
            "12.Patient so": "12 . Patient so",
        },
    ),
    Rule(
        "quote between words, and its neighbours",
        r"""(?<=\w)"(?=[\w<-])|(?<=")[<-]|(?<=-)"|(?<=[A-Za-z])[“”](?=\W)""",
        {
            'so"lo': 'so " lo',
            'a"-"b': 'a " - " b',
            "“No”—he": "“ No ” — he",
        },
    ),
    Rule(
        "hyphen before or after a number or a sum",
        r"(?<=[A-Za-z])-(?=[0-9$])|(?<=[0-9])-(?=\$)|(?<=%)-(?=[0-9])",
        {
            "an F-16": "an F - 16",
            "$4-$6": "$ 4 - $ 6",
            "3.5%-4%": "3.5 % - 4 %",
        },
    ),
    Rule(
        "hyphen after initials",
        r"(?<=\.)-(?=[A-Za-z])",
        {
            "(U.S.-led)": "( U.S. - led )",
            "A.M.-so": "A.M. - so",
        },
    ),
    Rule(
        "sign of money, percent or half of the day in a range",
        r"(?<=[-–])[$£€](?=[0-9])|(?<=[0-9])%(?=-)|(?<=[0-9])(?:[ap]m|[AP]M)(?=-)",
        {
            "$5–$10": "$ 5 – $ 10",
            "3.5%-4%": "3.5 % - 4 %",
            "9am-5pm": "9 am - 5 pm",
        },
    ),
    Rule(
        "mark between numbers",
        r"(?<=[0-9])['’–](?=[$£€]?[0-9])",
        {
            "is 5'2": "is 5 ' 2",
            "1990–95": "1990 – 95",
        },
    ),
    Rule(
        "mark between a word and a number",
        r"(?<=[A-Za-z])[#:](?=[0-9])",
        {
            "tele#84": "tele # 84",
            "fax:84": "fax : 84",
        },
    ),
    Rule(
        "semicolon between words",
        r"(?<=[a-z]);(?=[a-z])",
        {
            "so;lo": "so ; lo",
            "he left;she came": "he left ; she came",
        },
    ),
    Rule(
        "dash between words",
        r"(?<=[\w”’)])—(?=[\w“‘(])",
        {
            "so—lo": "so — lo",
            "He—she": "He — she",
        },
    ),
)

_REMARKS = (
    r"sic|dubious|edit|update|emphasis (?:added|mine)|original research\?"
    r"|(?:[a-z]+ ){1,3}needed|not in citation given|(?:[a-z]+ ){0,2}wh(?:o|om|en|ere|ich|at|y)\?"
)
REMARK = remark(
    _REMARKS,
    {
        "so.[citation needed] Lo": "so . [ citation needed ] Lo",
        "some[who?] say": "some [ who ? ] say",
        "he were [sic] here": "he were [ sic ] here",
    },
)

SPACED_NOTE = spaced_note(
    BEFORE_CITATIONS,
    {
        "in 1950 [3] but": "in 1950 [ 3 ] but",
        "cells [2,3] and": "cells [ 2,3 ] and",
    },
)

_DIVIDED = """
    wan+na Wan+na WAN+NA gim+me Gim+me GIM+ME lem+me Lem+me LEM+ME GON+NA GOT+TA
    'T+is 't+is 'T+was 't+was 'T+IS 'T+WAS a+lot Let+s out+ta lot+ta
    d'+you D'+you y'+know and+/+or CAN+NOT CA+NT DO+NT WO+NT
""".split()

TOKENS = TokenRules(
    whole=WHOLE_TOKENS,
    joined=JOINED,
    cuts=CUTS,
    prefixes=(*_BEFORE_MARKS, *MARKS, *_BEFORE_WORDS),
    suffixes=(*MARKS, *_AFTER_WORDS),
    infixes=(*_WITHIN_WORDS, *MARKS),
    notes=(*NOTES, REMARK, SPACED_NOTE),
    kept=WHOLE,
    divided={parts.replace("+", ""): parts.split("+") for parts in _DIVIDED},
    # An emoticon that is more often a bracket and a colon; words that are more often
    # other ones than contractions without an apostrophe; words that `whole` has.
    dropped_words=frozenset("): id Id wed Wed y'all yall".split()),
    dropped_suffixes=frozenset({r"\.\.+"}),
    abbreviations=ABBREVIATIONS,
    units=AFTER_NUMBERS,
    before_numbers=BEFORE_NUMBERS,
    before_letters=BEFORE_LETTERS,
    unmarked={"its": 2, "your": 3},
    after_unmarked=AFTER_UNMARKED,
)
