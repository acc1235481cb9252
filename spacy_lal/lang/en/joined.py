"""English: where tokens are joined or end, whatever other rules say, as English Web
Treebank and GUM have them."""

from ..conventions import Rule
from .web import FILE_TYPES, MORE_TAGS

_FILE_TYPES = "|".join(FILE_TYPES)

JOINED = (
    Rule(
        "rarer tag of HTML",
        rf"</?(?i:{'|'.join(MORE_TAGS)})(?:\s*/)?>",
        {
            "an <svg> so": "an <svg> so",
            "lo </blockquote>": "lo </blockquote>",
        },
    ),
    Rule(
        "beginning of a tag with attributes",
        r"<[A-Za-z][\w-]*(?=\s+[\w:-]+=)",
        {
            "an <img alt=5": "an <img alt=5",
            "<a-b c=5": "<a-b c=5",
        },
    ),
    Rule(
        "beginning of a declaration or a comment",
        r"<!(?:DOCTYPE\b|--)",
        {
            "<!DOCTYPE html": "<!DOCTYPE html",
            "so <!-- lo": "so <!-- lo",
        },
    ),
    Rule(
        "end of a tag after a quote",
        r"""(?<=[\"'])/>""",
        {
            '<img alt="so"/>': '<img alt= " so " />',
            "<img alt='so'/>": "<img alt= ' so ' />",
        },
    ),
    Rule(
        "formula with brackets",
        r"(?<!\w)[A-HJ-Zf-h]\([^\s()]{1,8}\)(?!\w)",
        {
            "so P(A|B)": "so P(A|B)",
            "in O(n^2),": "in O(n^2) ,",
        },
    ),
    Rule(
        "plural in -en in brackets",
        r"(?<!\w)[a-z]{2,}\(en\)",
        {
            "a woman(en)": "a woman(en)",
            "ox(en) so": "ox(en) so",
        },
    ),
    Rule(
        "plural in brackets before a hyphen",
        r"(?<!\w)\w+\(e?s\)(?:-\w+)+",
        {
            "brother(s)-in-law": "brother(s)-in-law",
            "a bus(es)-stop.": "a bus(es)-stop .",
        },
    ),
    Rule(
        "call with a quoted argument",
        r"""(?<![\w.])[A-Za-z_][\w.]*\((?:"[^\s\"'()]*"|'[^\s\"'()]*')\)""",
        {
            'a printf("hi")': 'a printf("hi")',
            "a.b('c'),": "a.b('c') ,",
        },
    ),
    Rule(
        "hashtag that begins with a number",
        r"#(?!\d+(?:st|nd|rd|th)\b)\d+[A-Za-z]\w*",
        {
            "so #100DaysOfCode": "so #100DaysOfCode",
            "#2024goals,": "#2024goals ,",
        },
    ),
    Rule(
        "longer operator",
        r"(?<![!=<>|-])(?:!==|<--+|--+>|\|>|>>=|<<=)(?![=<>|-])",
        {
            "a !== b": "a !== b",
            "a <-- b --> c": "a <-- b --> c",
        },
    ),
    Rule(
        "fence of code",
        r"```",
        {
            "``` so": "``` so",
            "```python": "``` python",
        },
    ),
    Rule(
        "international telephone number",
        r"\+\d{1,3}-\d{3}-\d{3}-\d{4}",
        {
            "at +1-555-123-4567": "at +1-555-123-4567",
            "(+354-555-123-4567)": "( +354-555-123-4567 )",
        },
    ),
    Rule(
        "number of a version with a name",
        r"(?<![\w.])(?:[vV]\d+(?:\.\d+)+|\d+(?:\.\d+){2,})(?:[-+]\w+(?:\.\w+)*)+",
        {
            "on 5.4.0-42-generic": "on 5.4.0-42-generic",
            "v10.0.1-SNAPSHOT,": "v10.0.1-SNAPSHOT ,",
        },
    ),
    Rule(
        "path from a variable",
        r"\$[A-Z]+(?:/[\w.-]*\w)+",
        {
            "in $HOME/bin": "in $HOME/bin",
            "$HOME/.a/b.": "$HOME/.a/b .",
        },
    ),
    Rule(
        "path to a file",
        rf"(?<![\w/:.-])[\w.-]+(?:/[\w.-]+)*/[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_TYPES})(?![\w/])",
        {
            "in src/main.c": "in src/main.c",
            "a/b/c.txt.": "a/b/c.txt .",
        },
    ),
    Rule(
        "digital object identifier",
        r"(?:doi:)?(?<![\d.])10\.\d{4,}/[\w./()-]*\w",
        {
            "at doi:10.1000/xyz123": "at doi:10.1000/xyz123",
            "10.1038/s41586-020-2649-2.": "10.1038/s41586-020-2649-2 .",
        },
    ),
    Rule(
        "mark shown as a picture",
        r"[^\s\w]\ufe0f",
        {
            "so ▶️": "so ▶️",
            "a ✈️!": "a ✈️ !",
        },
    ),
    Rule(
        "and, shortened",
        r"(?<!\S)['’][nN]['’](?!\S)",
        {
            "rock 'n' roll": "rock 'n' roll",
            "R ’N’ B": "R ’N’ B",
        },
    ),
    Rule(
        "continued, shortened",
        r"cont['’]d\b",
        {
            "(cont'd)": "( cont'd )",
            "cont’d so": "cont’d so",
        },
    ),
    Rule(
        "address of another kind than the web's",
        r"""(?<![a-z0-9+])(?!https?:)[a-z][a-z0-9+]+://[^\s<>\"]{0,500}[\w/]""",
        {
            "at s3://bucket/key": "at s3://bucket/key",
            "ftp://a.b/c,": "ftp://a.b/c ,",
        },
    ),
)

