"""The meaning of labels: constituents of the Penn Treebank with function tags and unary chains, deprels of Universal
Dependencies with subtypes, tags of the Penn Treebank, UPOS. *Not* here: roles of PropBank (`trees/frames.py`)."""

import warnings
from typing import Dict, List, Optional, Tuple

# Bies et al. (1995), Bracketing Guidelines for Treebank II Style; the last block: extensions of English treebanks for
# the web, biomedical text and speech, labels of GreynirCorpus (Icelandic), and labels that files and this package add.
CONSTITUENTS: Dict[str, str] = {
    "S": "simple declarative clause",
    "SBAR": "clause introduced by a subordinating conjunction, possibly empty, or a wh-phrase",
    "SBARQ": "direct question introduced by a wh-word or wh-phrase",
    "SINV": "inverted declarative sentence: the subject follows the verb",
    "SQ": "inverted yes/no question, or main clause of a wh-question",
    "ADJP": "adjective phrase",
    "ADVP": "adverb phrase",
    "CONJP": "conjunction phrase of several words",
    "FRAG": "fragment",
    "INTJ": "interjection",
    "LST": "list marker, with its punctuation",
    "NAC": "not a constituent: shows the scope of prenominal modifiers within a noun phrase",
    "NP": "noun phrase",
    "NX": "head of a complex noun phrase, without its shared modifiers",
    "PP": "prepositional phrase",
    "PRN": "parenthetical",
    "PRT": "particle",
    "QP": "quantifier phrase within a noun phrase",
    "RRC": "reduced relative clause",
    "UCP": "phrase of coordinated unlike constituents",
    "VP": "verb phrase",
    "WHADJP": "wh-adjective phrase",
    "WHADVP": "wh-adverb phrase",
    "WHNP": "wh-noun phrase",
    "WHPP": "wh-prepositional phrase",
    "X": "other: as constituent, unknown, uncertain or without brackets; as UPOS, no other part of speech",
    "CIT": "citation",
    "EDITED": "corrected part of speech, with its repair",
    "META": "metadata of a text, such as a mail's header",
    "NML": "nominal modifier of several words within a noun phrase",
    "TYPO": "typing error",
    "CAPTION": "caption",
    "HEADING": "heading",
    "TITLE": "title",
    "CODE": "speaker code of a transcript",
    "S0": "sentence, above all its clauses (GreynirCorpus)",
    "IP": "inflectional phrase: a clause with its subject and verb, or an infinitive clause (GreynirCorpus)",
    "CP": "subordinate clause with its conjunction or pronoun (GreynirCorpus)",
    "P": "preposition (GreynirCorpus)",
    "C": "conjunction (GreynirCorpus)",
    "FOREIGN": "foreign words (GreynirCorpus)",
    "TOP": "root of a tree",
    "S1": "root of a tree",
    "VROOT": "virtual root of a tree",
    "<H>": "node that only binds a head to its dependents; no tree shows it",
}

# Bies et al. (1995), section 2.2.
FUNCTIONS: Dict[str, str] = {
    "ADV": "adverbial",
    "NOM": "nominal",
    "DTV": "dative",
    "LGS": "logical subject in a passive",
    "PRD": "predicate other than a verb phrase",
    "PUT": "locative complement of put",
    "SBJ": "surface subject",
    "TPC": "topicalized",
    "VOC": "vocative",
    "BNF": "benefactive",
    "DIR": "direction",
    "EXT": "extent",
    "LOC": "locative",
    "MNR": "manner",
    "PRP": "purpose or reason",
    "TMP": "temporal",
    "CLR": "closely related to the verb",
    "CLF": "cleft",
    "HLN": "headline",
    "TTL": "title",
    "ETC": "end of a list, such as et cetera",
    "IMP": "imperative",
    "UNF": "unfinished",
    "SEZ": "reported speech",
    "TRC": "trace",
}

