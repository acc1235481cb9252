"""What `lal_parser` needs of what is installed; pip sees to it, but not to what is changed afterwards."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

DISTRIBUTION = "spacy-lal"
CHECKED = ("spacy", "spacy-transformers", "thinc")


def check_requirements() -> None:
    """See that spaCy and its companions are those that this version was made for, as its metadata says.

    RAISES (ImportError): One of them is missing, or of another version.
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