CUTS = (
    Rule(
        "unit of one letter at the end of a sentence",
        r"(?<=[0-9])[BKMcdghkms](?=\.(?:\s+[A-Z]|\s*$))|(?<=[0-9] )[BCFKMcdghkms](?=\.\s*$)",
        {
            "for $5M.": "for $ 5 M .",
            "the 100m. He": "the 100 m . He",
            "It took 3 h.": "It took 3 h .",
        },
    ),
    Rule(
        "quote at the beginning of an attribute",
        r"""(?<=\w=)[\"']""",
        {
            '<a href="so">': '<a href= " so " >',
            "<a href='so'>": "<a href= ' so ' >",
        },
    ),
    Rule(
        "closing quote before a bracket",
        r"""(?<=\w)[\"”](?=\()""",
        {
            '"so"(twice)': '" so " ( twice )',
            "“so”(lo)": "“ so ” ( lo )",
        },
    ),
    Rule(
        "end of a tag after an attribute",
        r"""(?<=[\"'])/?>""",
        {
            '<a b="c">so': '<a b= " c " > so',
            "<a b='c'/>so": "<a b= ' c ' /> so",
        },
    ),
    Rule(
        "index after a call",
        r"(?<=\))(?=\[)",
        {
            "get(a)[0]": "get(a) [ 0 ]",
            "(so)[1]": "( so ) [ 1 ]",
        },
    ),
    Rule(
        "number before a unit that is a word elsewhere",
        r"(?<![\w.,$£€:/-])\d+(?:\.\d+)?"
        r"(?=(?:h|wks?|ppm|dB|kW|kcal|mpg|psi|(?<=\d\d)[WV])(?![\w'’/-]))",
        {
            "in 2h": "in 2 h",
            "at 100W, 220V": "at 100 W , 220 V",
            "5.5kW so": "5.5 kW so",
        },
    ),
    Rule(
        "full stop after a path",
        r"(?<!\S)(?=\S{3})\S*/(?![A-Z][a-z]{1,4}\.|(?:[A-Za-z]\.)+[A-Za-z]\.)"
        r"(?:[^\s/]*\w)?(?=\.(?:\s|$))",
        {
            "in /etc/passwd.": "in /etc/passwd .",
            "by km/hr. So": "by km / hr . So",
        },
    ),
)
