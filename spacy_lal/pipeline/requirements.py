"""Checks the installed versions of the packages that `lal_parser` needs; pip checks them only on installation."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

DISTRIBUTION = "spacy-lal"
CHECKED = ("spacy", "spacy-transformers", "thinc")


def check_requirements() -> None:
    """Check that spaCy and its companions have the versions that this package's metadata requires.

    RAISES (ImportError): A package is missing or has another version.
    """
    try:
        requirements = [Requirement(line) for line in requires(DISTRIBUTION) or []]
    except PackageNotFoundError:  # a source tree that was never installed
        return
    for requirement in requirements:
        if requirement.name not in CHECKED:
            continue
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            found = None
        if found is None or not requirement.specifier.contains(found, prereleases=True):
            raise ImportError(
                f"{DISTRIBUTION} {version(DISTRIBUTION)} needs {requirement.name}{requirement.specifier}, but "
                f"{'it is not installed' if found is None else f'{found} is installed'}: "
                f"pip install '{requirement.name}{requirement.specifier}'"
            )
