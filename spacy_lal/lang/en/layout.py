"""English: where a sentence begins by its line: after a blank line, and at items of
lists, headings, turns of speakers and rows of tables.

An example gives the lines of a text that begin a sentence, but the first."""

from ..conventions import LayoutRules, LineKind, Rule
from .abbreviations import BEFORE_NUMBERS
from .web import BEFORE_ADDRESSES
from .words import JOINING

_TAG = r"</?(?i:p|[oud]l|li|d[dt]|t[rdh]|table|h[1-6]|div)\b[^<>]*>"
_BULLET = "[•‣◦▪●○■·☐☑☒✓✔✗✘➢►▶→★]"
_ORDINAL = r"\(?(?:[A-Z]?\d{1,3}|[a-zA-Z]|[ivx]{1,4}|[IVX]{1,4})[.)]"
_SECTION = r"\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s+[A-Z])"
_NUMBER = rf"(?:{_ORDINAL}|#\d+|{_SECTION})"
_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?"
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_STAMP = rf"(?:{_DATE},?[ T])?{_TIME}"
_CHAT_NAME = rf"(?:{_STAMP} |\[{_STAMP}\] )?<\w+>"
_BOX = r"\[[\w ][^\]\n]{0,22}\]"
_SOURCE = rf"(?:{_CHAT_NAME}|{_BOX}|{_STAMP}(?: -)?(?= \w+:)|{_DATE}[ T]{_TIME})"
_LABEL = r"\w[\w.'’-]{0,20}(?: [A-Z(][\w.'’)-]*){0,3}:"
_CAPITALS = r"[A-Z][A-Z.]*(?: [A-Z][A-Z.]*){0,3}(?: \([^()\n]{1,20}\))?:"
_GREETINGS = (
    r"dear|hi|hello|hey|good (?:morning|afternoon|evening)|best|cheers"
    r"|(?:kind |warm )?regards|love|respectfully|sincerely|thank you|thanks|thanx|thx"
    r"|yours"
)

_CALLS = (
    r"bravo|bye|cheers|congrat(?:s|ulations)|goodbye|hello|hey|hi|kudos|sorry"
    r"|thanks|thank you|thx|welcome|well done|happy (?:anniversary|birthday)"
    r"|merry christmas|good (?:afternoon|evening|job|luck|morning|night|work)"
    r"|(?:great|nice) (?:job|work)"
)
_AFTER_CALLS = r" (?:a (?:lot|million)|again|for everything|so|very|much)"
_CALLED = r"(?=(?:(?:Dr|Mrs?|Ms|Prof)\.? )?[A-Z][\w’'-]*(?: [A-Z][\w’'-]*){0,2} ?!)"

KINDS = (
    LineKind(
        "item after a bullet",
        rf"(?:{_BULLET}\s*|\*\s+)\S",
        {
            "we need\n• eggs\n• milk": "• eggs\n• milk",
            "TODO\n☐ buy stamps\n✓ done": "☐ buy stamps\n✓ done",
            "bring:\n* a coat\n  and gloves": "* a coat",
        },
        is_certain=True,
    ),
    LineKind(
        "heading",
        r"#{1,6}\s+\S|={1,6}\s?[^=\s].*=\s*$",
        {
            "# Title\nText begins here": "Text begins here",
            "It ends.\n== Part ==\nmore text": "== Part ==\nmore text",
        },
        is_certain=True,
        ends_sentence=True,
    ),
    LineKind(
        "row of a table",
        r"\|.*\||\S[^\t]*\t+\S",
        {
            "| a | b |\n| c | d |": "| c | d |",
            "Name\tAge\nBob\t12": "Bob\t12",
        },
        is_certain=True,
        ends_sentence=True,
    ),
    LineKind(
        "ruled line",
        r"(?:={3,}|-{2,}|\*{3,}|_{3,})\s*$",
        {
            "Title\n=====\ntext": "=====\ntext",
            "See you\n-- \nMaria": "-- \nMaria",
        },
        is_certain=True,
        ends_sentence=True,
    ),
    LineKind(
        "item after a dash",
        r"[-+–—]\s+\S|[–—][A-Z“\"]|[-+*][A-Za-z]",
        {
            "- KL to send it\n- JB: book it": "- JB: book it",
            "-milk\n-bread\n*eggs": "-bread\n*eggs",
            "—No.\n—Yes": "—Yes",
        },
        is_dash=True,
    ),
    LineKind(
        "item after a number or a letter",
        rf"{_NUMBER}\s+\S",
        {
            "1. eggs\n2. milk": "2. milk",
            "a) go home\nb) stay here": "b) stay here",
            "1.1 Scope\n1.2 Terms": "1.2 Terms",
            "#1 wash hands\n#2 dry them": "#2 dry them",
        },
    ),
    LineKind(
        "turn after who speaks, and when",
        rf"{_SOURCE}\s",
        {
            "[10:02] joe: hi\n[10:03] kim: hey": "[10:03] kim: hey",
            "<joe> anyone here?\n<kim> yes": "<kim> yes",
            "12:01 - Bob: hi\n12:02 - Ann: yes": "12:02 - Ann: yes",
            "2024-03-05 10:00 Up\n2024-03-05 10:01 In": "2024-03-05 10:01 In",
        },
    ),
    LineKind(
        "row of values divided by commas",
        r"(?!.*, )(?:.*?(?:[A-Za-z],\w|\d,[A-Za-z]))",
        {
            "Item in the shop of ours,Price of all,Number\nMilk of cows,1.20,3": (
                "Milk of cows,1.20,3"
            ),
            "id,name,city\n1,Ann Lee,Bern": "1,Ann Lee,Bern",
        },
    ),
    LineKind(
        "turn or field after a label",
        rf"{_LABEL}\s",
        {
            "bob: yeah whats up\nalice: nm": "alice: nm",
            "A: So, what did you do?\nB: I left.": "B: I left.",
        },
    ),
)

