"""A parser without some of its label heads: it measures the effect of a head by removing it.

The span scorer reads the vector f_end - f_start of a span, in which each label head has a block of features. Removing
a head replaces its block by a fixed one, the same for every span of every sentence:

- "zero": zeros. Mean ablation of the fenceposts is equivalent: a block that every fencepost shares, such as the corpus
  mean, cancels in f_end - f_start.
- "mean": the mean of the block over all spans of the sentences read, constituents or not.

All later steps are recomputed: the scorer's layer norm rescales the remaining features to the range that its second
layer expects. Arcs are scored with all heads, so a removed head still shapes the joint decoder's trees through them. A
decoder that finds constituents without arcs (`make_separate_decoder`) shows the effect on the label scores alone.
Encoder and fenceposts are computed once; each removal costs a run of the span scorer and the decoder.
"""

import copy
from dataclasses import dataclass
from typing import Dict, Iterable, Iterator, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union, cast

import numpy as np
import torch
from numpy import ndarray
from spacy.tokens import Doc
from spacy.util import minibatch
from torch import Tensor

from ..annotations import CollapsedSpan, sentence_words
from ..layers.contributions import encode_sentences, score_spans
from ..layers.scorers.span_scorer import SpanScorer, best_labels
from ..models.bridge import pad_inputs
from ..models.embedding import embed
from ..models.sub_batches import batch_sentences
from ..pipeline.decoders import Decoder, takes_pruned
from ..scores import PrunedScores
from ..trees import EMPTY
from .contributions import part_names
from .sentences import Parser, evaluation_mode, find_parser, label_vocab

Fill = Literal["zero", "mean"]
LabelledSpan = Tuple[int, int, int, str]

N_CELLS = 65536  # chart cells of a batch of sentences, padding included
N_SPANS = 1024  # spans in a batch


class ReadSentence(NamedTuple):
    """A sentence that an `AblatedParser` has read.

    doc, number (int): The Doc's place in the input, and the sentence's place in the Doc; both from 0.
    words (Tuple[str, ...]): Its words, without whitespace tokens.
    fenceposts (Tensor): The scorers' input. *Shape:* (n + 1, fencepost_width).
    attention (ndarray): The weights of each label head over START, words, STOP. Shape: (n_label_heads, n + 2), float32.
    """

    doc: int
    number: int
    words: Tuple[str, ...]
    fenceposts: Tensor
    attention: ndarray


@dataclass(frozen=True)
class _Batch:
    """Sentences that are scored together; `indices` are their places in `AblatedParser.sentences`. projected: the
    fenceposts after the span scorer's first layer, without its bias. *Shapes:* lengths (batch,), fenceposts
    (batch, n + 1, fencepost_width), projected (batch, n + 1, n_projected)."""

    indices: List[int]
    lengths: Tensor
    fenceposts: Tensor
    projected: Tensor
    arcs: ndarray


