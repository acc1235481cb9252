"""Sub-batches of sentences by padded size. It knows no network."""

from typing import List, Sequence

# Charts of very short sentences are small, but their label attention is not: no sentence counts as shorter than this.
MIN_CHART_SIDE = 32


def batch_sentences(lengths: Sequence[int], max_batch_cells: int) -> List[List[int]]:
    """Divide sentences into sub-batches of similar length.

    lengths (Sequence[int]): Number of tokens of each sentence.
    max_batch_cells (int): Most chart cells (n + 1)^2 of a sub-batch, padding included. A larger sentence is a sub-batch
        of its own.
    RETURNS (List[List[int]]): Numbers of each sub-batch's sentences, shorter ones first. Empty sentences are left out.
    """
    batches: List[List[int]] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if lengths[i] == 0:
            continue
        n_cells = (lengths[i] + 1) * max(lengths[i] + 1, MIN_CHART_SIDE)
        if not batches or (len(batches[-1]) + 1) * n_cells > max_batch_cells:
            batches.append([])
        batches[-1].append(i)
    return batches