LAYOUT = LayoutRules(
    kinds=KINDS,
    quoted=Rule(
        "quoted mail",
        r"[ \t]*>",
        {
            "Ann wrote:\n> Can you\n> go?\nSure": "> Can you\nSure",
            "> So\nyes": "yes",
        },
    ),
    salutation=Rule(
        "salutation",
        rf"\s*(?i:{_GREETINGS})\b.{{0,30}},$",
        {
            "Dear Ms. Smith,\nthank you for it.": "thank you for it.",
            "Best,\nAnn": "Ann",
        },
    ),
    block=Rule(
        "before a block of HTML",
        r"(?:</[^<>]*>|[^\s>]|>[^\S\n]*\n)\s*"
        r"(?=<(?i:p|li|d[dt]|tr|h[1-6]|div)\b[^<>]*>)",
        {
            "<ul>\n<li>one</li>\n<p>Two": "<li>one</li>\n<p>Two",
            "it was so\n<tr>lo": "<tr>lo",
            "<p>So.</p><p>Lo.</p>": "<p>Lo.</p>",
            "<ul><li>one</li><li>two</li></ul>": "<li>two</li></ul>",
        },
    ),
    marker=Rule(
        "marker of a line",
        rf"(?:{_BULLET}|[*+|–—-]|#{{1,6}}|=+|{_NUMBER}|{_SOURCE})[ \t]+(?=\S)"
        rf"|[–—](?=[A-Z])|{_TAG}(?=\S)",
        {
            "so\n* No. Lo": "* No. Lo",
            "so\n# 5. Lo": "# 5. Lo",
        },
    ),
    source=Rule(
        "who speaks, and when",
        _SOURCE,
        {
            "<joe> Bob: hi\n<kim> yes": "<kim> yes",
            "[x] so\n[ ] lo": "[ ] lo",
        },
    ),
    label=Rule(
        "label",
        _LABEL,
        {
            "Ann: How?\nBob: So.": "Bob: So.",
            "Ann Lee: so\nBob: lo": "Bob: lo",
        },
    ),
    certain_labels=Rule(
        "label in capitals, or of quoted mail",
        rf"^[ \t]*(?:{_CAPITALS}|>+)[ \t]+(?=\S)",
        {
            "ANN (sadly): No.\nBOB: So": "BOB: So",
            "> Can you\n> go": "",
        },
    ),
    # "Michael:" may be a salutation, and "that:" a wrapped word, where it is the only
    # label.
    possible_labels=Rule(
        "label that other lines have",
        r"^[ \t]*[A-Za-z][\w.-]*:[ \t]+(?=\S)",
        {
            "Ann: How?\nBob: So.": "Bob: So.",
            "joe: a\nkim: b": "kim: b",
        },
    ),
    closing=Rule(
        "end of a heading",
        r"^=+[ \t].*[ \t](=+)[ \t]*$",
        {
            "== So ==\nlo": "lo",
            "= So. Lo =\nlo": "lo",
        },
    ),
    dash_in_prose=Rule(
        "dash between words",
        r"\S [–—] ",
        {
            "he said – so\n– I think – as": "",
            "we – so\n— she and": "",
        },
    ),
    clitic=Rule(
        "end of a contracted word",
        r"(?i:n['’]t|['’](?:s|m|d|ll|re|ve|t|em))$",
        {
            "I don't\n\nso": "so",
            "they’ve\n\nlo": "lo",
        },
    ),
    address=Rule(
        "address",
        r"(?:https?://|www\.)\S|\S+@\S+\.\S",
        {
            "see\nhttps://spacy.io": "",
            "visit www.x.org\n\nso": "so",
        },
    ),
    called=Rule(
        "greeting or thanks before a name that is called",
        rf"\b(?i:{_CALLS})(?i:{_AFTER_CALLS}){{0,3}},? {_CALLED}",
        {
            "Thanks, Anna!\n\nSo": "So",
            "Thanks again, Dr. Lee!\n\nSo": "So",
        },
    ),
    before_addresses=BEFORE_ADDRESSES,
    before_numbers=BEFORE_NUMBERS,
    joining=JOINING,
    starting=frozenset({"'T"}),
)
