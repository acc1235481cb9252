"""Marks that are one token in every language: runs of marks, operators, pictures and
tags of HTML."""

import re
from collections.abc import Iterable, Mapping

from .conventions import Rule, TokenRules

_PICTURES = (
    "["
    "\u2600-\u27bf"
    "\u2190-\u21ff"
    "\u2b00-\u2bff"
    "\U0001f000-\U0001faff"
    "\u203c\u2049\u2122\u3030\u303d\u3297\u3299©®"
    "]"
)
# Selectors of a variant, the frame of a key, colours of skin, letters of a flag.
_VARIANTS = "[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
_PICTURE = f"{_PICTURES}{_VARIANTS}"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_KEY = "[0-9#*]\ufe0f?\u20e3"
_JOINER = "\u200d"
_TAGS = (
    r"a|abbr|b|big|body|br|button|center|code|div|em|font|footer|form|h[1-6]|head|header"
    r"|hr|html|i|img|input|label|li|link|main|meta|nav|ol|option|p|pre|q|s|script|section"
    r"|select|small|span|strike|strong|style|sub|sup|table|tbody|td|th|thead|title|tr|tt"
    r"|u|ul"
)

TAG = Rule(
    "tag of HTML",
    rf"</?(?i:{_TAGS})(?:\s*/)?>",
    {
        "<b>old</b>": "<b> old </b>",
        "<p>Hello.</p>": "<p> Hello . </p>",
        "one<br/>two": "one <br/> two",
    },
)
PICTURE = Rule(
    "picture, one with a colour, several joined, a flag, a key",
    f"(?:{_FLAG}|{_KEY}|{_PICTURE}(?:{_JOINER}(?:{_PICTURE}))*)",
    {
        "ok👍🏽👍🏽!": "ok 👍🏽 👍🏽 !",
        "So ❤️ 🇮🇸": "So ❤️ 🇮🇸",
        "👨‍👩‍👧‍👦 1️⃣": "👨‍👩‍👧‍👦 1️⃣",
    },
)
OPERATOR = Rule(
    "operator",
    r"(?:<->|<=>|\+/-|[<>!:+*/]=|->|<-|=>|&&|\|\||::)",
    {
        "a->b": "a -> b",
        "x!=3 y>=2": "x != 3 y >= 2",
        "a<=>b c&&d": "a <=> b c && d",
        "5+/-2 x||y": "5 +/- 2 x || y",
    },
)
LINK = Rule(
    "address within other text",
    r"(?:(?:https?|ftp|file)://|www\.)[^\s()<>\[\]\"]*[^\s()<>\[\]\".,;:!?'`]",
    {
        "[so](https://x.org/a/b)": "[ so ] ( https://x.org/a/b )",
        "so(www.a.org).": "so ( www.a.org ) .",
    },
)
BEFORE_LINK = Rule(
    "brackets before an address",
    r"\](?=\()|[(\[](?=https?://|www\.)",
    {
        "[so](https://x.org/a/b)": "[ so ] ( https://x.org/a/b )",
        "so(www.a.org).": "so ( www.a.org ) .",
    },
)
SHOUTS = (
    Rule(
        "marks of a shout or a question",
        r"[.!?]*[!?][.!?]+",
        {
            "So!!!": "So !!!",
            "So?! Lo?..": "So ?! Lo ?..",
        },
    ),
    Rule(
        "dots of an ellipsis",
        r"[.]{3,}",
        {
            "So...": "So ...",
            "so.....lo": "so ..... lo",
        },
    ),
)
AFTER_ABBREVIATION = Rule(
    "full stop after the full stop of an abbreviation",
    r"(?<=[A-Za-z][.])[.]",
    {
        "in U.S..": "in U.S. .",
        "of K.M.. so": "of K.M. . so",
    },
)
RUNS = (
    Rule(
        "comma or colon and a mark",
        r"[,:][?!](?![?!])",
        {
            "so:?": "so :?",
            "so,! lo": "so ,! lo",
        },
    ),
    AFTER_ABBREVIATION,
    Rule(
        "two single quotes",
        r"‘’|’’|‘‘",
        {
            "‘’So": "‘’ So",
            "So.’’": "So . ’’",
        },
    ),
    Rule(
        "line of dashes",
        r"[-=]{3,}",
        {
            "---=": "---=",
            "so ----== lo": "so ----== lo",
        },
    ),
    Rule(
        "line of several marks",
        r"[-=+*|<>{}]{6,}",
        {
            "+------+": "+------+",
            "|--------+--->": "|--------+--->",
        },
    ),
    Rule(
        "run of one mark",
        r"={2,}|\*{2,}|_{2,}|#{2,}|~{2,}|<{2,}|>{2,}|\${2,}|\+{2,}|-{2,}",
        {
            "<<so>>": "<< so >>",
            "**so** ~~ ###": "** so ** ~~ ###",
            "so -- lo ______": "so -- lo ______",
            "$$$ so++": "$$$ so ++",
        },
    ),
    OPERATOR,
)
MARKS = (TAG, PICTURE, *SHOUTS, *RUNS)
# Of languages without rules for the abbreviations.
PLAIN_MARKS = tuple(rule for rule in MARKS if rule is not AFTER_ABBREVIATION)

