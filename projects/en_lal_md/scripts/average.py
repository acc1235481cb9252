"""Pipelines averaged into one: the first, with the mean weights of all.

    python scripts/average.py training/model-best training/branch1/model-last --output training/mean

Trainings that start from the same weights and see the data in different orders end near the same minimum. Their mean is
nearer to it than each of them (Wortsman et al. 2022, "Model soups"), and costs nothing to run. *Not* for pipelines that
were initialised separately: the mean of their weights is not a working network.
"""

import argparse
from pathlib import Path
from typing import Any, Iterator, Optional, Sequence, Tuple

import spacy
import torch
from spacy.language import Language
from thinc.api import Model

from spacy_lal.files import written_folder
from spacy_lal.training.loop import torch_module

Weight = Tuple[str, Any]  # its place in the pipeline, and a torch tensor or a thinc array


def average_pipelines(pipelines: Sequence[Language]) -> Language:
    """Give the first pipeline the mean weights of all.

    RETURNS (Language): The first, changed in place.
    RAISES (ValueError): There are fewer than two, or one differs from the first in more than weights.
    """
    if len(pipelines) < 2:
        raise ValueError(f"expected two pipelines or more, got {len(pipelines)}")
    first = pipelines[0]
    kinds = [
        [
            (f"{name} ({nlp.get_pipe_meta(name).factory})", getattr(pipe, "label_data", None))
            for name, pipe in nlp.components
        ]
        for nlp in pipelines
    ]
    for number, kind in enumerate(kinds[1:], start=2):
        names, expected = (", ".join(name for name, _ in one) for one in (kind, kinds[0]))
        if kind != kinds[0]:
            what = f"the components {names}" if names != expected else "other labels"
            raise ValueError(f"pipeline {number} has {what}; the first has {expected}")
    with torch.no_grad():
        for (place, weight), *others in zip(*map(named_weights, pipelines), strict=True):
            for number, (other_place, other) in enumerate(others, start=2):
                if place != other_place or weight.shape != other.shape:
                    raise ValueError(
                        f"pipeline {number} has {other_place} {tuple(other.shape)}, where the first has {place} "
                        f"{tuple(weight.shape)}: expected pipelines of the same sizes"
                    )
            if isinstance(weight, torch.Tensor) and not weight.is_floating_point():
                continue  # integer buffers, such as positions, are equal in all
            for _, other in others:
                weight += other
            weight /= len(pipelines)
    return first


def named_weights(nlp: Language) -> Iterator[Weight]:
    """All weights of a pipeline, in order: of thinc layers, and of the torch networks in them."""
    for name, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        for i, node in enumerate(model.walk() if isinstance(model, Model) else ()):
            for key in node.param_names:
                if node.has_param(key):
                    yield f"{name}, layer {i} ({node.name}), {key}", node.get_param(key)
            for shim in node.shims:
                module = torch_module(shim)
                for key, tensor in module.state_dict().items() if module is not None else ():
                    yield f"{name}, layer {i} ({node.name}), {key}", tensor


def main(words: Optional[Sequence[str]] = None) -> None:
    """Average, and write the pipeline. words (Optional[Sequence[str]]): The arguments. None: the command line's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipelines", nargs="+", help="trained on from the same weights")
    parser.add_argument("--output", "-o", type=Path, required=True, help="a folder, replaced if it holds a pipeline")
    args = parser.parse_args(words)
    if args.output.exists() and not (args.output / "config.cfg").is_file():
        parser.error(f"{args.output} exists and holds no pipeline: name another folder")
    try:
        nlp = average_pipelines([spacy.load(path) for path in args.pipelines])
    except (OSError, ValueError) as error:
        parser.error(str(error))
    with written_folder(args.output) as folder:
        nlp.to_disk(folder)
    print(f"Wrote {args.output}: the mean of {len(args.pipelines)} pipelines: {', '.join(nlp.pipe_names)}")


if __name__ == "__main__":
    main()