# Santorini (1990), Part-of-Speech Tagging Guidelines for the Penn Treebank; the last block: later English treebanks.
TAGS: Dict[str, str] = {
    "CC": "coordinating conjunction",
    "CD": "cardinal number",
    "DT": "determiner",
    "EX": "existential there",
    "FW": "foreign word",
    "IN": "preposition or subordinating conjunction",
    "JJ": "adjective",
    "JJR": "adjective, comparative",
    "JJS": "adjective, superlative",
    "LS": "list item marker",
    "MD": "modal verb",
    "NN": "noun, singular or mass",
    "NNS": "noun, plural",
    "NNP": "proper noun, singular",
    "NNPS": "proper noun, plural",
    "PDT": "predeterminer",
    "POS": "possessive ending",
    "PRP": "personal pronoun",
    "PRP$": "possessive pronoun",
    "RB": "adverb",
    "RBR": "adverb, comparative",
    "RBS": "adverb, superlative",
    "RP": "particle",
    "SYM": "symbol",
    "TO": "to, as preposition or infinitive marker",
    "UH": "interjection",
    "VB": "verb, base form",
    "VBD": "verb, past tense",
    "VBG": "verb, gerund or present participle",
    "VBN": "verb, past participle",
    "VBP": "verb, present tense other than third person singular",
    "VBZ": "verb, present tense, third person singular",
    "WDT": "wh-determiner",
    "WP": "wh-pronoun",
    "WP$": "possessive wh-pronoun",
    "WRB": "wh-adverb",
    ".": "punctuation at the end of a sentence",
    ",": "comma",
    ":": "colon, semicolon, dash or ellipsis",
    "-LRB-": "left bracket",
    "-RRB-": "right bracket",
    "-LSB-": "left square bracket",
    "-RSB-": "right square bracket",
    "-LCB-": "left curly bracket",
    "-RCB-": "right curly bracket",
    "(": "left bracket",
    ")": "right bracket",
    "``": "opening quotation mark",
    "''": "closing quotation mark",
    '"': "quotation mark",
    "$": "currency sign",
    "#": "number sign, or pound sign",
    "-NONE-": "trace: an empty element",
    "ADD": "e-mail or web address",
    "AFX": "affix",
    "GW": "additional word of a split word",
    "HYPH": "hyphen",
    "NFP": "superfluous punctuation",
    "XX": "unknown",
    "_SP": "white space",
}

UPOS: Dict[str, str] = {
    "ADJ": "adjective",
    "ADP": "adposition",
    "ADV": "adverb",
    "AUX": "auxiliary",
    "CCONJ": "coordinating conjunction",
    "CONJ": "conjunction (version 1 of Universal Dependencies)",
    "DET": "determiner",
    "NOUN": "noun",
    "NUM": "numeral",
    "PART": "particle",
    "PRON": "pronoun",
    "PROPN": "proper noun",
    "PUNCT": "punctuation",
    "SCONJ": "subordinating conjunction",
    "VERB": "verb",
    "SPACE": "white space (spaCy)",
}

# Universal Dependencies, version 2; the last blocks: version 1, and the scheme of spaCy's English pipelines (CLEAR).
DEPRELS: Dict[str, str] = {
    "acl": "adnominal clause, a clausal modifier of a noun",
    "advcl": "adverbial clause modifier",
    "advmod": "adverbial modifier",
    "amod": "adjectival modifier",
    "appos": "appositional modifier",
    "aux": "auxiliary",
    "case": "case marker, such as a preposition",
    "cc": "coordinating conjunction",
    "ccomp": "clausal complement",
    "clf": "classifier",
    "compound": "compound",
    "conj": "conjunct",
    "cop": "copula",
    "csubj": "clausal subject",
    "dep": "unspecified dependency",
    "det": "determiner",
    "discourse": "discourse element",
    "dislocated": "dislocated element",
    "expl": "expletive",
    "fixed": "fixed multiword expression",
    "flat": "flat expression without a head, such as a name",
    "goeswith": "part of a word that is wrongly split",
    "iobj": "indirect object",
    "list": "item of a list",
    "mark": "marker of a subordinate clause",
    "nmod": "nominal modifier of a noun",
    "nsubj": "nominal subject",
    "nummod": "numeric modifier",
    "obj": "object",
    "obl": "oblique nominal, an argument or adjunct of a verb",
    "orphan": "dependent of an elided predicate",
    "parataxis": "loosely joined clause",
    "punct": "punctuation",
    "reparandum": "overridden part of corrected speech",
    "root": "root of the sentence",
    "ROOT": "root of the sentence (spaCy's name), or of a tree",
    "vocative": "vocative",
    "xcomp": "open clausal complement, whose subject is elsewhere",
    "auxpass": "auxiliary, passive",
    "csubjpass": "clausal subject, passive",
    "dobj": "direct object",
    "foreign": "foreign words",
    "mwe": "fixed multiword expression",
    "name": "name of several words",
    "neg": "negation modifier",
    "nsubjpass": "nominal subject, passive",
    "remnant": "remnant of an ellipsis",
    "acomp": "adjectival complement",
    "agent": "agent of a passive",
    "attr": "predicate nominal",
    "dative": "dative",
    "intj": "interjection",
    "meta": "meta modifier",
    "npadvmod": "noun phrase as adverbial modifier",
    "oprd": "object predicate",
    "pcomp": "complement of a preposition, a clause",
    "pobj": "object of a preposition",
    "poss": "possession modifier",
    "preconj": "pre-correlative conjunction",
    "predet": "predeterminer",
    "prep": "prepositional modifier",
    "prt": "particle",
    "quantmod": "modifier of a quantifier",
    "relcl": "relative clause modifier",
}

