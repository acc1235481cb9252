"""Tags, labels and rolesets of English: the Penn Treebank (Bies et al., 1995;
Santorini, 1990), OntoNotes and PropBank."""

from ..conventions import NounChunks

# Zhou & Zhao (2019) and Mrini et al. (2020) take a tag for punctuation if it lies
# within this string.
PUNCTUATION_TAGS = ".``'':,"
MARK_TAGS = frozenset("`` '' , : . -LRB- -RRB- HYPH NFP".split())
# "" is the outer bracket of the Penn Treebank.
ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})
# Of COLLINS.prm, as the pair of equal labels.
EVALB_DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
EVALB_EQUAL = (("ADVP", "PRT"),)

PREPOSITION_TAGS = frozenset({"IN", "TO"})
# Phrases in which a preposition may stand beside a noun phrase.
PHRASES_OF_PREPOSITIONS = frozenset({"PP", "WHPP", "SBAR"})

NOUN_CHUNKS = NounChunks(
    phrases=frozenset({"NP", "WHNP"}),
    prenominal=frozenset("ADJP ADVP INTJ LST NAC NML NX QP UCP WHADJP".split()),
    nominal=frozenset("NAC NML NX UCP".split()),
    nouns=frozenset("NOUN PROPN PRON NN NNS NNP NNPS PRP WP".split()),
    not_heads=frozenset({"EX", "PRP$", "WP$"}),
    possessive=frozenset({"POS", "'s", "'", "’s", "’"}),
    numbers=frozenset({"NUM", "CD"}),
    separating=frozenset({"CC", ","}),
)

# Auxiliaries and modals, as the frames of PropBank 3.1 name them.
AUXILIARY_ROLESETS = frozenset(
    """
    be.03 become.03 do.01 get.24 go.04 have.01 have.02 use.03
""".split()
)
# Labels that share a colour in pictures.
LABEL_FAMILIES = {
    "noun phrase": "NP NML NX NAC QP".split(),
    "verb phrase": ["VP"],
    "prepositional phrase": ["PP"],
    "clause": ["S"],
    "question, inversion": "SINV SQ SBARQ".split(),
    "subordinate clause": ["SBAR"],
    "adjective phrase": ["ADJP"],
    "adverb phrase, particle": ["ADVP", "PRT"],
    "wh-phrase": "WHNP WHPP WHADVP WHADJP".split(),
    "coordination": "CONJP UCP RRC".split(),
    "parenthesis, interjection": ["PRN", "INTJ"],
    "fragment, list, other": "FRAG LST META X TOP".split(),
}
