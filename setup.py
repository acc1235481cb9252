"""Builds the Cython decoders; everything else stands in setup.cfg."""

from Cython.Build import cythonize
from setuptools import Extension, setup

NAMES = ["cky", "joint", "eisner", "mst"]

setup(
    ext_modules=cythonize(
        [
            Extension(f"spacy_lal.decode.{name}", [f"spacy_lal/decode/{name}.pyx"], extra_compile_args=["-O3"])
            for name in NAMES
        ],
        compiler_directives={"language_level": "3"},
    )
)
