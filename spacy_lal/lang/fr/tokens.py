"""French: tokens as Sequoia has them. A pronoun after its verb is a token with its
hyphen (`a -t-elle`); a compound is one token (`celle-ci`)."""

from ..conventions import Rule, TokenRules
from ..marks import BEFORE_LINK, LINK, NOTES, PLAIN_MARKS, remark, spaced_note

_HYPHEN = "[-‑]"
_SUBJECT = "(?:elles?|ils?|on)"
_PRONOUN = "(?:ce|elles?|en|ils?|je|las?|les?|leur|lui|moi|nous|on|toi|tu|vous|y)"
_CLITIC = f"(?:{_HYPHEN}t{_HYPHEN}{_SUBJECT}|{_HYPHEN}{_PRONOUN})"
_WORD_END = rf"(?![\w'’]|{_HYPHEN}\w)"

PRONOUN = Rule(
    "pronoun after its verb, with its hyphen",
    rf"(?i:(?<=\w)(?<!\brendez){_CLITIC}(?=(?:{_CLITIC})*{_WORD_END}))",
    {
        "Nous a-t-elle précisé ceci ?": "Nous a -t-elle précisé ceci ?",
        "A-t-il mangé ?": "A -t-il mangé ?",
        "Mange-t-on ici ?": "Mange -t-on ici ?",
        "Où va-t-il ?": "Où va -t-il ?",
        "Dit-il vrai ?": "Dit -il vrai ?",
        "Sont-elles là ?": "Sont -elles là ?",
        "Aimes-tu ça ?": "Aimes -tu ça ?",
        "Donne-le-moi.": "Donne -le -moi .",
        "QU'EST-CE QUE": "QU' EST -CE QUE",
        "Isle-sur-le-Doubs": "Isle-sur-le-Doubs",
        "un rendez-vous": "un rendez-vous",
    },
)
REFLEXIVE = Rule(
    "reflexive pronoun before another",
    rf"(?i:(?<=\w){_HYPHEN}[mt]['’](?=(?:en|y)\b))",
    {
        "Va-t'en !": "Va -t' en !",
        "Souviens-t'en.": "Souviens -t' en .",
    },
)
PLACE = Rule(
    "« là » after a noun",
    rf"(?i:(?<=\w)(?<!\bcelui)(?<!\bceux)(?<!\bcelle)(?<!\bcelles)(?<!\bjusque)"
    rf"(?<!\bpar)(?<!\bde){_HYPHEN}là{_WORD_END})",
    {
        "ce jour-là": "ce jour -là",
        "celui-là": "celui-là",
    },
)
ELISION = Rule(
    "elided word before a quotation",
    r"(?i:\b(?:[cdjlmnst]|\w*qu)['’](?=[\"«“(]))",
    {
        'd\'"acheter"': 'd\' " acheter "',
        'l\'"exigence"': 'l\' " exigence "',
    },
)
HOUR = Rule(
    "sign of the hour between or after numbers",
    r"(?<=\d)[hH](?=\d\d(?!\w)|(?!\w))",
    {
        "de 14h30 à 18h.": "de 14 h 30 à 18 h .",
        "à 9h": "à 9 h",
        "à 9 h.": "à 9 h .",
    },
)
BRACKET = Rule(
    "bracket before a mark",
    r"(?<=\])(?=[.,;:])",
    {
        "en 1950 [2].": "en 1950 [ 2 ] .",
        "ici [3], oui": "ici [ 3 ] , oui",
    },
)
FINAL_STOP = Rule(
    "full stop after a letter at the end of a text",
    r"(?<=[a-zß-ÿ] [A-Z])(?=\.\s*$)",
    {
        "dans la salle B.": "dans la salle B .",
        "le vol de Jean B. Martin": "le vol de Jean B. Martin",
    },
)
COMPOUND = Rule(
    "words with hyphens",
    rf"(?i:rendez-vous|c['’]est-à-dire|(?:ce(?:lui|ux|lles?)|jusque|par|de)-là"
    rf"|(?<!\w)\w+(?:{_HYPHEN}(?!(?:t{_HYPHEN})?{_PRONOUN}(?:{_CLITIC})*{_WORD_END}"
    rf"|là{_WORD_END}|[mt]['’])\w+)+)",
    {
        "Celle-ci, au Royaume-Uni": "Celle-ci , au Royaume-Uni",
        "le 2006-08-07": "le 2006-08-07",
        "C'est-à-dire moi-même": "C'est-à-dire moi-même",
        "là-bas peut-être": "là-bas peut-être",
    },
)
NUMBER = Rule(
    "number with spaces between thousands",
    "(?<![\\d.,])\\d{1,3}(?:[ \u00a0\u202f]\\d{3})+(?![\\d])",
    {
        "10\u202f000 euros": "10\u202f000 euros",
        "125\u00a0000": "125\u00a0000",
    },
)
ENDING = Rule(
    "word with an ending in brackets",
    r"(?<!\w)\w+\((?i:e|s|es)\)",
    {
        "traité(e)": "traité(e)",
        "MISE(S) EN GARDE": "MISE(S) EN GARDE",
    },
)
FIXED = Rule(
    "signs and words of two parts",
    r"(?:°C\b|(?i:\b(?:l['’]on|quelqu['’]une?)\b))",
    {
        "Il y a quelqu'un ?": "Il y a quelqu'un ?",
        "à 25 °C.": "à 25 °C .",
        "que l'on voit": "que l'on voit",
    },
)
# Words after which a number in brackets is no mark of a note: « voir [3] ».
BEFORE_CITATIONS = frozenset(
    """
    à
    avec
    cf
    chez
    comme
    dans
    de
    des
    du
    en
    entre
    et
    est
    figure
    ligne
    note
    ou
    page
    par
    pour
    que
    selon
    sont
    sur
    tableau
    voir
    équation
    """.split()
)
REMARK = remark(
    r"sic|réf\. (?:nécessaire|souhaitée|à confirmer|insuffisante|non conforme)"
    r"|(?:précision|source|citation) (?:nécessaire|souhaitée|insuffisante)"
    r"|(?:combien|où|pourquoi|quand|quels?|quelles?|qui) ?\?",
    {
        "à Paris[réf. nécessaire] en": "à Paris [ réf . nécessaire ] en",
        "certains[qui ?] disent": "certains [ qui ? ] disent",
    },
)
SPACED_NOTE = spaced_note(
    BEFORE_CITATIONS,
    {
        "en 1950 [3] mais": "en 1950 [ 3 ] mais",
        "le roi [2, 3]": "le roi [ 2 , 3 ]",
    },
)

TOKENS = TokenRules(
    joined=(
        PRONOUN,
        REFLEXIVE,
        PLACE,
        ELISION,
        COMPOUND,
        NUMBER,
        ENDING,
        FIXED,
    ),
    cuts=(PRONOUN, REFLEXIVE, PLACE, ELISION, HOUR, BRACKET, FINAL_STOP),
    prefixes=PLAIN_MARKS,
    suffixes=PLAIN_MARKS,
    infixes=(BEFORE_LINK, LINK, *PLAIN_MARKS),
    notes=(*NOTES, REMARK, SPACED_NOTE),
    dropped_words=frozenset({"h."}),
)