SUBTYPES: Dict[str, str] = {
    "agent": "agent of a passive",
    "arg": "argument",
    "adj": "adjectival",
    "cleft": "cleft",
    "desc": "descriptor beside a name",
    "det": "determiner",
    "emph": "emphasizing",
    "foreign": "foreign words",
    "gov": "governing",
    "impers": "impersonal",
    "lmod": "of place",
    "lvc": "of a light verb construction",
    "name": "of a name",
    "npmod": "noun phrase as modifier",
    "nn": "noun compound",
    "numgov": "governing in number",
    "nummod": "numeric modifier",
    "outer": "of an outer clause",
    "pass": "passive",
    "poss": "possessive",
    "preconj": "pre-correlative",
    "predet": "predeterminer",
    "prt": "verb particle",
    "pv": "verb particle",
    "redup": "reduplication",
    "relcl": "relative clause",
    "tmod": "of time",
    "unmarked": "without case marker",
}


def explain(label: str) -> Optional[str]:
    """Describe a label, as `spacy.explain` does: of a constituent (`SBAR`, with functions `NP-SBJ-1`, a unary chain
    `S::VP`), a deprel (`nsubj:pass`), a tag (`VBZ`), or a part of speech (`ADJ`).

    RETURNS (Optional[str]): The description; None, with a warning, for an unknown label.
    RAISES (TypeError): The label is no string.

    >>> explain("S::VP"), explain("nsubj:pass")
    ('unary chain: simple declarative clause > verb phrase', 'nominal subject (passive)')
    """
    if not isinstance(label, str):
        raise TypeError(f"expected a label as a string, such as 'NP' or 'nsubj:pass', got {type(label).__name__}")
    found = _simple(label) or _chain(label) or _deprel(label)
    if found is None:
        message = f"no explanation for {label!r}: expected a label of the Penn Treebank or of Universal Dependencies"
        warnings.warn(message, stacklevel=2)
    return found


def _simple(label: str) -> Optional[str]:
    for table in (CONSTITUENTS, TAGS, UPOS, DEPRELS):
        if label in table:
            return table[label]
    return None


def _chain(label: str) -> Optional[str]:
    parts = label.split("::")
    found = [described for described in map(_constituent, parts) if described]
    if len(found) < len(parts):
        return None
    return found[0] if len(found) == 1 else f"unary chain: {' > '.join(found)}"


def _constituent(label: str) -> Optional[str]:
    """A constituent's label with functions and indices, such as `NP-SBJ-1`, `NP=2` or `ADVP|PRT`."""
    if label in CONSTITUENTS:
        return CONSTITUENTS[label]
    if "|" in label:
        described = [CONSTITUENTS.get(one) for one in label.split("|")]
        return " or ".join(one for one in described if one) if all(described) else None
    first, *functions = label.replace("=", "-").split("-")
    if first not in CONSTITUENTS or not functions:
        return None
    known: List[str] = []
    for function in functions:
        if function not in FUNCTIONS and not function.isdecimal():
            return None
        known += [FUNCTIONS[function]] if function in FUNCTIONS else []
    return f"{CONSTITUENTS[first]} ({', '.join(known)})" if known else CONSTITUENTS[first]


def _deprel(label: str) -> Optional[str]:
    first, *subtypes = label.split(":")
    if first not in DEPRELS or not subtypes or not all(subtypes):
        return None
    described: Tuple[str, ...] = tuple(SUBTYPES.get(one, f"subtype {one!r} of a treebank") for one in subtypes)
    return f"{DEPRELS[first]} ({', '.join(described)})"
