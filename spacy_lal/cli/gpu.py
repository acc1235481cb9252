"""The GPU of a command: an error names the missing library and how to install it."""

from importlib.util import find_spec
from typing import Optional

from spacy_lal.cli.streams import fail

INSTALL_CUPY = "pip install 'spacy[cuda12x]' (cuda11x for CUDA 11; `nvidia-smi` shows the version)"
INSTALL_TORCH = "see https://pytorch.org/get-started for a build with CUDA"


def use_gpu(gpu_id: int) -> None:
    """Let spaCy and torch compute on a GPU; ends the command if they can't.

    gpu_id (int): The GPU, or -1 for the CPU, which changes nothing.
    """
    if gpu_id < 0:
        return
    problem = gpu_problem(gpu_id)
    if problem is None:
        import spacy

        try:
            spacy.require_gpu(gpu_id)
            return
        except Exception as err:  # CUDA's errors have no common base
            problem = f"{type(err).__name__}: {err}"
    fail(f"can't use --gpu-id {gpu_id}: {problem}. Without --gpu-id, the command runs on the CPU")


def gpu_problem(gpu_id: int) -> Optional[str]:
    """The reason why a GPU cannot be used; None if it can.

    gpu_id (int): 0 or more.
    """
    import platform

    if platform.system() == "Darwin":
        return None  # no CuPy: spaCy goes by torch's MPS
    if find_spec("cupy") is None:
        return f"CuPy is not installed: {INSTALL_CUPY}"
    try:
        import cupy

        n_gpus = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as err:  # an import without its CUDA libraries; no driver
        return f"CuPy finds no GPU ({type(err).__name__}: {err}). Does `nvidia-smi` list one? {INSTALL_CUPY}"
    if gpu_id >= n_gpus:
        return f"expected a number below {n_gpus}, the number of GPUs that CuPy finds"
    import torch

    if not torch.cuda.is_available():
        return f"this build of PyTorch ({torch.__version__}) finds no GPU: {INSTALL_TORCH}"
    return None
