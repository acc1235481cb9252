"""A parser for explanations: characters and label attention, trained for a second on
the two sentences of `tiny_pipeline`; and any other shape of it."""

from typing import Any, Dict, Iterable, List

import spacy
from small_blocks import parser_block
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tiny_pipeline import SENTENCES, make_examples

SIZES: Dict[str, Any] = {
    "hidden_width": 16,
    "n_layers": 1,
    "n_attn_heads": 2,
    "attn_width": 8,
    "ff_width": 16,
    "label_attn_width": 8,
    "label_proj_width": 4,
    "span_hidden_width": 12,
    "arc_hidden_width": 8,
    "deprel_hidden_width": 8,
    "char_width": 8,
}


def tiny_nlp(
    steps: int = 40,
    decoder: Dict[str, Any] | None = None,
    vocab: Vocab | bool = True,
    **model: Any,
) -> Language:
    """A pipeline of one parser.

    steps (int): Of training; 0 leaves the first weights.
    decoder (Optional[Dict[str, Any]]): Its block of the config.
    vocab (Union[Vocab, bool]): A vocab to share, or True for a new one.
    model (Any): See `parser_block`.
    """
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en", vocab=vocab)
    config: Dict[str, Any] = {"model": parser_block(**{**SIZES, **model})}
    if decoder:
        config["decoder"] = decoder
    nlp.add_pipe("lal_parser", config=config)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp


def tiny_doc(
    nlp: Language, sentences: Iterable[int] = (0, 1), space_after: int = -1
) -> Doc:
    """Some of the sentences as one Doc that knows its sentences, and nothing else.

    space_after (int): The word, counted over all, that a whitespace token stands after.
    """
    words: List[str] = []
    starts: List[bool] = []
    for i in sentences:
        for k, word in enumerate(SENTENCES[i]["words"]):
            words.append(word)
            starts.append(k == 0)
            if len(words) - 1 == space_after:
                words.append("\n")
                starts.append(False)
    return Doc(nlp.vocab, words=words, sent_starts=starts)