# A mark of a note stands after a word or a stop. Each pattern begins with a literal
# character, before what must precede it: a search then skips texts without marks fast.
_AFTER = r"[\w.,;:!?)\]\"'”’»…%]"
_NUMBERS = r"\^?\d{1,3}(?:[-–,;] ?\d{1,3})*"
_SPACED = r"\d{1,3}(?:(?:[-–]|[,;] ?)\d{1,3})*"
_LETTERS = r"[a-z]{1,2}|[ivx]{3,4}"
_SIGNS = r"[*†‡§α-ω]{1,2}"
_NAMED = r"(?i:[^\W\d_]{1,6}(?:-[a-z]{5})?)\.? ?\d{1,3}"
NOTES = (
    Rule(
        "number, letter or name of a note in brackets",
        rf"\[(?:(?<={_AFTER}\[)|(?<=\d\][–-]\[))"
        rf"(?:{_NUMBERS}|{_LETTERS}|{_SIGNS}|{_NAMED})\]",
        {
            "in 1950.[3] So": "in 1950 . [ 3 ] So",
            "burnt.[note 2] It": "burnt . [ note 2 ] It",
            "so,[a] lo[4][12]": "so , [ a ] lo [ 4 ] [ 12 ]",
            "so[*] lo.[†]": "so [ * ] lo . [ † ]",
        },
    ),
    Rule(
        "comma or dash between numbers of notes",
        r"[,;–-](?<=\d\].)(?=\[\d{1,3}\])",
        {
            "so.[3],[4] Lo": "so . [ 3 ] , [ 4 ] Lo",
            "so[3]–[5] lo": "so [ 3 ] – [ 5 ] lo",
        },
    ),
    Rule(
        "page after the number of a note",
        r":(?<=\d\]:)\d{1,4}(?:[-–]\d{1,4})?",
        {
            "so.[4]:23 Lo": "so . [ 4 ] : 23 Lo",
            "so[4]:7 lo": "so [ 4 ] : 7 lo",
        },
    ),
    Rule(
        "the same place, in brackets",
        r"\((?<=\S[ (]\()(?i:ibid|op\. cit|loc\. cit)\.?(?:,? (?:p+\. )?\d{1,4})?\)",
        {
            "he (ibid) left": "he ( ibid ) left",
            "he (Ibid, 12) left": "he ( Ibid , 12 ) left",
        },
    ),
    Rule(
        "raised number of a note",
        r"[¹²³⁰⁴-⁹]"
        r"(?:(?<=[.,;:!?)\]\"”’»].)|(?<=[^\W\d_]{3}.)|(?<=\b1\d{3}.)|(?<=\b20\d\d.))"
        r"[¹²³⁰⁴-⁹]*(?:[,⁻˒][¹²³⁰⁴-⁹]+)*(?!\w)",
        {
            "the end.² So": "the end . ² So",
            "some word¹² so": "some word ¹² so",
            "in 1950¹ so": "in 1950 ¹ so",
        },
    ),
    Rule(
        "asterisk of a note",
        r"\*(?:(?<=[.,;:!?)\]\"”’»%]\*)|(?<=[^\W_]{2}\*))\*{0,2}(?=[\s.,;:!?)\]\"”’»]|$)",
        {
            "the end.* So": "the end . * So",
            "some word** so": "some word ** so",
            "terms apply*.": "terms apply * .",
        },
    ),
    Rule(
        "dagger of a note",
        rf"[†‡](?<={_AFTER}.)[†‡]*",
        {
            "a word† so": "a word † so",
            "the end.‡ So": "the end . ‡ So",
        },
    ),
)


def remark(pattern: str, examples: Mapping[str, str]) -> Rule:
    """The rule for remarks of editors in brackets ("[citation needed]").

    pattern (str): The remarks of the language, in any case."""
    return Rule(
        "remark of an editor in brackets",
        rf"\[(?<=\S.\[)(?i:{pattern})\]",
        examples,
    )


def spaced_note(before: Iterable[str], examples: Mapping[str, str]) -> Rule:
    """The rule for numbers of notes in brackets after a space ("in 1950 [3] but").

    before (Iterable[str]): Words of the language, lower case, after which such a number
        is a word itself ("see [3]")."""
    not_after = "".join(rf"(?<!\b{re.escape(word)} \[)" for word in sorted(before))
    return Rule(
        "number of a note in brackets, after a space",
        rf"\[(?<=[\w%)\"”’»,] \[)(?<!\], \[)(?i:{not_after}){_SPACED}\]"
        rf"(?:(?:[,;] | ?[–-] ?| )?\[{_SPACED}\])*(?![\w(\[])",
        examples,
    )


# Asterisks around words are no marks of notes.
EMPHASIS = r"\*(?<![\w.,;:!?)]\*)\*{0,2}(?=\w)[^*\n]+\*+"
TOKENS = TokenRules(prefixes=MARKS, suffixes=MARKS, infixes=(LINK, *MARKS), notes=NOTES)
