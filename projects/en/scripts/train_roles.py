"""Let lal_srl of a finished pipeline go on learning, and take the mean with what it
was; all else stays as it is.

    python scripts/train_roles.py training/compact training/roles --rate 0.0008
        --read corpus/train/ewt.spacy=0.5 --verbs corpus/verbs/masc.spacy=0.5

What lal_srl reads does not change, so it is computed once: the encoder's vectors, and a
parse. Text of --read is parsed from vectors with dropout, since the parser learned from
it (`parse_with_errors.py`). --verbs has roles of verbs alone: a word that is no verb by
its gold tag has no loss of predicates. `--kept` is the share of the weights that were;
the mean is written."""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import (
    ROLES_KEY,
    get_propositions,
    sentence_words,
    set_propositions,
)
from spacy_lal.loss.gold import gold_roles
from spacy_lal.models.batches import get_shim
from spacy_lal.models.roles import begin_update
from spacy_lal.scores import MISSING, GoldRoles
from spacy_lal.treebanks.corpora import TreebankCorpus

sys.path.append(str(Path(__file__).resolve().parent))
from export_training import source  # noqa: E402
from parse_with_errors import dropped  # noqa: E402

VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD")
DROPOUT = (0.65, 0.75)  # of the vectors from which text of the training is parsed
DOCS = 16  # that are read at once
RISE = 0.05  # part of the steps in which the rate rises


class Item(NamedTuple):
    """Something to learn from: its number of words, and what the training reads."""

    size: int
    content: Any


def mask_other_words(gold: GoldRoles, tags: Sequence[str]) -> None:
    """Mask, in place, the predicates of words that are no verbs and have no roles.

    tags (Sequence[str]): The gold tag of each word.
    """
    is_other = np.array([tag not in VERB_TAGS for tag in tags], dtype=bool)
    is_other[gold.rows] = False
    gold.predicates[is_other] = MISSING


def batches(
    sources: Sequence[tuple[list[Item], float]], n_words: int, draw: random.Random
) -> Iterator[list[Any]]:
    """Endless batches of contents that are drawn from sources by their weights; each
    source is read to its end in turn."""
    weights = [weight for _, weight in sources]
    queues: list[list[Item]] = [[] for _ in sources]
    while True:
        batch: list[Item] = []
        while sum(item.size for item in batch) < n_words:
            (k,) = draw.choices(range(len(sources)), weights)
            if not queues[k]:
                queues[k] = draw.sample(sources[k][0], len(sources[k][0]))
            batch.append(queues[k].pop())
        yield [item.content for item in batch]


def read_roles(
    nlp: Language, examples: list[Example], verbs: bool, draw: np.random.Generator
) -> list[Item]:
    """Parsed Docs with gold roles, and the vectors that lal_srl reads. verbs: Whether
    they have roles of verbs alone; they are then parsed from whole vectors."""
    names = nlp.pipe_names
    place = names.index("encoder")
    names = names[place + 1 : names.index("lal_srl")]
    encoder: Any = nlp.get_pipe("encoder")
    items = []
    for i in range(0, len(examples), DOCS):
        part = examples[i : i + DOCS]
        docs = list(encoder.pipe([eg.predicted for eg in part], batch_size=DOCS))
        kept = [doc.tensor.astype("f2") for doc in docs]
        for name in names:
            pipe: Any = nlp.get_pipe(name)
            if name == "lal_parser" and not verbs:
                for doc in docs:
                    doc.tensor = dropped(doc.tensor, draw.choice(DROPOUT), draw)
            docs = [pipe(doc) for doc in docs]
        for doc, vectors, eg in zip(docs, kept, part, strict=True):
            doc.tensor = np.zeros((0, 0), dtype="f4")
            doc.spans.pop(ROLES_KEY, None)
            tags = [token.tag_ for token in eg.reference] if verbs else None
            gold = doc.copy()
            set_propositions(gold, get_propositions(eg.reference))
            items.append(Item(len(doc), (Example(doc, gold), vectors, tags)))
    return items


def learn_roles(roles: Any, batch: Sequence[Any]) -> float:
    """Add the gradient of a batch to the network's; its loss."""
    docs: list[Doc] = []
    golds: list[GoldRoles] = []
    for eg, vectors, tags in batch:
        eg.predicted.tensor = vectors.astype("f4")
        docs.append(eg.predicted)
        own = gold_roles(eg, roles._labels)
        for words, gold in zip(sentence_words(eg.predicted), own, strict=True):
            if tags is not None:
                mask_other_words(gold, [tags[word] for word in words])
        golds += own
    scores, backprop = begin_update(roles.model, docs, golds)
    losses, gradients = roles.loss(scores, golds)
    backprop(gradients)
    for doc in docs:
        doc.tensor = np.zeros((0, 0), dtype="f4")
    return sum(losses.values())


def train(pipe: Any, sources: list[tuple[list[Item], float]], args: Any) -> None:
    """Train the network of lal_srl in place, and take the mean of its weights."""
    named: dict[str, Any] = dict(get_shim(pipe.model).network.named_parameters())
    before = {name: value.detach().clone() for name, value in named.items()}
    optimizer = torch.optim.AdamW(
        named.values(), lr=args.rate, betas=(0.9, 0.99), weight_decay=0.01
    )
    mean = 0.0
    drawn = batches(sources, args.words, random.Random(args.seed))
    for step, batch in zip(range(args.steps), drawn, strict=False):
        part = step / args.steps
        for group in optimizer.param_groups:
            rise = (part + 1 / args.steps) / RISE
            group["lr"] = args.rate * min(rise, (1 - part) / (1 - RISE))
        optimizer.zero_grad()
        loss = learn_roles(pipe, batch)
        torch.nn.utils.clip_grad_norm_(named.values(), 1.0)
        optimizer.step()
        mean = 0.95 * mean + 0.05 * loss if step else loss
        if step % 20 == 19:
            print(f"step {step + 1}: {mean:.3f}", flush=True)
    with torch.no_grad():
        for name, value in named.items():
            value.lerp_(before[name], args.kept)
    get_shim(pipe.model).made = None


def main(arguments: list[str] | None = None) -> int:
    """Load, read, train, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("pipeline", help="a trained pipeline: name or folder")
    add("output", type=Path, help="folder to write")
    form: dict[str, Any] = {"type": source, "nargs": "+", "metavar": "FILE=WEIGHT"}
    add("--read", required=True, help="treebanks", **form)
    add("--verbs", default=[], help="with roles of verbs alone", **form)
    add("--steps", type=int, default=600)
    add("--words", type=int, default=1000, help="of a batch")
    add("--rate", type=float, default=0.001, help="the highest learning rate")
    add("--kept", type=float, default=0.5, help="share of the weights that were")
    add("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    spacy.util.fix_random_seed(args.seed)
    try:
        nlp = spacy.load(args.pipeline)
        draw = np.random.default_rng(args.seed)
        sources = []
        for path, weight in (*args.read, *args.verbs):
            examples = list(TreebankCorpus(path)(nlp))
            verbs = (path, weight) in args.verbs
            sources.append((read_roles(nlp, examples, verbs, draw), weight))
        train(nlp.get_pipe("lal_srl"), sources, args)
    except (KeyError, OSError, ValueError) as err:
        print(err, file=sys.stderr)
        return 1
    nlp.to_disk(args.output)
    print(f"Wrote {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