class AblatedParser:
    """Sentences that a parser has read once, to be parsed again without some label heads.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    docs (Iterable[Doc]): Docs with sentence boundaries and all annotation that the parser reads. Missing transformer
        vectors are computed, missing tags are not. The Docs are read in batches and not kept.
    fill (str): The replacement for a removed head's block, "zero" or "mean"; see above.
    decoder (Optional[Decoder]): Finds the trees; None for the parser's own.
    batch_size (int): Docs encoded together.
    RAISES (ValueError): `fill` is invalid; the model has no label attention, joins its heads, or scores no
        constituents; the pipeline has no parser; the decoder is not supported; sentence boundaries are missing.

    Sentences without words are skipped, and so are sentences that the parser reads in pieces; `n_left_out` counts the
    latter. The fenceposts of all sentences stay in memory: 25,000 words of 1,700 features take 170 MB.
    """

    def __init__(
        self,
        nlp: Parser,
        docs: Iterable[Doc],
        *,
        fill: Fill = "zero",
        decoder: Optional[Decoder] = None,
        batch_size: int = 64,
    ) -> None:
        if fill not in ("zero", "mean"):
            raise ValueError(f"fill is what stands in the place of a removed head, 'zero' or 'mean', got {fill!r}")
        self.parser, self.fill = find_parser(nlp), fill
        self.names = part_names(self.parser)
        self.labels = label_vocab(self.parser).strings
        self.network = evaluation_mode(self.parser)
        self._span_scorer = cast(SpanScorer, self.network.span_scorer)  # it has labels, see label_vocab
        own = self.parser.decoder_in_use
        self._decode = own if decoder is None else self.parser.long_sentences.choose(decoder)
        if not takes_pruned(self._decode):
            raise ValueError(
                f"expected the decoder spacy-lal.joint_decoder.v1 or spacy-lal.separate_decoder.v1, got {self._decode}"
            )
        self.sentences: List[ReadSentence] = []
        self.n_left_out = 0
        self._batches: List[_Batch] = []
        n_docs = 0
        for some in minibatch(docs, batch_size):
            self._read(n_docs, some)
            n_docs += len(some)
        self._mean_ends = self._mean_fenceposts()

    def parse(self, heads: Iterable[Union[int, str]] = ()) -> List[List[CollapsedSpan]]:
        """The constituents of all sentences when some heads are removed.

        heads (Iterable[Union[int, str]]): Numbers or names (see `names`) of heads; empty for the unchanged parser.
        RETURNS (List[List[Tuple[int, int, str]]]): For each of `sentences`, half-open spans of words with their whole
            unary chain, in pre-order.
        RAISES (ValueError): A head is unknown.
        """
        columns = self._columns(heads)
        scorer = self._scorer(columns)
        found: Dict[int, List[CollapsedSpan]] = {}
        for batch in self._batches:
            scores = list(self._score(batch, scorer, columns))
            for i, parse in zip(batch.indices, self._decode(scores), strict=True):
                found[i] = [(start, end, self.labels[label]) for start, end, label in parse.spans.tolist()]
        return [found[i] for i in range(len(self.sentences))]

    @torch.no_grad()
    def margins(self, spans: Sequence[LabelledSpan], heads: Iterable[Union[int, str]] = ()) -> ndarray:
        """The margins of labelled spans over their best rivals (see `rival_scores`) when some heads are removed. A
        margin is negative where another label scores higher. Contributions split a margin; this method measures it.

        spans (Sequence[Tuple[int, int, int, str]]): The sentence's place in `sentences`, start, end, label.
        heads (Iterable[Union[int, str]]): As for `parse`.
        RETURNS (ndarray): Shape: (n_spans,), float32.
        RAISES (ValueError): A head or label is unknown.
        """
        columns = self._columns(heads)
        unknown = sorted({label for *_, label in spans} - set(self.labels))
        if unknown:
            raise ValueError(f"expected labels of '{self.parser.name}', got {', '.join(unknown)}")
        margins = [np.zeros(0, dtype="f4")]
        for first in range(0, len(spans), N_SPANS):
            some = spans[first : first + N_SPANS]
            posts = [self.sentences[i].fenceposts for i, *_ in some]
            ends = torch.stack([one[j] for one, (_, _, j, _) in zip(posts, some, strict=True)])
            starts = torch.stack([one[i] for one, (_, i, _, _) in zip(posts, some, strict=True)])
            for some_ends, mean in zip((ends, starts), self._mean_ends, strict=True):
                some_ends[:, columns] = 0.0 if self.fill == "zero" else mean[columns].to(some_ends.dtype)
            vectors = self._span_scorer.span_vectors(ends, starts)
            scores = score_spans(self.network, vectors)
            labels = torch.tensor([self.labels.index(label) for *_, label in some], device=scores.device)
            whole = [end - start == len(self.sentences[i].words) for i, start, end, _ in some]
            ours = scores.gather(1, labels[:, None])[:, 0]
            margins.append((ours - rival_scores(scores, labels, whole).amax(1)).cpu().numpy())
        return np.concatenate(margins)

    def head_numbers(self, heads: Iterable[Union[int, str]]) -> List[int]:
        """The numbers of heads, sorted and without duplicates.

        RAISES (ValueError): A head is unknown.
        """
        numbers = {name: i for i, name in enumerate(self.names)}
        found = set()
        for head in heads:
            number = numbers.get(head, -1) if isinstance(head, str) else head
            if not 0 <= number < len(self.names):
                raise ValueError(
                    f"expected the number of a label head, 0 to {len(self.names) - 1}, or a name like "
                    f"{', '.join(map(repr, self.names[:3]))}, got {head!r}"
                )
            found.add(int(number))
        return sorted(found)

    @torch.no_grad()
    def _read(self, n_before: int, docs: List[Doc]) -> None:
        """Encode Docs and keep the scorers' inputs. n_before: the number of Docs already read."""
        words = [(d, s, found) for d, doc in enumerate(docs) for s, found in enumerate(sentence_words(doc))]
        limit = self.parser.long_sentences.limit(self.parser.decoder)
        lengths = [len(found) if limit is None or len(found) <= limit else 0 for *_, found in words]
        self.n_left_out += sum(not length and bool(found) for length, (*_, found) in zip(lengths, words, strict=True))
        scrambled = self.network.depends_on_batch  # a batch of one is not, see `read_sentences`
        batches = [[i] for i, n in enumerate(lengths) if n] if scrambled else batch_sentences(lengths, N_CELLS)
        if not batches:
            return
        with self.parser.encoded(docs):
            batch, _ = embed(self.parser.model, docs, False)
            kept: Dict[int, ReadSentence] = {}
            for indices in batches:
                inputs = pad_inputs(self.parser.model.layers[-1], batch, indices, False).network
                fenceposts, attention = encode_sentences(self.network, inputs)
                weights = cast(Tensor, attention).float().cpu().numpy()  # it has label attention, see part_names
                for k, i in enumerate(indices):
                    d, s, found = words[i]
                    texts = tuple(docs[d][word].text for word in found)
                    n = len(found)
                    kept[i] = ReadSentence(n_before + d, s, texts, fenceposts[k, : n + 1], weights[k, :, : n + 2])
                self._keep(indices, inputs.lengths, fenceposts)
        place = {i: len(self.sentences) + k for k, i in enumerate(sorted(kept))}
        for one in self._batches[-len(batches) :]:
            one.indices[:] = [place[i] for i in one.indices]
        self.sentences += [kept[i] for i in sorted(kept)]

    def _keep(self, indices: List[int], lengths: Tensor, fenceposts: Tensor) -> None:
        """Keep arc scores and projected fenceposts, which do not depend on the removed heads."""
        arcs = fenceposts.new_zeros(*fenceposts.shape[:2], fenceposts.shape[1])
        arc_scorer = self.network.biaffine_scorer
        if arc_scorer is not None:
            inputs = self.network.arc_inputs(fenceposts)
            head, dependent = (layer(inputs).relu() for layer in arc_scorer.input_layers[:2])
            arcs = arc_scorer.score_arcs(head, dependent)
        projected = torch.nn.functional.linear(fenceposts, self._span_scorer.projection())
        self._batches.append(_Batch(list(indices), lengths, fenceposts, projected, arcs.float().cpu().numpy()))

    def _columns(self, heads: Iterable[Union[int, str]]) -> Tensor:
        """The columns of a fencepost that hold the blocks of some heads."""
        return torch.from_numpy(self.network.fenceposts.layout.block_columns(self.head_numbers(heads))).to(
            self._mean_ends.device
        )

    def _mean_fenceposts(self) -> Tensor:
        """The mean of all spans' ends, and the mean of their starts: fencepost k of n words ends k spans and starts
        n - k. *Shape:* (2, fencepost_width)."""
        total = torch.zeros(2, self.network.fenceposts.layout.width, dtype=torch.float64)
        n_spans = 0
        for sentence in self.sentences:
            n = len(sentence.words)
            times = torch.arange(n + 1, dtype=torch.float64, device=sentence.fenceposts.device)
            total = total.to(times.device) + torch.stack([times, n - times]) @ sentence.fenceposts.double()
            n_spans += n * (n + 1) // 2
        return total / max(1, n_spans)

    def _scorer(self, columns: Tensor) -> SpanScorer:
        """The span scorer; for the fill "mean", its bias includes the mean of the removed blocks."""
        if self.fill == "zero" or not len(columns):
            return self._span_scorer
        scorer = copy.deepcopy(self._span_scorer)
        with torch.no_grad():
            ends, starts, own = scorer.parts(self._mean_ends[:, columns] @ scorer.projection()[:, columns].double().t())
            scorer.hidden.bias.add_(ends[0] - starts[1])
            scorer.output.bias[len(scorer.output.bias) - own.shape[1] :].add_(own[0] - own[1])
        return scorer

    @torch.no_grad()
    def _score(self, batch: _Batch, scorer: SpanScorer, columns: Tensor) -> Iterator[PrunedScores]:
        """The scores of a batch without some columns of the fenceposts."""
        projected = batch.projected
        if len(columns):
            projected = projected - batch.fenceposts[..., columns] @ scorer.projection()[:, columns].t()
        batch_size, n_fenceposts = projected.shape[:2]
        first_rows = torch.arange(batch_size, device=projected.device) * n_fenceposts
        charts = best_labels(scorer, projected.flatten(0, 1), first_rows, batch.lengths, n_fenceposts)
        labels, label_ids = (chart.cpu().numpy() for chart in charts)
        for k, n in enumerate(batch.lengths.tolist()):
            side = slice(n + 1)
            yield PrunedScores(
                labels=np.ascontiguousarray(labels[k, side, side]),
                label_ids=label_ids[k, side, side],
                arcs=np.ascontiguousarray(batch.arcs[k, side, side]),
                # deprels are not used; their presence tells the joint decoder that arcs are scored
                deprel_ids=np.zeros(n + 1 if self.network.biaffine_scorer is not None else 0, dtype="i2"),
            )


def rival_scores(scores: Tensor, labels: Tensor, whole: Sequence[bool]) -> Tensor:
    """Label scores with minus infinity for labels that are no rivals: the span's own label, and the empty label on a
    whole sentence. No tree has an empty root, so training never sets that score.

    scores (Tensor): The scores of all labels. *Shape:* (n_spans, n_labels).
    labels (Tensor): The spans' own labels. *Shape:* (n_spans,), int64.
    whole (Sequence[bool]): Whether a span is a whole sentence.
    """
    rivals = scores.scatter(1, labels[:, None], -torch.inf)
    rivals[torch.tensor(whole, dtype=torch.bool, device=scores.device), EMPTY] = -torch.inf
    return rivals
