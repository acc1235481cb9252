"""Builds the Cython decoders; everything else stands in setup.cfg."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

NAMES = ["cky", "joint", "eisner", "mst"]
FLAGS = ["/O2"] if sys.platform == "win32" else ["-O3"]

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"spacy_lal.decode.{name}",
                [f"spacy_lal/decode/{name}.pyx"],
                depends=["spacy_lal/decode/maxplus.h", "spacy_lal/decode/maxplus_kernels.h"],
                extra_compile_args=FLAGS,
            )
            for name in NAMES
        ],
        compiler_directives={"language_level": "3"},
    )
)
