"""The structures of English syntax that L2SCA counts (Lu 2010, "Automatic analysis of
syntactic complexity in second language writing", International Journal of Corpus
Linguistics 15:4), as patterns of tgrep over Penn trees below a node ROOT."""

from ..conventions import Structure

_FINITE = "MD|VBZ|VBP|VBD"
_FINITE_VERB_PHRASE = f"VP [<# {_FINITE} | < CC < (VP <# {_FINITE})]"
_CLAUSE = f"S|SINV|SQ [> ROOT <, (VP <# VB) | <# {_FINITE} | < ({_FINITE_VERB_PHRASE})]"
_T_UNIT = "S|SBARQ|SINV|SQ [> ROOT | $,, S|SBARQ|SINV|SQ !>> SBAR|VP]"
_DEPENDENT_CLAUSE = f"SBAR < ({_CLAUSE})"

STRUCTURES = (
    Structure("VP1", "verb phrase", "VP > S|SINV|SQ"),
    Structure("VP2", "verb of a question", f"{_FINITE} > (SQ !< VP)"),
    Structure("C1", "clause", _CLAUSE),
    Structure("C2", "fragment clause", f"FRAG > ROOT !<< ({_CLAUSE})"),
    Structure("T1", "T-unit", _T_UNIT),
    Structure("T2", "fragment T-unit", f"FRAG > ROOT !<< ({_T_UNIT})"),
    Structure(
        "CN1",
        "complex noun phrase",
        "NP !> NP [<< JJ|POS|PP|S|VBG | << (NP $.. NP !$. CC)]",
    ),
    Structure(
        "CN2",
        "nominal clause",
        "SBAR [<# WHNP | <# (IN < That|that|For|for) | <, S] [$. VP | > VP]",
    ),
    Structure("CN3", "gerund or infinitive as subject", "S < (VP <# VBG|TO) $. VP"),
    Structure("DC", "dependent clause", _DEPENDENT_CLAUSE),
    Structure("CT", "complex T-unit", f"{_T_UNIT} << ({_DEPENDENT_CLAUSE})"),
    Structure("CP", "coordinate phrase", "ADJP|ADVP|NP|VP < CC"),
)
# Sentence nodes, which weigh more in Frazier's (1985) depth.
CLAUSE_LABELS = frozenset("S SBAR SBARQ SINV SQ".split())
