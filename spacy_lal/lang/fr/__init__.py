"""French: the conventions of Sequoia, as `projects/french` converts it."""

from pathlib import Path

from ..conventions import Conventions, Guidelines
from ..lemma_table import LemmaTable
from .tokens import TOKENS

PUNCTUATION_TAGS = frozenset({"PONCT"})

SUBJECTS = (
    "-je -tu -il -elle -on -ils -elles -t-il -t-elle -t-on -t-ils -t-elles".split()
)

# SENT stands over each sentence and is a label.
CONVENTIONS = Conventions(
    code="fr",
    root_labels=frozenset({"ROOT", ""}),
    punctuation_tags=PUNCTUATION_TAGS,
    mark_tags=PUNCTUATION_TAGS,
    evalb_deleted=("TOP", "ROOT", "-NONE-", *PUNCTUATION_TAGS),
    clause_labels=frozenset("SENT Sint Srel Ssub".split()),
    guidelines=Guidelines(
        pronouns={
            **dict.fromkeys(SUBJECTS, "nsubj"),
            "-le": "obj",
            "-la": "obj",
            "-les": "obj",
            **dict.fromkeys(("leur", "-leur", "-lui", "-en", "-y"), "iobj"),
        },
    ),
    read_as=dict.fromkeys("«»„“”‹›", '"'),
    tokens=TOKENS,
    lemmas=LemmaTable(Path(__file__).with_name("lemmas.tsv.gz")),
    default_package="fr_lal_md",
)
